// Recorded work: what a capture has seen so far, and the graph that it becomes (G1-G3).
//
// Both keep what each node declares, since a replay is judged by its bytes, and hold the buffers named, so that their
// memory stays. Neither owns: holding is counted on the buffer (Buffer::holds), and a buffer that is held but has no
// owner can no longer be named by the program.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/binding.hpp"
#include "core/device.hpp"
#include "core/error.hpp"
#include "core/usage.hpp"

namespace taintgraph::core {

// One recorded launch or copy.
struct RecordedNode {
  std::vector<WeakBinding> reads;
  std::vector<WeakBinding> writes;
};

// A failure inside a capture window: the first one dooms it (G1).
struct Doom {
  Error error;
  Correlation correlation{};
};

// An open capture window of one stream.
struct Recording {
  std::vector<RecordedNode> nodes;
  std::optional<Doom> doom;
};

struct Graph {
  DeviceGraphId device_graph = DeviceGraphId::none;
  std::vector<RecordedNode> nodes;
  Mark last_replay;  // a graph runs once at a time
};

}  // namespace taintgraph::core
