#include "sim/race_detector.hpp"

namespace taintgraph::sim {
namespace {

std::string range_text(std::uint64_t begin, std::uint64_t end) {
  return "[" + std::to_string(begin) + ", " + std::to_string(end) + ")";
}

std::string name_of(Call call, std::string_view kernel, std::uint32_t slot) {
  std::string text(gpu::to_string(call));
  if (call == Call::cuLaunchKernel) text.append(" of ").append(kernel);
  return text + " on stream " + std::to_string(slot);
}

std::string name_of(const Epoch& epoch) {
  return name_of(epoch.call, compiled_kernels()[epoch.kernel]->name, epoch.slot);
}

std::string name_of(const WorkItem& item) {
  return name_of(item.work.call, item.work.kernel == nullptr ? "" : item.work.kernel->name, item.slot);
}

Epoch epoch_of(const WorkItem& item) { return {item.ordinal, item.slot, item.work.kernel_index, item.work.call}; }

}  // namespace

void RaceDetector::queued(const WorkItem& item, const VectorClock& host) {
  each_touch(item.work, [&](const Touch& touch) {
    if (touch.host_bytes != nullptr) {
      on_host(item, touch, host);
    } else {
      on_device(item, touch, host);
    }
  });
}

void RaceDetector::on_device(const WorkItem& item, const Touch& touch, const VectorClock& host) {
  if (touch.size_bytes == 0) return;
  Allocation* const allocation = memory_.find(touch.address, touch.size_bytes);
  if (allocation == nullptr) {
    findings_.add("unallocated memory: " + name_of(item) + " declares " + std::to_string(touch.size_bytes) +
                  " bytes that no allocation holds");
    return;
  }
  const std::uint64_t begin = touch.address - allocation->address;
  const std::uint64_t end = begin + touch.size_bytes;
  if (allocation->free_queued) {
    findings_.add("use after free: " + name_of(item) + " touches bytes " + range_text(begin, end) + " of allocation " +
                  std::to_string(allocation->serial) + ", whose free is queued already");
  }
  AccessMap& accesses = allocation->accesses;
  const std::optional<Conflict> conflict = touch.writes ? accesses.write(begin, end, epoch_of(item), item.clock, host)
                                                        : accesses.read(begin, end, epoch_of(item), item.clock, host);
  if (conflict) report(item, touch.writes, "allocation " + std::to_string(allocation->serial), *conflict);
}

void RaceDetector::on_host(const WorkItem& item, const Touch& touch, const VectorClock& host) {
  HostAllocation* const allocation = host_.find(touch.host_bytes, touch.size_bytes);
  if (allocation == nullptr || touch.size_bytes == 0) return;
  const std::uint64_t begin = allocation->offset_of(touch.host_bytes);
  const std::uint64_t end = begin + touch.size_bytes;
  AccessMap& accesses = allocation->accesses;
  const std::optional<Conflict> conflict = touch.writes ? accesses.write(begin, end, epoch_of(item), item.clock, host)
                                                        : accesses.read(begin, end, epoch_of(item), item.clock, host);
  if (conflict) report(item, touch.writes, "host allocation " + std::to_string(allocation->serial), *conflict);
}

void RaceDetector::report(const WorkItem& item, bool writes, const std::string& where, const Conflict& conflict) {
  findings_.add("race: " + name_of(item) + (writes ? " writes" : " reads") + " bytes " +
                range_text(conflict.begin, conflict.end) + " of " + where + ", which " + name_of(conflict.earlier) +
                (conflict.earlier_writes ? " writes" : " reads") + "; nothing orders the two");
}

void RaceDetector::freed(const Allocation& allocation, Call call, const VectorClock& host) {
  const std::optional<Conflict> conflict = allocation.accesses.outside(host);
  if (!conflict) return;
  findings_.add("freed while in use: " + std::string(gpu::to_string(call)) + " of allocation " +
                std::to_string(allocation.serial) + ", whose bytes " + range_text(conflict->begin, conflict->end) +
                " are used by " + name_of(conflict->earlier) + ", for which the host has not waited");
}

void RaceDetector::freed(const HostAllocation& allocation, Call call, const VectorClock& host) {
  const std::optional<Conflict> conflict = allocation.accesses.outside(host);
  if (!conflict) return;
  findings_.add("freed while in use: " + std::string(gpu::to_string(call)) + " of host allocation " +
                std::to_string(allocation.serial) + ", whose bytes " + range_text(conflict->begin, conflict->end) +
                " are used by " + name_of(conflict->earlier) + ", for which the host has not waited");
}

}  // namespace taintgraph::sim
