#include "sim/device_memory.hpp"

#include <algorithm>

#include "sim/garbage.hpp"

namespace taintgraph::sim {
namespace {

constexpr std::uint64_t kFirstAddress = 0x7'0000'0000;  // far from null and from anything small
constexpr std::uint64_t kChunk = 512;                   // garbage is made in pieces of this size
constexpr std::size_t kHoles = 16;                      // freed addresses remembered for reuse
constexpr std::uint64_t kWidestGap = 16;                // in units of alignment

}  // namespace

DeviceMemory::DeviceMemory(std::uint64_t seed, std::uint64_t capacity_bytes, std::uint64_t alignment)
    : seed_(seed), capacity_(capacity_bytes), alignment_(std::max<std::uint64_t>(alignment, 1)), top_(kFirstAddress) {
  top_ += alignment_ - 1;
  top_ -= top_ % alignment_;
}

std::uint64_t DeviceMemory::choose_address(std::uint64_t size_bytes) {
  const std::uint64_t choice = draw(seed_, Draw::address_reuse, serial_);
  if (choice % 2 == 0) {
    std::vector<std::size_t> fitting;
    for (std::size_t i = 0; i < holes_.size(); ++i) {
      if (holes_[i].size_bytes >= size_bytes) fitting.push_back(i);
    }
    if (!fitting.empty()) {
      const std::size_t chosen = fitting[(choice >> 1U) % fitting.size()];
      const std::uint64_t address = holes_[chosen].address;
      holes_.erase(holes_.begin() + static_cast<std::ptrdiff_t>(chosen));
      return address;
    }
  }
  const std::uint64_t address = top_ + alignment_ * (1 + draw(seed_, Draw::address_gap, serial_) % kWidestGap);
  top_ = address + (size_bytes + alignment_ - 1) / alignment_ * alignment_;
  return address;
}

std::size_t DeviceMemory::first_above(std::uint64_t address) const {
  const auto found = std::upper_bound(allocations_.begin(), allocations_.end(), address,
                                      [](std::uint64_t at, const auto& each) { return at < each->address; });
  return static_cast<std::size_t>(found - allocations_.begin());
}

Allocation* DeviceMemory::allocate(std::uint64_t size_bytes, std::uint64_t context, AllocationKind kind, bool lost) {
  if (size_bytes > capacity_ - used_) return nullptr;
  ++serial_;
  auto allocation = std::make_unique<Allocation>();
  allocation->address = choose_address(size_bytes);
  allocation->size_bytes = size_bytes;
  allocation->serial = serial_;
  allocation->context = context;
  allocation->kind = kind;
  allocation->lost = lost;
  // Left uninitialised on purpose: bytes() fills what is looked at.
  allocation->bytes_ = std::unique_ptr<std::byte[]>(new std::byte[size_bytes]);  // may throw; nothing is kept then
  allocation->chunks_left_ = static_cast<std::size_t>((size_bytes + kChunk - 1) / kChunk);
  allocation->filled_.resize(allocation->chunks_left_);
  if (!lost) {
    used_ += size_bytes;
    ++live_;
  }
  const std::size_t place = first_above(allocation->address);
  return allocations_.insert(allocations_.begin() + static_cast<std::ptrdiff_t>(place), std::move(allocation))->get();
}

void DeviceMemory::release(Allocation& allocation) {
  if (!allocation.lost) {
    used_ -= allocation.size_bytes;
    --live_;
  }
  erase(allocation);
}

Allocation* DeviceMemory::allocate_after(const VectorClock& clock, std::uint64_t size_bytes, std::uint64_t context,
                                         bool lost) {
  std::vector<std::size_t> fitting;
  for (std::size_t i = 0; i < freed_.size() && !lost; ++i) {
    if (freed_[i]->size_bytes == size_bytes && freed_[i]->free.before(clock)) fitting.push_back(i);
  }
  const std::uint64_t choice = draw(seed_, Draw::address_reuse, serial_, 1);
  const bool has_room = size_bytes <= capacity_ - used_;
  if (fitting.empty() || (has_room && choice % 2 == 0)) {
    return allocate(size_bytes, context, AllocationKind::stream_ordered, lost);
  }
  const std::size_t chosen = fitting[(choice >> 1U) % fitting.size()];
  Allocation* const again = freed_[chosen];
  freed_.erase(freed_.begin() + static_cast<std::ptrdiff_t>(chosen));
  again->serial = ++serial_;
  again->context = context;
  again->free_queued = false;
  ++live_;
  return again;
}

void DeviceMemory::queue_free(Allocation& allocation, const Epoch& free) {
  allocation.free_queued = true;
  allocation.free = free;
  if (!allocation.lost) --live_;
  freed_.push_back(&allocation);
}

void DeviceMemory::settle(const VectorClock& host) {
  std::erase_if(freed_, [&](Allocation* each) {
    if (!each->free.before(host)) return false;
    if (!each->lost) used_ -= each->size_bytes;
    erase(*each);
    return true;
  });
}

void DeviceMemory::scramble(Allocation& allocation) {
  allocation.filled_.assign(allocation.filled_.size(), false);
  allocation.chunks_left_ = allocation.filled_.size();
}

void DeviceMemory::erase(Allocation& allocation) {
  if (holes_.size() == kHoles) holes_.erase(holes_.begin());
  holes_.push_back({allocation.address, allocation.size_bytes});
  last_found_ = nullptr;
  allocations_.erase(allocations_.begin() + static_cast<std::ptrdiff_t>(first_above(allocation.address)) - 1);
}

Allocation* DeviceMemory::find(std::uint64_t address) {
  if (last_found_ != nullptr && address - last_found_->address < last_found_->size_bytes) return last_found_;
  const std::size_t above = first_above(address);
  if (above == 0 || address >= allocations_[above - 1]->end()) return nullptr;
  return last_found_ = allocations_[above - 1].get();
}

Allocation* DeviceMemory::find(std::uint64_t address, std::uint64_t size_bytes) {
  Allocation* const allocation = find(address);
  if (allocation == nullptr || size_bytes > allocation->end() - address) return nullptr;
  return allocation;
}

std::byte* DeviceMemory::bytes(Allocation& allocation, std::uint64_t address, std::uint64_t size_bytes) {
  const std::uint64_t offset = address - allocation.address;
  if (allocation.chunks_left_ != 0 && size_bytes != 0) {
    for (std::uint64_t chunk = offset / kChunk; chunk <= (offset + size_bytes - 1) / kChunk; ++chunk) {
      if (allocation.filled_[chunk]) continue;
      const std::uint64_t begin = chunk * kChunk;
      const std::uint64_t size = std::min(kChunk, allocation.size_bytes - begin);
      fill_with_garbage({allocation.bytes_.get() + begin, size}, seed_, Draw::device_garbage, allocation.serial, begin);
      allocation.filled_[chunk] = true;
      --allocation.chunks_left_;
    }
  }
  return allocation.bytes_.get() + offset;
}

}  // namespace taintgraph::sim
