#include "sim/host_memory.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

#include "sim/garbage.hpp"

namespace taintgraph::sim {

HostMemory::HostMemory(std::uint64_t seed) { sim::fill_with_garbage(pattern_, seed, Draw::host_garbage, 0, 0); }

// Bytes that nobody wrote are to be noticed, and a large staging area is to cost little: one pattern over and
// over, which each allocation begins elsewhere.
void HostMemory::fill_with_garbage(HostAllocation& allocation) const {
  std::byte* const bytes = allocation.bytes.get();
  const std::size_t begin = static_cast<std::size_t>(allocation.serial % pattern_.size());
  std::uint64_t filled = std::min<std::uint64_t>(pattern_.size() - begin, allocation.size_bytes);
  std::memcpy(bytes, pattern_.data() + begin, filled);
  while (filled < allocation.size_bytes) {
    const std::uint64_t copied = std::min<std::uint64_t>(pattern_.size(), allocation.size_bytes - filled);
    std::memcpy(bytes + filled, pattern_.data(), copied);
    filled += copied;
  }
}

HostAllocation& HostMemory::allocate(std::uint64_t size_bytes, std::uint64_t context, bool lost) {
  auto allocation = std::make_unique<HostAllocation>();
  allocation->bytes = std::unique_ptr<std::byte[]>(new std::byte[size_bytes]);
  allocation->size_bytes = size_bytes;
  allocation->serial = ++serial_;
  allocation->context = context;
  allocation->lost = lost;
  fill_with_garbage(*allocation);
  HostAllocation& made = *allocations_.emplace_back(std::move(allocation));
  if (!lost) ++live_;
  return made;
}

void HostMemory::release(HostAllocation& allocation) {
  if (!allocation.lost) --live_;
  allocations_.erase(std::find_if(allocations_.begin(), allocations_.end(),
                                  [&allocation](const auto& each) { return each.get() == &allocation; }));
}

void HostMemory::release_all_of(std::uint64_t context) {
  std::erase_if(allocations_, [this, context](const auto& each) {
    if (each->context != context) return false;
    if (!each->lost) --live_;
    return true;
  });
}

HostAllocation* HostMemory::find(const void* memory, std::uint64_t size_bytes) {
  const auto* const first = static_cast<const std::byte*>(memory);
  for (const auto& allocation : allocations_) {
    const std::byte* const begin = allocation->bytes.get();
    // std::less orders pointers to different objects, too.
    if (std::less<>{}(first, begin) || !std::less<>{}(first, begin + allocation->size_bytes)) continue;
    return size_bytes <= allocation->size_bytes - allocation->offset_of(memory) ? allocation.get() : nullptr;
  }
  return nullptr;
}

}  // namespace taintgraph::sim
