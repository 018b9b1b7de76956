// Fences: events that mark a point of a stream's work, for the host to ask about. Dropped ones are used again.
//
// A FenceId holds an index and a generation; close() begins a new generation, so that ids kept across it are known to
// be of the past: what they marked is over.
#pragma once

#include <cstdint>
#include <vector>

#include "core/device.hpp"
#include "gpu/driver_api.hpp"

namespace taintgraph::gpu {

class FencePool {
 public:
  explicit FencePool(const DriverApi& driver) : driver_(driver) {}
  FencePool(const FencePool&) = delete;
  FencePool& operator=(const FencePool&) = delete;

  [[nodiscard]] core::DeviceResult<core::FenceId> record(CUstream stream);
  [[nodiscard]] core::DeviceResult<bool> reached(core::FenceId fence) const;
  void drop(core::FenceId fence);

  // Forgets all events; their context is about to go.
  void abandon_all();
  // Destroys all events; errors are appended.
  void close(std::vector<core::Error>& errors);

 private:
  void make_room();
  [[nodiscard]] bool is_current(core::FenceId fence) const;

  const DriverApi& driver_;
  std::vector<CUevent> events_;
  std::vector<std::uint32_t> free_;  // indices of events that mark nothing
  std::uint32_t generation_ = 1;
};

}  // namespace taintgraph::gpu
