// One CUDA stream with what belongs to it alone: the event that others wait on, and staging memory for either
// direction.
//
// The stream is non-blocking, so that it owes nothing to the NULL stream. All copies are asynchronous and go through
// pinned memory. It never orders itself against another stream unless told to (W6). A warm transfer allocates nothing.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/device.hpp"
#include "gpu/driver_api.hpp"
#include "gpu/staging_ring.hpp"
#include "gpu/stream_waiter.hpp"

namespace taintgraph::gpu {

class Stream {
 public:
  // Both must outlive the stream.
  Stream(const DriverApi& driver, const StreamWaiter& waiter) : driver_(&driver), waiter_(&waiter) {}

  // Requires: closed. On an error some parts may exist; close() gives them back.
  [[nodiscard]] core::DeviceResult<void> open(std::size_t staging_bytes);

  // Gives everything back; errors are appended. `idle` says whether all work of the stream is known to be done, or dead
  // with its context; if it is not, staging memory is left to the context.
  void close(bool idle, std::vector<core::Error>& errors);

  // Forgets the driver's stream, which stays in its context; close() gives the rest back.
  void leave() { stream_ = nullptr; }

  // Forgets everything; its context is about to go.
  void abandon() { *this = Stream(*driver_, *waiter_); }

  [[nodiscard]] CUstream handle() const { return stream_; }

  // As the functions of core::Device.
  [[nodiscard]] core::DeviceResult<void> synchronize(core::Deadline deadline = {});
  [[nodiscard]] core::DeviceResult<void> write(core::DeviceAddress to, std::span<const std::byte> bytes);
  [[nodiscard]] core::DeviceResult<void> read(std::span<const core::DeviceRead> pieces);
  [[nodiscard]] core::DeviceResult<void> copy(core::DeviceSpan to, core::DeviceSpan from);
  [[nodiscard]] core::DeviceResult<void> order_after(Stream& on);

 private:
  // Where a read stands: a piece and an offset into it.
  struct ReadCursor {
    std::size_t piece = 0;
    std::size_t offset = 0;
  };
  [[nodiscard]] core::DeviceResult<void> enqueue_batch(std::span<const core::DeviceRead> pieces, ReadCursor& cursor);

  const DriverApi* driver_;
  const StreamWaiter* waiter_;
  CUstream stream_ = nullptr;
  CUevent marked_ = nullptr;  // recorded anew for each wait, which binds to what was recorded when it was called
  StagingRing to_device_;
  StagingRing to_host_;
};

}  // namespace taintgraph::gpu
