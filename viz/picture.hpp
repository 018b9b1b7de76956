// What a picture of a Snapshot shows, and what it leaves out: nodes and their connections, before anything is said of
// shapes, colours or syntax.
//
// Three kinds of node. A FailureNode is a root; its patches are the bytes that it claims without a drawn skip having
// passed the claim on. A SkipNode is a launch that did not run; its patches are the bytes that it needed and the bytes
// that it should have written. A Bar is a buffer. A patch ties a node to the bar that holds its bytes.
//
// A picture is bounded: it has at most max_nodes nodes, each connected part at most kMaxArrowsOfPart arrows, every node
// a bounded number of patches and cells. What does not fit is left out step by step (older skips and further carriers
// first, then all but the failures, then further failures) and counted where it is missed. Cost: linear in the
// snapshot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "viz/bar.hpp"
#include "viz/snapshot_index.hpp"

namespace taintgraph::viz {

// Layout takes about 0.3 ms a node, and within one connected part a time that grows much faster than its arrows: beyond
// this many, both the wait and the tangle are more than anybody wants.
inline constexpr std::size_t kMaxNodes = 1'500;
inline constexpr std::size_t kMaxArrowsOfPart = 400;

struct Patch {
  std::string buffer;
  core::ByteRange range;  // the first one, of several
  std::uint64_t more_ranges = 0;
  std::size_t failure = kNone;
  bool unallocated = false;        // the buffer has no memory: the range says nothing
  std::size_t bar = kNone;         // in Picture::bars; kNone if the buffer is not drawn
  std::vector<std::size_t> cells;  // of the bar, where the failure still claims these bytes; empty if nowhere
};

struct FailureNode {
  std::size_t failure = kNone;  // in Snapshot::failures
  std::vector<Patch> claims;
  std::uint64_t more_carriers = 0;  // carried by further allocations, not drawn for it
  std::uint64_t more_skips = 0;     // kept records that are not drawn
};

struct SkipNode {
  std::size_t failure = kNone;
  std::size_t skip = kNone;  // in SnapshotFailure::skips
  std::vector<Patch> inputs;
  std::vector<Patch> outputs;
  std::uint64_t more_inputs = 0;
  std::uint64_t more_outputs = 0;
};

struct Picture {
  std::vector<FailureNode> failures;
  std::vector<SkipNode> skips;
  std::vector<Bar> bars;
  std::uint64_t more_failures = 0;

  [[nodiscard]] std::size_t nodes() const {
    return failures.size() + skips.size() + bars.size() + (more_failures > 0 ? 1 : 0);
  }
  // Whether anything of the failures asked for is only counted, not drawn.
  [[nodiscard]] bool partial() const;
};

struct PictureOptions {
  std::size_t max_nodes = kMaxNodes;  // at least 2
  std::optional<std::string> focus;   // only the failures that touch a buffer of this name
};

[[nodiscard]] Picture make_picture(const SnapshotIndex& index, const PictureOptions& options);

}  // namespace taintgraph::viz
