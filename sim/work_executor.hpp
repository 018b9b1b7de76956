// Carries work out: moves the bytes, runs the kernels, spoils what is released. Knows nothing of time or order.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/device_memory.hpp"
#include "sim/finding_log.hpp"
#include "sim/host_memory.hpp"
#include "sim/work.hpp"

namespace taintgraph::sim {

class WorkExecutor {
 public:
  WorkExecutor(DeviceMemory& memory, HostMemory& host, FindingLog& findings)
      : memory_(memory), host_(host), findings_(findings), checker_(memory) {}

  // Does `work`, which was queued on stream `slot`. Returns the error it ended in, if any.
  [[nodiscard]] std::optional<CUresult> execute(const Work& work, std::uint32_t slot);

  // Whether a kernel looks as if it would fault: what it declares is gone, or its first thread faults even with nothing
  // to touch. What is to be in memory by then is not looked at: it may not be there yet. A hint, for deciding when to
  // run work and nothing else.
  [[nodiscard]] bool looks_faulty(const Work& work);

  // A hash of what the host's side of a copy holds now; nothing if it has none, or the memory is gone. O(bytes).
  [[nodiscard]] std::optional<std::uint64_t> host_digest(const Work& work);

 private:
  std::optional<CUresult> run_kernel(const Work& work, std::uint32_t slot);
  void report_undeclared(const Work& work, std::uint32_t slot);
  void copy_to_device(const Work& work);
  void copy_to_host(const Work& work);
  void copy_on_device(const Work& work);
  // Null if the memory went away after the work was queued, which has been reported by then.
  std::byte* device_bytes(CUdeviceptr address, std::uint64_t size_bytes);

  DeviceMemory& memory_;
  HostMemory& host_;
  FindingLog& findings_;
  AccessChecker checker_;
};

}  // namespace taintgraph::sim
