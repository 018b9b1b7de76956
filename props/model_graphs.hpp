// The reference model's graphs: work written down to be judged and run later, as often as asked (G1-G3).
//
// A launch outside a capture is the same thing, run once and at once: a list of one node.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "props/model_failures.hpp"
#include "props/model_faults.hpp"
#include "props/model_memory.hpp"

namespace taintgraph::props::reference {

struct Node {
  std::string_view kernel = {};  // static storage; a copy is a node of the kernel of that name, a host write of none
  std::vector<Range> reads = {};
  std::vector<Range> writes = {};
  std::uint64_t scalar = 0;
  Values host_bytes = {};                // of a host write
  std::optional<AsyncFault> fault = {};  // strikes each time it runs
};

using Graph = std::vector<Node>;
using Nodes = std::span<const Node>;  // of a graph, or a single one

// An open capture.
struct Window {
  struct Doom {
    Ordinal operation = 0;
    std::string_view error;
  };
  Graph recorded;
  std::optional<Doom> doomed;      // the first failure inside
  bool invalidated = false;        // by an error of capturing: the driver refuses all that follows,
  bool known_invalidated = false;  // which was news to an operation inside already
};

// Every range that the graph writes, node by node, claims or not, memory or not.
[[nodiscard]] std::vector<Range> written_by(Nodes graph);

// Every range that the graph reads, node by node.
[[nodiscard]] std::vector<Range> read_by(Nodes graph);

// Every byte that the graph writes is claimed by `failure` from now on; zero: trusted.
void claim_written(Nodes graph, Ordinal failure, Memory& memory);

// Every buffer that the graph holds, once or more: whatever it names, by an empty range too (G3).
void add_held(Nodes graph, std::vector<Ordinal>& held);

// What keeps the graph from running (W1, G2): node by node, the reads with a claimed byte that no node before has
// written, then the writes to unallocated buffers. The first decides.
[[nodiscard]] std::vector<ClaimedInput> claimed_inputs(Nodes graph, const Memory& memory);

// Computes what the nodes write, in order. Values only: claims are the caller's to release.
void run(Nodes graph, Memory& memory);

// The same for work that failed, as far as it happened all the same.
void run_partly(Nodes graph, const Strike& strike, Memory& memory);

}  // namespace taintgraph::props::reference
