// What happened before a point of the program: for each stream the ordinal of the last piece of work that is ordered
// before it. Ordinals of a stream count from 1 and never restart, so 0 means none.
//
// Clocks are compared slot by slot: work (slot, ordinal) happened before the point if and only if clock[slot] >=
// ordinal. The first four streams need no heap.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace taintgraph::sim {

class VectorClock {
 public:
  [[nodiscard]] std::uint64_t operator[](std::uint32_t slot) const {
    if (slot < kInline) return first_[slot];
    return slot - kInline < rest_.size() ? rest_[slot - kInline] : 0;
  }

  // Slots that may be other than 0 are below this.
  [[nodiscard]] std::uint32_t slots() const { return kInline + static_cast<std::uint32_t>(rest_.size()); }

  // Makes work (slot, ordinal), and all before it on its stream, part of the past.
  void include(std::uint32_t slot, std::uint64_t ordinal) {
    if (slot >= slots()) rest_.resize(slot - kInline + 1);
    std::uint64_t& mine = slot < kInline ? first_[slot] : rest_[slot - kInline];
    mine = std::max(mine, ordinal);
  }

  // Makes the past of `other` part of this one's.
  void join(const VectorClock& other) {
    for (std::size_t i = 0; i < kInline; ++i) first_[i] = std::max(first_[i], other.first_[i]);
    if (rest_.size() < other.rest_.size()) rest_.resize(other.rest_.size());
    for (std::size_t i = 0; i < other.rest_.size(); ++i) rest_[i] = std::max(rest_[i], other.rest_[i]);
  }

 private:
  static constexpr std::uint32_t kInline = 4;
  std::array<std::uint64_t, kInline> first_{};
  std::vector<std::uint64_t> rest_;
};

}  // namespace taintgraph::sim
