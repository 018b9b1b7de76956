// Every kind of CUDA failure the project knows: its code, which calls may return it, when it shows, whether it poisons
// the context and what makes work possible again. One table; the fault plan's parser, the error mapping, the
// documentation and the coverage matrix are all made from it.
//
// Includes the two tables only, so that the simulator may use it. Beside cuda.h: as driver_api.hpp says.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "gpu/compiler_api.hpp"
#include "gpu/driver_api.hpp"

#include "gpu/driver_names_begin.hpp"

namespace taintgraph::gpu {

// Every entry of both tables, in the order declared there. `none` stands for host code.
enum class Call : std::uint8_t {
  none,
#define TAINTGRAPH_CALL(name, parameters) name,
  TAINTGRAPH_DRIVER_ENTRIES(TAINTGRAPH_CALL) TAINTGRAPH_COMPILER_ENTRIES(TAINTGRAPH_CALL)
#undef TAINTGRAPH_CALL
};

inline constexpr std::size_t kCallCount = 1
#define TAINTGRAPH_COUNT(name, parameters) +1
    TAINTGRAPH_DRIVER_ENTRIES(TAINTGRAPH_COUNT) TAINTGRAPH_COMPILER_ENTRIES(TAINTGRAPH_COUNT)
#undef TAINTGRAPH_COUNT
    ;

// "cuMemAlloc" for Call::cuMemAlloc; "host" for Call::none. Static storage, zero terminated.
[[nodiscard]] std::string_view to_string(Call call);
[[nodiscard]] std::optional<Call> call_from_string(std::string_view name);

// Kinds by their names in traces; the enumerators' order is the table's.
enum class FaultKind : std::uint8_t {
  invalid_value,
  out_of_memory,
  no_device,
  invalid_image,
  invalid_context,
  no_binary_for_gpu,
  ecc_uncorrectable,
  invalid_ptx,
  nvlink_uncorrectable,
  contained,
  invalid_handle,
  not_found,
  not_ready,
  illegal_address,
  launch_out_of_resources,
  launch_timeout,
  context_is_destroyed,
  assert_,
  hardware_stack_error,
  illegal_instruction,
  misaligned_address,
  invalid_address_space,
  invalid_pc,
  launch_failed,
  cooperative_launch_too_large,
  not_permitted,
  not_supported,
  capture_unsupported,
  capture_invalidated,
  capture_merge,
  capture_unmatched,
  capture_unjoined,
  capture_isolation,
  capture_implicit,
  captured_event,
  capture_wrong_thread,
  graph_exec_update_failure,
  function_not_loaded,
  unknown,
  compile_error,
  host_exception,
};

// When a fault shows, seen from the call that it strikes.
enum class FaultWhen : std::uint8_t {
  before,  // the call returns it and nothing happened
  after,   // the effect happened and the call returns it all the same
  async,   // the call succeeds; the error surfaces at a later call
};

// As core::Recovery; repeated here because this header may not look at the core.
enum class FaultRecovery : std::uint8_t { none, retry, context, process };

struct FaultRow {
  FaultKind kind;
  std::string_view name;  // as in traces, e.g. "launch_out_of_resources", "assert"
  std::int32_t code;      // CUresult, or nvrtcResult for compile_error, 0 for host_exception
  FaultWhen when;         // the default
  bool sticky;
  FaultRecovery recovery;
  bool injectable;              // false for not_ready, which is no error
  std::span<const Call> calls;  // the calls that may return it (asynchronous ones: that may cause it)
  std::string_view advice;      // what to do about it, a few words
};

// One row a kind, in the order of FaultKind.
[[nodiscard]] std::span<const FaultRow> fault_table();
[[nodiscard]] const FaultRow& row(FaultKind kind);
[[nodiscard]] std::optional<FaultKind> fault_from_string(std::string_view name);
// The row of a driver's code; nullptr if no row has it (the backend then reports it by CUDA's own name).
[[nodiscard]] const FaultRow* row_of(CUresult code);
[[nodiscard]] const FaultRow* row_of(nvrtcResult code);
[[nodiscard]] bool may_return(Call call, FaultKind kind);

}  // namespace taintgraph::gpu

#include "gpu/driver_names_end.hpp"
