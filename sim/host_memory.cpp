#include "sim/host_memory.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

#include "sim/garbage.hpp"

namespace taintgraph::sim {

// Bytes that nobody wrote are to be noticed, and a large staging area is to cost little: one pattern over and
// over, of a length that no offset into a staging area is likely to be a multiple of.
void HostMemory::fill_with_garbage(HostAllocation& allocation) const {
  constexpr std::uint64_t kPattern = 251;
  std::byte* const bytes = allocation.bytes.get();
  std::uint64_t filled = std::min(kPattern, allocation.size_bytes);
  sim::fill_with_garbage({bytes, filled}, seed_, Draw::host_garbage, allocation.serial, 0);
  while (filled < allocation.size_bytes) {
    const std::uint64_t copied = std::min(filled, allocation.size_bytes - filled);
    std::memcpy(bytes + filled, bytes, copied);
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
  return *allocations_.emplace_back(std::move(allocation));
}

void HostMemory::release(HostAllocation& allocation) {
  std::erase_if(allocations_, [&allocation](const auto& each) { return each.get() == &allocation; });
}

void HostMemory::release_all_of(std::uint64_t context) {
  std::erase_if(allocations_, [context](const auto& each) { return each->context == context; });
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
