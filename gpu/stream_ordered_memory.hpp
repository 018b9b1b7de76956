// Device memory reserved and given back in the order of a stream of its own (cuMemAllocAsync, cuMemFreeAsync).
//
// A reservation does not wait for the device and is good from a point of that stream on: every other stream is made to
// wait for that point, by an event, before its next work (order()). Memory that is given back serves the next
// reservation of its size without anybody having waited.
//
// Such memory belongs to the device, not to the context: close() gives back what is left, or it would be lost to the
// process. Where an event fails, the host waits instead.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/device.hpp"
#include "gpu/driver_api.hpp"
#include "gpu/stream.hpp"

namespace taintgraph::gpu {

class StreamOrderedMemory {
 public:
  // `streams`: how many there are to keep in order.
  StreamOrderedMemory(const DriverApi& driver, const StreamWaiter& waiter, std::uint32_t streams)
      : driver_(driver), waiter_(waiter), seen_(streams) {}
  StreamOrderedMemory(const StreamOrderedMemory&) = delete;
  StreamOrderedMemory& operator=(const StreamOrderedMemory&) = delete;

  // Requires: closed. On an error some parts may exist; close() gives them back.
  [[nodiscard]] core::DeviceResult<void> open();

  // Gives all memory back, then everything else; errors are appended. `idle`: no work of any stream uses the memory any
  // more. If some may, it is left as it is, and is lost to the process.
  void close(bool idle, std::vector<core::Error>& errors);

  // Forgets everything; the context is about to go, and what was reserved is lost to the process.
  void abandon();

  // As the functions of core::Device.
  [[nodiscard]] core::DeviceResult<core::DeviceAddress> reserve(std::uint64_t size_bytes);
  [[nodiscard]] core::DeviceResult<void> give_back(core::DeviceAddress address);
  [[nodiscard]] core::DeviceResult<void> settle();

  // Makes the next work of `stream`, the one at `index`, come after every reservation so far. One comparison if it does
  // already. Requires: the stream does not capture.
  [[nodiscard]] core::DeviceResult<void> order(core::StreamIndex index, const Stream& stream);

 private:
  [[nodiscard]] core::DeviceResult<void> free(CUdeviceptr address);
  [[nodiscard]] core::DeviceResult<void> publish();
  [[nodiscard]] core::DeviceResult<void> synchronize();
  [[nodiscard]] core::DeviceResult<void> instead_of(core::DeviceResult<void> failed);

  const DriverApi& driver_;
  const StreamWaiter& waiter_;
  CUstream stream_ = nullptr;
  CUevent reserved_ = nullptr;       // stands behind the last reservation
  std::uint64_t reservations_ = 0;   // that the event stands behind
  std::vector<std::uint64_t> seen_;  // by stream: the reservations that its next work comes after
  std::vector<CUdeviceptr> live_;
  bool frees_pending_ = false;  // memory was given back since the last wait
};

}  // namespace taintgraph::gpu
