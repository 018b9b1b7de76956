// Which bytes a piece of work touches, on the device and in the host's page-locked memory: as declared, for a kernel.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/work.hpp"

namespace taintgraph::sim {

struct Touch {
  std::uint64_t address = 0;              // on the device
  const std::byte* host_bytes = nullptr;  // in the host's memory instead, if given
  std::uint64_t size_bytes = 0;
  bool writes = false;

  // They share a byte, and one of them writes.
  [[nodiscard]] bool conflicts_with(const Touch& other) const {
    if ((!writes && !other.writes) || size_bytes == 0 || other.size_bytes == 0) return false;
    if ((host_bytes == nullptr) != (other.host_bytes == nullptr)) return false;
    const auto begin = host_bytes ? reinterpret_cast<std::uintptr_t>(host_bytes) : address;
    const auto other_begin = other.host_bytes ? reinterpret_cast<std::uintptr_t>(other.host_bytes) : other.address;
    return begin < other_begin + other.size_bytes && other_begin < begin + size_bytes;
  }
};

// visit(const Touch&), in the order in which they are declared; what a copy reads comes first. Memory that is reserved
// or released in stream order counts as written: any use has to come after the one and before the other.
template <class Visit>
void each_touch(const Work& work, Visit&& visit) {
  switch (work.kind) {
    case WorkKind::kernel:
      for (const gpu::DeclaredAccess& access : work.declared)
        visit(Touch{access.address, nullptr, access.size_bytes, access.writes});
      break;
    case WorkKind::copy_to_device:
      if (work.host_from != nullptr) visit(Touch{0, work.host_from, work.size_bytes, false});
      visit(Touch{work.to, nullptr, work.size_bytes, true});
      break;
    case WorkKind::copy_to_host:
      visit(Touch{work.from, nullptr, work.size_bytes, false});
      visit(Touch{0, work.host_to, work.size_bytes, true});
      break;
    case WorkKind::copy_on_device:
      visit(Touch{work.from, nullptr, work.size_bytes, false});
      visit(Touch{work.to, nullptr, work.size_bytes, true});
      break;
    case WorkKind::reserve:
    case WorkKind::release:
      visit(Touch{work.to, nullptr, work.size_bytes, true});
      break;
  }
}

// Whether the order of the two can make a difference.
[[nodiscard]] inline bool conflict(const Work& a, const Work& b) {
  bool found = false;
  each_touch(a, [&](const Touch& mine) {
    each_touch(b, [&](const Touch& other) { found = found || mine.conflicts_with(other); });
  });
  return found;
}

}  // namespace taintgraph::sim
