#include "sim/access_checker.hpp"

#include <algorithm>
#include <utility>

namespace taintgraph::sim {

void AccessChecker::start() {
  everything_ = false;
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

void AccessChecker::declare(std::span<const gpu::DeclaredAccess> accesses, std::uint64_t write_limit) {
  start();
  for (const gpu::DeclaredAccess& access : accesses) {
    Allocation* const allocation = memory_.find(access.address, access.size_bytes);
    // Memory that is gone was reported when it went; the kernel finds nothing there.
    if (allocation == nullptr) continue;
    std::byte* const bytes = memory_.bytes(*allocation, access.address, access.size_bytes);
    if (!access.writes) {
      loads_.push_back({access.address, access.size_bytes, bytes});
      continue;
    }
    const std::uint64_t effective = std::min(write_limit, access.size_bytes);
    write_limit -= effective;
    if (effective != 0) stores_.push_back({access.address, effective, bytes});
    if (effective != access.size_bytes) {
      ignored_.push_back({access.address + effective, access.size_bytes - effective, bytes + effective});
    }
  }
}

std::byte* AccessChecker::any_memory(std::uint64_t address, std::size_t size_bytes) {
  Allocation* const allocation = memory_.find(address, size_bytes);
  if (allocation == nullptr) throw KernelStop{FaultKind::illegal_address};
  return memory_.bytes(*allocation, address, size_bytes);
}

void AccessChecker::load_elsewhere(std::uint64_t address, void* to, std::size_t size_bytes) {
  std::swap(load_, load_before_);
  if (const std::uint64_t offset = address - load_.begin; offset < load_.size && size_bytes <= load_.size - offset) {
    std::memcpy(to, load_.bytes + offset, size_bytes);
    return;
  }
  for (const Window& window : loads_) {
    const std::uint64_t offset = address - window.begin;
    if (offset >= window.size || size_bytes > window.size - offset) continue;
    load_ = window;
    std::memcpy(to, window.bytes + offset, size_bytes);
    return;
  }
  if (size_bytes > 1 && !everything_) {  // across the edge of a range: byte by byte
    for (std::size_t i = 0; i < size_bytes; ++i) load_elsewhere(address + i, static_cast<std::byte*>(to) + i, 1);
    return;
  }
  std::memcpy(to, any_memory(address, size_bytes), size_bytes);
  if (!everything_ && undeclared_.loads++ == 0) undeclared_.first_load = address;
}

void AccessChecker::store_elsewhere(std::uint64_t address, const void* from, std::size_t size_bytes) {
  for (const Window& window : stores_) {
    const std::uint64_t offset = address - window.begin;
    if (offset >= window.size || size_bytes > window.size - offset) continue;
    store_ = window;
    std::memcpy(window.bytes + offset, from, size_bytes);
    return;
  }
  for (const Window& window : ignored_) {
    const std::uint64_t offset = address - window.begin;
    if (offset < window.size && size_bytes <= window.size - offset) return;
  }
  if (size_bytes > 1 && !everything_) {  // across the edge of a range: byte by byte
    for (std::size_t i = 0; i < size_bytes; ++i) {
      store_elsewhere(address + i, static_cast<const std::byte*>(from) + i, 1);
    }
    return;
  }
  std::byte* const bytes = any_memory(address, size_bytes);
  if (everything_) {
    std::memcpy(bytes, from, size_bytes);
  } else if (undeclared_.stores++ == 0) {
    undeclared_.first_store = address;
  }
}

}  // namespace taintgraph::sim
