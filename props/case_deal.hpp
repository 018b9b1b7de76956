// Which cases a run deals with: all of a range, or one shard's share of it.
//
// Shard I of N takes the cases that leave I - 1 when divided by N. Shards 1 to N together take every case once,
// whatever the range and also if it has no end, and neighbouring cases, which are alike in nothing, go to different
// machines.
#pragma once

#include <cstdint>
#include <optional>

namespace taintgraph::props {

struct Shard {
  std::uint64_t index = 1;  // from 1
  std::uint64_t count = 1;

  friend bool operator==(const Shard&, const Shard&) = default;
};

// Far enough below 64 bits that no arithmetic on the numbers of cases overflows.
inline constexpr std::uint64_t kMaxCase = std::uint64_t{1} << 62;
inline constexpr std::uint64_t kMaxShards = 1'000'000;

class CaseDeal {
 public:
  // Cases [first, end), or from `first` on. Requires: 1 <= index <= count <= kMaxShards, no case beyond kMaxCase.
  CaseDeal(std::uint64_t first, std::optional<std::uint64_t> end, const Shard& shard) : stride_(shard.count) {
    const std::uint64_t wanted = shard.index - 1;
    first_ = first + (wanted + stride_ - first % stride_) % stride_;
    if (!end) return;
    size_ = *end > first_ ? (*end - first_ - 1) / stride_ + 1 : 0;
  }

  // How many there are; without an end, more than can ever be run.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  // The number of the case at `position`, counted from 0.
  [[nodiscard]] std::uint64_t number(std::uint64_t position) const { return first_ + position * stride_; }
  // The other way round. Requires: the case is one of them.
  [[nodiscard]] std::uint64_t position(std::uint64_t case_number) const { return (case_number - first_) / stride_; }

 private:
  std::uint64_t first_ = 0;
  std::uint64_t stride_;
  std::uint64_t size_ = std::uint64_t{1} << 62;
};

}  // namespace taintgraph::props
