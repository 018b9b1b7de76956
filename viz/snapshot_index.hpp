// Look-ups in one Snapshot: failures by id, buffers by serial, and who carries what.
//
// Holds positions only and refers to the snapshot, which must outlive it. Trusts nothing in it: an id that names no
// failure, or a serial that names no live buffer, is answered with kNone.
// Cost: one pass over all claims to build; look-ups in constant time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "traces/snapshot.hpp"

namespace taintgraph::viz {

inline constexpr std::size_t kNone = static_cast<std::size_t>(-1);

class SnapshotIndex {
 public:
  explicit SnapshotIndex(const traces::Snapshot& snapshot);

  [[nodiscard]] const traces::Snapshot& snapshot() const { return snapshot_; }

  // Position in snapshot.failures, kNone if there is none.
  [[nodiscard]] std::size_t failure(std::uint64_t id) const;
  // Position in snapshot.buffers of the live buffer that this range names; kNone if it was freed since.
  [[nodiscard]] std::size_t buffer(const traces::SnapshotRange& range) const;
  // Positions of the buffers that carry a failure, in order, each once.
  [[nodiscard]] const std::vector<std::size_t>& carriers(std::size_t failure) const { return carriers_[failure]; }

  // Positions of the live buffers that carry no failure, counted.
  [[nodiscard]] std::size_t trusted_buffers() const { return trusted_buffers_; }

  // The failures that `focus` asks for, in order: those that claim bytes of a buffer of this name, are the reason why
  // it is unallocated, or have a skip record that names it. All, if there is no focus.
  [[nodiscard]] std::vector<std::size_t> failures_in_focus(const std::optional<std::string>& focus) const;

 private:
  void carry(std::uint64_t id, std::size_t buffer);

  const traces::Snapshot& snapshot_;
  std::unordered_map<std::uint64_t, std::size_t> failures_;
  std::unordered_map<std::uint64_t, std::size_t> buffers_;
  std::vector<std::vector<std::size_t>> carriers_;
  std::size_t trusted_buffers_ = 0;
};

// The way by which `failure` came to claim bytes of `range` (R2): positions of skip records, nearest first. Each is the
// newest record, older than the one before, that should have produced bytes of the range in question; the next range
// is the first input that it needed. Empty if the failure claims the range itself, or if the record was dropped.
[[nodiscard]] std::vector<std::size_t> chain(const traces::SnapshotFailure& failure, traces::SnapshotRange range);

}  // namespace taintgraph::viz
