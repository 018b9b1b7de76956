#include "sim/host_memory.hpp"

#include <algorithm>
#include <functional>

#include "sim/garbage.hpp"

namespace taintgraph::sim {

HostAllocation& HostMemory::allocate(std::uint64_t size_bytes, std::uint64_t context, bool lost) {
  auto allocation = std::make_unique<HostAllocation>();
  allocation->bytes = std::unique_ptr<std::byte[]>(new std::byte[size_bytes]);
  allocation->size_bytes = size_bytes;
  allocation->serial = ++serial_;
  allocation->context = context;
  allocation->lost = lost;
  // Part of a large staging area is enough to notice bytes that nobody wrote.
  constexpr std::uint64_t kFilled = 4096;
  fill_with_garbage({allocation->bytes.get(), std::min(kFilled, size_bytes)}, seed_, Draw::host_garbage, serial_, 0);
  std::fill(allocation->bytes.get() + std::min(kFilled, size_bytes), allocation->bytes.get() + size_bytes,
            std::byte{0xA5});
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
