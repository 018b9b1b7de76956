#include "sim/driver.hpp"

#include "sim/driver_entries.hpp"
#include "sim/trampolines.hpp"

namespace taintgraph::sim {

struct Driver::State {
  State(const DriverOptions& options, FaultPlan& plan) : entries(options, plan, place.number()) { place.open(entries); }

  Place place;
  DriverEntries entries;
};

Driver::Driver(const DriverOptions& options, FaultPlan& plan) : state_(std::make_unique<State>(options, plan)) {}

Driver::~Driver() = default;

const gpu::DriverApi& Driver::driver() const { return state_->place.driver(); }

const gpu::CompilerApi& Driver::compiler() const { return state_->place.compiler(); }

gpu::LaunchObserver Driver::observer() {
  state_->entries.expect_declarations();
  return {&state_->entries,
          [](void* self, gpu::CUstream stream, const gpu::DeclaredAccess* accesses, std::size_t count) {
            static_cast<DriverEntries*>(self)->declare(stream, accesses, count);
          }};
}

std::vector<Finding> Driver::take_findings() { return state_->entries.findings().take(); }

std::vector<std::uint32_t> Driver::take_schedule() { return state_->entries.timeline().take_schedule(); }

void Driver::force_schedule(std::span<const std::uint32_t> streams, Unscheduled unscheduled) {
  state_->entries.timeline().force_schedule(streams, unscheduled);
}

const LiveObjects& Driver::left_to_context() const { return state_->entries.left_to_context(); }
LiveObjects Driver::count_objects() const { return state_->entries.count_objects(); }

std::vector<std::string> Driver::live_objects() const { return state_->entries.live_objects(); }

std::vector<std::uint32_t> Driver::busy_streams() const {
  std::vector<std::uint32_t> busy;
  state_->entries.timeline().each_pending([&busy](const WorkItem& item) {
    if (marks_ownership(item.work.kind)) return;
    if (busy.empty() || busy.back() != item.slot) busy.push_back(item.slot);
  });
  return busy;
}

bool Driver::is_idle() const { return state_->entries.timeline().is_idle(); }
bool Driver::hangs() const {
  bool hangs = false;
  state_->entries.timeline().each_pending([&hangs](const WorkItem& item) { hangs |= item.due == Timeline::kNever; });
  return hangs;
}

gpu::DeviceClock Driver::clock() {
  return {&state_->entries.timeline(), [](void* self) { return static_cast<Timeline*>(self)->now(); },
          [](void* self, std::uint64_t nanoseconds) { static_cast<Timeline*>(self)->pass(nanoseconds); }};
}

std::uint64_t Driver::now_nanoseconds() const { return state_->entries.timeline().now(); }

}  // namespace taintgraph::sim
