// A hook by which the backend tells a tool what the next driver call declares to touch: a driver sees pointers in
// kernel parameters, never the byte ranges that the program declared. The simulator checks every access against them.
//
// Optional: a backend without an observer works the same. Includes nothing of ours but the driver table.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/driver_api.hpp"

namespace taintgraph::gpu {

struct DeclaredAccess {
  CUdeviceptr address = 0;
  std::uint64_t size_bytes = 0;
  bool writes = false;
};

struct LaunchObserver {
  void* self = nullptr;
  // Called right before the cuLaunchKernel it is about, on the same thread. `accesses` lives until the call returns:
  // the declared reads first, then the table of the operands if they are too many for parameters, which is read, then
  // the writes, in argument order; empty ranges are left out.
  void (*declare)(void* self, CUstream stream, const DeclaredAccess* accesses, std::size_t count) = nullptr;
};

}  // namespace taintgraph::gpu
