// The CUDA context that the backend works in: one of its own, or the process's primary one, adopted.
//
// A context of our own may be destroyed, which takes all its memory, streams and modules along; the primary one belongs
// to every library in the process and is only given back (D2: a device that adopted one refuses reset).
#pragma once

#include <vector>

#include "core/error.hpp"
#include "gpu/driver_api.hpp"

namespace taintgraph::gpu {

class Context {
 public:
  explicit Context(const DriverApi& driver) : driver_(driver) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // Initialises the driver, finds the GPU and creates or adopts the context, current on this thread. Requires: closed.
  [[nodiscard]] core::DeviceResult<void> open(int ordinal, bool adopt_primary);

  // Destroys the context or gives it back; errors are appended. The context is gone whatever comes back.
  void close(std::vector<core::Error>& errors);

  // Makes this the thread's current context if it is not. Asks the driver each time rather than remembering: any
  // library in the process may have changed it since. Errors: invalid_context if closed, or the driver's.
  [[nodiscard]] core::DeviceResult<void> make_current();

  [[nodiscard]] bool is_open() const { return context_ != nullptr; }
  [[nodiscard]] CUdevice device() const { return device_; }

 private:
  const DriverApi& driver_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  bool adopted_ = false;
};

}  // namespace taintgraph::gpu
