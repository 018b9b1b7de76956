#include "gpu/fence_pool.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "gpu/error_mapping.hpp"

namespace taintgraph::gpu {
namespace {

std::uint32_t index_of(core::FenceId fence) { return static_cast<std::uint32_t>(fence); }

}  // namespace

core::DeviceResult<core::FenceId> FencePool::record(CUstream stream) {
  if (free_.empty()) {
    make_room();
    CUevent event = nullptr;
    auto created = checked(driver_, driver_.cuEventCreate(&event, kEventDisableTiming), Call::cuEventCreate);
    if (!created) return tl::unexpected(std::move(created.error()));
    events_.push_back(event);
    free_.push_back(static_cast<std::uint32_t>(events_.size() - 1));
  }
  const std::uint32_t index = free_.back();
  // An event whose recording failed stays free: recording it again replaces whatever reached the stream.
  auto recorded = checked(driver_, driver_.cuEventRecord(events_[index], stream), Call::cuEventRecord);
  if (!recorded) return tl::unexpected(std::move(recorded.error()));
  free_.pop_back();
  return static_cast<core::FenceId>((std::uint64_t{generation_} << 32) | index);
}

// For one more event, and for all of them to be free, so that neither keeping one nor dropping a fence can throw.
void FencePool::make_room() {
  constexpr std::size_t kFirst = 16;
  if (events_.size() < events_.capacity() && events_.size() < free_.capacity()) return;
  const std::size_t room = std::max(kFirst, 2 * events_.size());
  events_.reserve(room);
  free_.reserve(room);
}

core::DeviceResult<bool> FencePool::reached(core::FenceId fence) const {
  if (!is_current(fence)) return true;
  const CUresult code = driver_.cuEventQuery(events_[index_of(fence)]);
  if (code == CUDA_ERROR_NOT_READY) return false;
  if (auto asked = checked(driver_, code, Call::cuEventQuery); !asked) return tl::unexpected(std::move(asked.error()));
  return true;
}

void FencePool::drop(core::FenceId fence) {
  if (is_current(fence)) free_.push_back(index_of(fence));
}

void FencePool::close(std::vector<core::Error>& errors) {
  for (const CUevent event : std::exchange(events_, {})) {
    append_error(checked(driver_, driver_.cuEventDestroy(event), Call::cuEventDestroy), errors);
  }
  abandon_all();
}

void FencePool::abandon_all() {
  events_.clear();
  free_.clear();
  ++generation_;
}

bool FencePool::is_current(core::FenceId fence) const {
  if (static_cast<std::uint64_t>(fence) >> 32 != generation_) return false;
  TAINTGRAPH_CHECK(index_of(fence) < events_.size(), "a fence comes from fence()");
  return true;
}

}  // namespace taintgraph::gpu
