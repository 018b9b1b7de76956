// Watches that work on different streams which touches the same bytes is ordered (W6), and that memory is given back
// only when the host knows that nothing uses it any more. See AccessMap for how, and footprint.hpp for what each kind
// of work touches; this part says what is wrong.
#pragma once

#include <string>

#include "sim/device_memory.hpp"
#include "sim/finding_log.hpp"
#include "sim/footprint.hpp"
#include "sim/host_memory.hpp"
#include "sim/work.hpp"

namespace taintgraph::sim {

class RaceDetector {
 public:
  RaceDetector(DeviceMemory& memory, HostMemory& host, FindingLog& findings)
      : memory_(memory), host_(host), findings_(findings) {}

  // Records what `item` touches, in its place in the order. `host` is what the host knows to be done.
  void queued(const WorkItem& item, const VectorClock& host);

  // `call` gives memory back. At most one finding.
  void freed(const Allocation& allocation, Call call, const VectorClock& host);
  void freed(const HostAllocation& allocation, Call call, const VectorClock& host);

 private:
  void on_device(const WorkItem& item, const Touch& touch, const VectorClock& host);
  void on_host(const WorkItem& item, const Touch& touch, const VectorClock& host);
  void report(const WorkItem& item, bool writes, const std::string& where, const Conflict& conflict);

  DeviceMemory& memory_;
  HostMemory& host_;
  FindingLog& findings_;
};

}  // namespace taintgraph::sim
