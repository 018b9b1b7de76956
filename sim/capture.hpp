// Stream capture and the graphs that come of it.
//
// While a stream captures, what is queued on it becomes nodes of a graph and nothing runs. Other streams are pulled in
// by waiting for an event that was recorded inside, and have to be joined back before the capture ends. Nodes keep the
// order in which they were recorded, which is an order that all of them allow; a launch queues them in it, on one
// stream.
#pragma once

#include <cstdint>
#include <thread>
#include <vector>

#include "sim/driver_types.hpp"
#include "sim/vector_clock.hpp"
#include "sim/work.hpp"

namespace taintgraph::sim {

struct Capture {
  CUstreamCaptureMode mode = gpu::CU_STREAM_CAPTURE_MODE_RELAXED;
  std::uint64_t context = 0;  // serial
  std::uint32_t origin = 0;   // slot of the stream it began on
  std::thread::id thread;     // that began it
  bool invalidated = false;
  bool ended = false;
  std::vector<Work> nodes;
  VectorClock recorded;  // number of nodes of each slot
};

struct GraphObject {
  std::vector<Work> nodes;
};

struct GraphExecObject {
  std::uint64_t context = 0;  // serial
  std::vector<Work> nodes;
  // The last launch, which the next one comes after.
  VectorClock last_launch;
  std::uint64_t last_due = 0;
};

}  // namespace taintgraph::sim
