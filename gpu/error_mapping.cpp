#include "gpu/error_mapping.hpp"

#include <utility>

namespace taintgraph::gpu {
namespace {

core::Recovery recovery_of(FaultRecovery recovery) {
  switch (recovery) {
    case FaultRecovery::none:
      return core::Recovery::none;
    case FaultRecovery::retry:
      return core::Recovery::retry;
    case FaultRecovery::context:
      return core::Recovery::context;
    case FaultRecovery::process:
      return core::Recovery::process;
  }
  return core::Recovery::none;
}

core::Error from_row(const FaultRow& row, Call call, std::int32_t code) {
  return {.name = row.name,
          .call = to_string(call),
          .code = code,
          .sticky = row.sticky,
          .recovery = recovery_of(row.recovery),
          .detail = {}};
}

// NVRTC's names for its codes; its own function for that is not worth an entry in the table.
std::string_view name_of(nvrtcResult code) {
  switch (code) {
    case NVRTC_SUCCESS:
      return "NVRTC_SUCCESS";
    case NVRTC_ERROR_OUT_OF_MEMORY:
      return "NVRTC_ERROR_OUT_OF_MEMORY";
    case NVRTC_ERROR_PROGRAM_CREATION_FAILURE:
      return "NVRTC_ERROR_PROGRAM_CREATION_FAILURE";
    case NVRTC_ERROR_INVALID_INPUT:
      return "NVRTC_ERROR_INVALID_INPUT";
    case NVRTC_ERROR_INVALID_PROGRAM:
      return "NVRTC_ERROR_INVALID_PROGRAM";
    case NVRTC_ERROR_INVALID_OPTION:
      return "NVRTC_ERROR_INVALID_OPTION";
    case NVRTC_ERROR_COMPILATION:
      return "NVRTC_ERROR_COMPILATION";
    case NVRTC_ERROR_BUILTIN_OPERATION_FAILURE:
      return "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE";
    case NVRTC_ERROR_INTERNAL_ERROR:
      return "NVRTC_ERROR_INTERNAL_ERROR";
  }
  return "unrecognized NVRTC error";
}

}  // namespace

core::Error driver_error(const DriverApi& driver, CUresult code, Call call) {
  if (const FaultRow* row = row_of(code)) return from_row(*row, call, code);
  const char* name = nullptr;
  const bool named = driver.cuGetErrorName(code, &name) == CUDA_SUCCESS && name != nullptr;
  return {.name = named ? std::string_view(name) : "unrecognized CUDA error",
          .call = to_string(call),
          .code = code,
          .sticky = false,
          .recovery = core::Recovery::none,
          .detail = {}};
}

core::Error compiler_error(nvrtcResult code, Call call) {
  if (const FaultRow* row = row_of(code)) return from_row(*row, call, code);
  const bool memory = code == NVRTC_ERROR_OUT_OF_MEMORY;
  return {.name = name_of(code),
          .call = to_string(call),
          .code = code,
          .sticky = false,
          .recovery = memory ? core::Recovery::retry : core::Recovery::none,
          .detail = {}};
}

void add_undo_failure(core::Error& error, const core::Error& undo) {
  if (undo.sticky && !error.sticky) {
    const core::Error first = std::exchange(error, undo);
    error.detail.append(error.detail.empty() ? "" : "\n").append("undoing what ").append(first.call);
    error.detail.append(" had failed with, ").append(first.name);
    return;
  }
  core::add_detail(error, "undoing it", undo);
}

}  // namespace taintgraph::gpu
