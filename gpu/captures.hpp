// Open capture windows and the graphs made of them (G1-G3).
//
// Windows are relaxed: while one is open, other work of this device and of its process goes on. No event enters a
// window (the core orders everything around it), and what a recorded launch needs besides the program's memory, its
// operand table, belongs to the window and then to its graph: a replay must find it as it was.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/device.hpp"
#include "gpu/driver_api.hpp"
#include "gpu/launch_packet.hpp"
#include "gpu/stream_waiter.hpp"

namespace taintgraph::gpu {

class Captures {
 public:
  Captures(const DriverApi& driver, const StreamWaiter& waiter, std::uint32_t streams)
      : driver_(driver), waiter_(waiter), windows_(streams) {
    unsure_.reserve(streams);
  }
  Captures(const Captures&) = delete;
  Captures& operator=(const Captures&) = delete;

  [[nodiscard]] bool open(core::StreamIndex stream) const { return windows_[core::index(stream)].open; }

  // As the functions of core::Device. Requires of begin: the stream is not unsure.
  [[nodiscard]] core::DeviceResult<void> begin(core::StreamIndex stream, CUstream handle);
  [[nodiscard]] core::DeviceResult<core::DeviceGraphId> end(core::StreamIndex stream, CUstream handle);
  [[nodiscard]] core::DeviceResult<void> abandon(core::StreamIndex stream, CUstream handle);
  [[nodiscard]] core::DeviceResult<void> replay(core::StreamIndex stream, CUstream handle, core::DeviceGraphId graph);
  [[nodiscard]] core::DeviceResult<void> drop(core::DeviceGraphId graph);

  // Streams whose window failed to open and that may be in it all the same: asking failed, too. Whoever finds one here
  // makes sure before it does anything on a stream, or that would go into a window that nobody ends.
  [[nodiscard]] const std::vector<core::StreamIndex>& unsure() const { return unsure_; }
  [[nodiscard]] bool is_unsure(core::StreamIndex stream) const {
    return std::find(unsure_.begin(), unsure_.end(), stream) != unsure_.end();
  }
  // Asks once more, and ends the window if there is one. Errors: of asking, after which it stays unsure, but that a
  // dead context leaves the window open; of ending it.
  [[nodiscard]] core::DeviceResult<void> make_sure(core::StreamIndex stream, CUstream handle);

  // What a call that records work on `stream` comes to. A capture that an error has invalidated refuses all that
  // follows until it ends; the error was news, these refusals are not, and count as recorded. Other results pass.
  [[nodiscard]] core::DeviceResult<void> recorded(core::StreamIndex stream, core::DeviceResult<void> result);

  // Puts the operands of a launch to be recorded into device memory of the window's own. Waits until they are there.
  // Requires: the window is open.
  [[nodiscard]] core::DeviceResult<core::DeviceSpan> keep_operands(core::StreamIndex stream,
                                                                   std::span<const PackedOperand> operands);

  // Ends every window; errors are appended. Streams may stay unsure.
  void close_windows(std::span<const CUstream> handles, std::vector<core::Error>& errors);
  // Forgets every window and graph, and what is unsure; their context is about to go.
  void abandon_all() {
    for (Window& each : windows_) each = {};
    unsure_.clear();
    graphs_.clear();
  }
  // Destroys every graph; errors are appended. `idle`: nothing that a graph submitted can still run; else what they use
  // is left to their context.
  void close_graphs(bool idle, std::vector<core::Error>& errors);

 private:
  struct Window {
    bool open = false;
    bool invalidated = false;  // and the caller knows
    std::vector<CUdeviceptr> tables;
  };
  struct Graph {
    CUgraphExec exec = nullptr;
    std::vector<CUdeviceptr> tables;
    CUstream last_replay = nullptr;  // the stream it went to; none if it was never replayed
    core::StreamIndex last_stream{};
  };
  [[nodiscard]] core::DeviceResult<void> destroy(const Graph& graph);
  // `idle`: set to whether `to` is no longer written, which after an error it may be.
  [[nodiscard]] core::DeviceResult<void> upload(CUdeviceptr to, std::span<const std::byte> bytes, bool& idle);
  [[nodiscard]] core::DeviceResult<void> free(const std::vector<CUdeviceptr>& tables);

  const DriverApi& driver_;
  const StreamWaiter& waiter_;
  std::vector<Window> windows_;            // by stream
  std::vector<core::StreamIndex> unsure_;  // with room for all
  std::map<core::DeviceGraphId, Graph> graphs_;
  std::uint64_t made_ = 0;
};

}  // namespace taintgraph::gpu
