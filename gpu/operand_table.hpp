// Device memory in which one stream's launches keep their operands when these are too many for the parameters.
//
// Used by one stream only, so that a table may be overwritten by the next launch: the stream keeps the order. It grows
// to a power of two and never shrinks; growing waits for the stream, since a kernel may still read the old table.
#pragma once

#include <span>
#include <vector>

#include "core/device.hpp"
#include "gpu/driver_api.hpp"
#include "gpu/launch_packet.hpp"
#include "gpu/stream.hpp"

namespace taintgraph::gpu {

class OperandTable {
 public:
  // Queues a copy of `operands` into the table. Returns where it is.
  [[nodiscard]] core::DeviceResult<core::DeviceSpan> upload(const DriverApi& driver, Stream& stream,
                                                            std::span<const PackedOperand> operands);

  // Frees the memory; errors are appended. Requires: the stream is idle.
  void close(const DriverApi& driver, std::vector<core::Error>& errors);

  // Leaves the memory to its context, when nothing proves that no kernel reads it.
  void abandon() { memory_ = {}; }

 private:
  [[nodiscard]] core::DeviceResult<void> grow(const DriverApi& driver, Stream& stream, std::uint64_t size_bytes);
  [[nodiscard]] core::DeviceResult<void> free(const DriverApi& driver);

  core::DeviceSpan memory_;
};

}  // namespace taintgraph::gpu
