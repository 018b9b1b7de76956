#include "gpu/staging_ring.hpp"

#include <utility>

#include "core/check.hpp"
#include "gpu/error_mapping.hpp"

namespace taintgraph::gpu {

core::DeviceResult<void> StagingRing::open(const DriverApi& driver, std::size_t size_bytes) {
  void* memory = nullptr;
  auto reserved = checked(driver, driver.cuMemAllocHost(&memory, size_bytes), Call::cuMemAllocHost);
  if (!reserved) return reserved;
  memory_ = static_cast<std::byte*>(memory);
  size_ = size_bytes;
  used_ = 0;
  return {};
}

void StagingRing::close(const DriverApi& driver, std::vector<core::Error>& errors) {
  if (memory_ == nullptr) return;
  append_error(checked(driver, driver.cuMemFreeHost(memory_), Call::cuMemFreeHost), errors);
  *this = {};
}

std::byte* StagingRing::take(std::size_t size_bytes) {
  TAINTGRAPH_DCHECK(size_bytes <= room(), "staging space is taken only where it is free");
  std::byte* taken = memory_ + used_;
  used_ += size_bytes;
  return taken;
}

}  // namespace taintgraph::gpu
