// Waits for a stream on the host, but not for ever.
//
// The driver has no wait that can be given up, so the stream is asked again and again, with pauses that grow with the
// time waited; once it says that it is done, it is synchronised, which returns at once and is the driver's last word.
// A short wait is thus late by a few microseconds, a long one by an eighth of itself at most. Giving up changes
// nothing: the work goes on. Not for a stream that captures.
#pragma once

#include <optional>

#include "core/device.hpp"
#include "gpu/device_clock.hpp"
#include "gpu/driver_api.hpp"

namespace taintgraph::gpu {

class StreamWaiter {
 public:
  // Without a `clock` the host's own steady one. `patience_nanoseconds`: how long a wait without a deadline lasts.
  StreamWaiter(const DriverApi& driver, const DeviceClock& clock, std::uint64_t patience_nanoseconds);

  // Errors: timed_out(), and whatever the driver says.
  [[nodiscard]] core::DeviceResult<void> wait(CUstream stream, core::Deadline deadline = {}) const;

  // Not more than a day from now.
  [[nodiscard]] core::Deadline deadline_in(std::optional<std::uint64_t> nanoseconds) const;

 private:
  [[nodiscard]] std::uint64_t now() const { return clock_.now_nanoseconds(clock_.self); }

  const DriverApi& driver_;
  DeviceClock clock_;
  std::uint64_t patience_nanoseconds_;
};

}  // namespace taintgraph::gpu
