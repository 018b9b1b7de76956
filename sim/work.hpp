// A piece of work for the device: a kernel, a copy, or memory that is reserved or released in stream order.
//
// Work says what to do and holds copies of everything it needs (parameters by value, as cuLaunchKernel takes them), but
// not when: a WorkItem is work that sits in a stream, and a graph keeps work to queue it again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "sim/compiled_kernel.hpp"
#include "sim/driver_types.hpp"
#include "sim/vector_clock.hpp"

namespace taintgraph::sim {

enum class WorkKind : std::uint8_t { kernel, copy_to_device, copy_to_host, copy_on_device, reserve, release };

// Work that only marks, in the order of its stream, whose memory it is.
[[nodiscard]] constexpr bool marks_ownership(WorkKind kind) {
  return kind == WorkKind::reserve || kind == WorkKind::release;
}

// An injected error that the work causes when it runs.
struct AsyncFault {
  CUresult code = CUDA_SUCCESS;
  std::optional<std::uint64_t> surface_after_calls;  // it keeps quiet for so many calls after the one it struck
};

struct Work {
  static constexpr std::uint64_t kAllBytes = std::numeric_limits<std::uint64_t>::max();

  WorkKind kind = WorkKind::kernel;
  Call call = Call::none;
  std::uint64_t write_limit = kAllBytes;  // only so many bytes of what it writes take effect
  std::optional<AsyncFault> fault;

  // Copies, and what marks ownership.
  CUdeviceptr to = 0;
  CUdeviceptr from = 0;
  std::uint64_t size_bytes = 0;
  const std::byte* host_from = nullptr;  // null: the bytes are in `bytes`
  std::byte* host_to = nullptr;
  std::optional<std::uint64_t> host_digest;  // of the host's side when the copy was queued, if that is watched

  // Kernels.
  const CompiledKernel* kernel = nullptr;
  std::uint16_t kernel_index = 0;
  LaunchDimensions dimensions;
  bool is_declared = false;  // the observer said what it touches
  std::vector<gpu::DeclaredAccess> declared;

  std::vector<std::byte> bytes;  // parameters of a kernel, bytes of a copy from staged host memory
};

struct WorkItem {
  Work work;
  std::uint64_t context = 0;    // serial of its context
  std::uint64_t operation = 0;  // of the fault plan, when it was queued
  std::uint64_t call = 0;       // n-th driver call of the run, when it was queued
  bool probed = false;          // it has been looked at for a fault ahead of its time

  // Set by the timeline.
  std::uint32_t slot = 0;      // the stream's
  std::uint64_t ordinal = 0;   // n-th of its slot, from 1
  std::uint64_t sequence = 0;  // n-th of the device
  std::uint64_t due = 0;       // when it is done, in virtual nanoseconds
  VectorClock clock;           // its past, itself included
};

}  // namespace taintgraph::sim
