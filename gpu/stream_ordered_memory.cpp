#include "gpu/stream_ordered_memory.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "gpu/error_mapping.hpp"

namespace taintgraph::gpu {
core::DeviceResult<void> StreamOrderedMemory::open() {
  CUstream stream = nullptr;
  auto created = checked(driver_, driver_.cuStreamCreate(&stream, kStreamNonBlocking), Call::cuStreamCreate);
  if (!created) return created;
  stream_ = stream;
  CUevent event = nullptr;
  created = checked(driver_, driver_.cuEventCreate(&event, kEventDisableTiming), Call::cuEventCreate);
  if (created) reserved_ = event;
  return created;
}

void StreamOrderedMemory::close(bool idle, std::vector<core::Error>& errors) {
  const std::vector<CUdeviceptr> left = std::exchange(live_, {});
  if (idle && !left.empty()) {
    for (const CUdeviceptr address : left) append_error(free(address), errors);
    append_error(synchronize(), errors);
  }
  if (const CUevent event = std::exchange(reserved_, nullptr)) {
    append_error(checked(driver_, driver_.cuEventDestroy(event), Call::cuEventDestroy), errors);
  }
  if (const CUstream stream = std::exchange(stream_, nullptr)) {
    append_error(checked(driver_, driver_.cuStreamDestroy(stream), Call::cuStreamDestroy), errors);
  }
  abandon();
}

core::DeviceResult<core::DeviceAddress> StreamOrderedMemory::reserve(std::uint64_t size_bytes) {
  live_.reserve(live_.size() + 1);  // may throw; nothing has been reserved yet
  CUdeviceptr address = 0;
  auto reserved = checked(driver_, driver_.cuMemAllocAsync(&address, static_cast<std::size_t>(size_bytes), stream_),
                          Call::cuMemAllocAsync);
  if (!reserved) return tl::unexpected(std::move(reserved.error()));
  if (auto published = publish(); !published) {
    if (auto freed = free(address); !freed) add_undo_failure(published.error(), freed.error());
    return tl::unexpected(std::move(published.error()));
  }
  live_.push_back(address);
  return static_cast<core::DeviceAddress>(address);
}

// Lets other streams come after the reservation just made.
core::DeviceResult<void> StreamOrderedMemory::publish() {
  auto recorded = checked(driver_, driver_.cuEventRecord(reserved_, stream_), Call::cuEventRecord);
  if (recorded) {
    ++reservations_;
    return recorded;
  }
  if (recorded.error().sticky) return recorded;
  return instead_of(std::move(recorded));  // it is over then, and nobody needs an event for it
}

core::DeviceResult<void> StreamOrderedMemory::give_back(core::DeviceAddress address) {
  const auto pointer = static_cast<CUdeviceptr>(address);
  const auto found = std::find(live_.begin(), live_.end(), pointer);
  TAINTGRAPH_CHECK(found != live_.end(), "give_back: memory that reserve() gave");
  live_.erase(found);
  return free(pointer);
}

core::DeviceResult<void> StreamOrderedMemory::settle() {
  return frees_pending_ ? synchronize() : core::DeviceResult<void>{};
}

core::DeviceResult<void> StreamOrderedMemory::free(CUdeviceptr address) {
  frees_pending_ = true;
  return checked(driver_, driver_.cuMemFreeAsync(address, stream_), Call::cuMemFreeAsync);
}

core::DeviceResult<void> StreamOrderedMemory::order(core::StreamIndex index, const Stream& stream) {
  std::uint64_t& seen = seen_[core::index(index)];
  if (seen == reservations_) [[likely]] {
    return {};
  }
  auto waits = checked(driver_, driver_.cuStreamWaitEvent(stream.handle(), reserved_, 0), Call::cuStreamWaitEvent);
  if (waits) {
    seen = reservations_;
    return waits;
  }
  if (waits.error().sticky) return waits;
  return instead_of(std::move(waits));
}

// A wait of the host's for what `failed` should have ordered.
core::DeviceResult<void> StreamOrderedMemory::instead_of(core::DeviceResult<void> failed) {
  auto waited = synchronize();
  return !waited && core::is_timeout(waited.error()) ? std::move(failed) : waited;
}

// The host waits, which orders everything to come.
core::DeviceResult<void> StreamOrderedMemory::synchronize() {
  auto done = waiter_.wait(stream_);
  if (!done) return done;
  std::fill(seen_.begin(), seen_.end(), reservations_);
  frees_pending_ = false;
  return done;
}

void StreamOrderedMemory::abandon() {
  stream_ = nullptr;
  reserved_ = nullptr;
  reservations_ = 0;
  seen_.assign(seen_.size(), 0);
  live_.clear();
  frees_pending_ = false;
}

}  // namespace taintgraph::gpu
