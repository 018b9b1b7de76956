// Submits launches: packs what a launch declares into kernel parameters, sizes the grid, tells the observer.
//
// Knows no kernel's meaning. Its buffers keep their capacity, so a launch allocates nothing on the heap once one of its
// size has gone before.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/device.hpp"
#include "gpu/captures.hpp"
#include "gpu/driver_api.hpp"
#include "gpu/kernel_catalog.hpp"
#include "gpu/launch_observer.hpp"
#include "gpu/launch_packet.hpp"
#include "gpu/operand_table.hpp"
#include "gpu/stream.hpp"

namespace taintgraph::gpu {

class Launcher {
 public:
  Launcher(const DriverApi& driver, const LaunchObserver& observer, Captures& captures, std::uint32_t streams)
      : driver_(driver), observer_(observer), captures_(captures), tables_(streams) {}
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  // Requires: `stream` is the one at `index`; `function` is `kernel`, loaded; the launch fits its kernel.
  [[nodiscard]] core::DeviceResult<void> launch(core::StreamIndex index, Stream& stream, const KernelInfo& kernel,
                                                CUfunction function, const core::DeviceLaunch& launch);

  // Frees the operand table of one stream, or leaves it to the context if the stream is not known to be idle.
  void close(core::StreamIndex index, bool idle, std::vector<core::Error>& errors);

 private:
  // Fills `packed`; returns where its table is if it needs one.
  [[nodiscard]] core::DeviceResult<core::DeviceSpan> pack(core::StreamIndex index, Stream& stream,
                                                          const core::DeviceLaunch& launch, PackedOperands& packed);
  void declare(CUstream stream, const core::DeviceLaunch& launch, core::DeviceSpan table);

  const DriverApi& driver_;
  const LaunchObserver observer_;
  Captures& captures_;
  std::vector<OperandTable> tables_;      // by stream
  std::vector<PackedOperand> operands_;   // of the launch being packed, if it needs a table
  std::vector<DeclaredAccess> declared_;  // of the launch being submitted
};

}  // namespace taintgraph::gpu
