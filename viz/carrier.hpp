// A carrier in words: which bytes of one buffer a failure claims, and by which way it came to claim them.
//
// The claimed bytes are cut by the skip record that passed the claim on to them, so that every piece has one way (R2: a
// chain is followed by byte range). Used by the text report and the page; pictures show the same with arrows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/byte_range.hpp"
#include "viz/snapshot_index.hpp"

namespace taintgraph::viz {

struct CarriedPiece {
  core::ByteRange range;
  std::vector<std::size_t> chain;  // positions of skip records, nearest first; empty: the failure's own doing
};

struct Carrier {
  std::size_t buffer = kNone;  // in Snapshot::buffers
  bool unallocated = false;    // the whole buffer, which has no memory; no pieces then
  std::vector<CarriedPiece> pieces;
  std::uint64_t more_pieces = 0;
};

// What `buffer` carries of `failure`, at most `max_pieces` pieces of it. Requires: it is one of its carriers.
[[nodiscard]] Carrier describe_carrier(const SnapshotIndex& index, std::size_t failure, std::size_t buffer,
                                       std::size_t max_pieces);

// "K3 <- K1 <- P", at most `max_hops` skips of it; the failure's name alone if nothing passed it on.
[[nodiscard]] std::string chain_text(const traces::SnapshotFailure& failure, const std::vector<std::size_t>& chain,
                                     std::size_t max_hops);

// "cuLaunchKernel: launch_out_of_resources (701)", or the error's name alone if no driver call said so.
[[nodiscard]] std::string error_text(const traces::SnapshotFailure& failure);

// "P failed", "#6: never written", "S failed, and poisons the device"
[[nodiscard]] std::string failure_heading(const traces::SnapshotFailure& failure);

}  // namespace taintgraph::viz
