// The clock by which waits on the host are bounded: a parameter of the backend, so that a simulated device is waited
// for in its own time, the same in every run. Includes nothing of ours.
#pragma once

#include <cstdint>

namespace taintgraph::gpu {

struct DeviceClock {
  void* self = nullptr;
  // Since any fixed moment; never goes back.
  std::uint64_t (*now_nanoseconds)(void* self) = nullptr;
  // Lets about so much time pass.
  void (*pause)(void* self, std::uint64_t nanoseconds) = nullptr;
};

}  // namespace taintgraph::gpu
