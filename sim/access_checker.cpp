#include "sim/access_checker.hpp"

#include <algorithm>
#include <utility>

namespace taintgraph::sim {

void AccessChecker::start() {
  everything_ = false;
  has_effect_ = true;
  load_ = {};
  load_before_ = {};
  store_ = {};
  loads_.clear();
  stores_.clear();
  ignored_.clear();
  undeclared_ = {};
}

void AccessChecker::declare_everything() {
  start();
  everything_ = true;
}

void AccessChecker::declare_without_effect() {
  declare_everything();
  has_effect_ = false;
}

void AccessChecker::declare(std::span<const gpu::DeclaredAccess> accesses, std::uint64_t write_limit) {
  start();
  for (const gpu::DeclaredAccess& access : accesses) {
    Allocation* const allocation = memory_.find(access.address, access.size_bytes);
    // Memory that is gone was reported when it went; the kernel finds nothing there.
    if (allocation == nullptr) continue;
    std::byte* const bytes = memory_.bytes(*allocation, access.address, access.size_bytes);
    if (!access.writes) {
      loads_.add({access.address, access.size_bytes, bytes});
      continue;
    }
    const std::uint64_t effective = std::min(write_limit, access.size_bytes);
    write_limit -= effective;
    if (effective != 0) stores_.add({access.address, effective, bytes});
    if (effective != access.size_bytes) {
      ignored_.add({access.address + effective, access.size_bytes - effective, bytes + effective});
    }
  }
}

AccessChecker::Window AccessChecker::any_memory(std::uint64_t address, std::size_t size_bytes) {
  constexpr std::uint64_t kLookAhead = 256;
  Allocation* const allocation = memory_.find(address, size_bytes);
  if (allocation == nullptr) throw KernelStop{FaultKind::illegal_address};
  const std::uint64_t size = std::min(allocation->end() - address, std::max<std::uint64_t>(size_bytes, kLookAhead));
  return {address, size, memory_.bytes(*allocation, address, size)};
}

const AccessChecker::Window* AccessChecker::Windows::find(std::uint64_t address, std::size_t size_bytes) {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (next_ == all_.size()) next_ = 0;
    const Window& window = all_[next_++];
    if (window.holds(address, size_bytes)) return &window;
  }
  return nullptr;
}

void AccessChecker::load_elsewhere(std::uint64_t address, void* to, std::size_t size_bytes) {
  std::swap(load_, load_before_);
  if (!load_.holds(address, size_bytes)) {
    if (const Window* const found = loads_.find(address, size_bytes)) load_ = *found;
  }
  if (load_.holds(address, size_bytes)) {
    std::memcpy(to, load_.at(address), size_bytes);
    return;
  }
  if (size_bytes > 1 && !everything_) {  // across the edge of a range: byte by byte
    for (std::size_t i = 0; i < size_bytes; ++i) load_elsewhere(address + i, static_cast<std::byte*>(to) + i, 1);
    return;
  }
  const Window found = any_memory(address, size_bytes);
  std::memcpy(to, found.bytes, size_bytes);
  if (everything_) {
    load_ = found;
  } else if (undeclared_.loads++ == 0) {
    undeclared_.first_load = address;
  }
}

void AccessChecker::store_elsewhere(std::uint64_t address, const void* from, std::size_t size_bytes) {
  if (const Window* const found = stores_.find(address, size_bytes)) {
    store_ = *found;
    std::memcpy(store_.at(address), from, size_bytes);
    return;
  }
  if (ignored_.find(address, size_bytes) != nullptr) return;
  if (size_bytes > 1 && !everything_) {  // across the edge of a range: byte by byte
    for (std::size_t i = 0; i < size_bytes; ++i) {
      store_elsewhere(address + i, static_cast<const std::byte*>(from) + i, 1);
    }
    return;
  }
  const Window found = any_memory(address, size_bytes);
  if (everything_) {
    if (has_effect_) std::memcpy(found.bytes, from, size_bytes);
  } else if (undeclared_.stores++ == 0) {
    undeclared_.first_store = address;
  }
}

}  // namespace taintgraph::sim
