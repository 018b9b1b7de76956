// A buffer as it is drawn: one bar, cut into cells, each a range of bytes that are trusted or claimed by one failure.
//
// A bar is bounded: a buffer of many fragments shows its first ones and one cell that counts the rest. It holds
// positions in the snapshot's failures, never ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/byte_range.hpp"
#include "viz/snapshot_index.hpp"

namespace taintgraph::viz {

inline constexpr std::size_t kMaxBarCells = 9;

struct BarCell {
  enum class State : std::uint8_t {
    trusted,
    claimed,
    unallocated,  // there is no memory behind the buffer
    freed,        // the buffer is gone; only a skip record remembers it
    rest,         // everything that is not drawn
  };
  State state = State::trusted;
  std::size_t failure = kNone;  // claimed, unallocated
  core::ByteRange range;
  std::uint64_t claims = 0;  // rest: how many claims it stands for
};

class Bar {
 public:
  // A live buffer, allocated or not.
  Bar(const SnapshotIndex& index, std::size_t buffer);
  // A buffer that is gone, as a skip record names it.
  explicit Bar(const traces::SnapshotRange& freed);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint64_t serial() const { return serial_; }
  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }
  [[nodiscard]] bool freed() const { return cells_.front().state == BarCell::State::freed; }
  [[nodiscard]] bool unallocated() const { return cells_.front().state == BarCell::State::unallocated; }
  // Never empty.
  [[nodiscard]] const std::vector<BarCell>& cells() const { return cells_; }

  // The cells in which `failure` claims bytes of `range`, in order, at most `max_cells` (whatever the range, for a
  // buffer that is unallocated because of it). Empty if it claims none of them any more.
  [[nodiscard]] std::vector<std::size_t> cells_claimed(std::size_t failure, core::ByteRange range,
                                                       std::size_t max_cells) const;

 private:
  struct Claim {
    std::size_t failure = kNone;
    core::ByteRange range;
  };

  std::string name_;
  std::uint64_t serial_ = 0;
  std::uint64_t size_bytes_ = 0;
  std::vector<BarCell> cells_;
  std::vector<Claim> hidden_;  // the claims behind the rest cell
};

}  // namespace taintgraph::viz
