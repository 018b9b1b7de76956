// A running 64-bit hash of what a program was seen to do: equal on every compiler, optimisation level and byte order.
#pragma once

#include <cstdint>
#include <span>

namespace taintgraph::traces {

class Fingerprint {
 public:
  void add(std::uint64_t value) {
    // splitmix64's finisher over a running sum: every bit of every value, and its place, counts.
    state_ = (state_ ^ value) + 0x9E3779B97F4A7C15ULL;
    state_ = (state_ ^ (state_ >> 30)) * 0xBF58476D1CE4E5B9ULL;
    state_ = (state_ ^ (state_ >> 27)) * 0x94D049BB133111EBULL;
    state_ ^= state_ >> 31;
  }
  void add(std::span<const std::uint64_t> values) {
    add(values.size());
    for (const std::uint64_t value : values) add(value);
  }
  void add(std::span<const std::uint8_t> bytes) {
    add(bytes.size());
    std::uint64_t word = 0;
    std::size_t filled = 0;
    for (const std::uint8_t byte : bytes) {
      word = (word << 8) | byte;
      if (++filled < 8) continue;
      add(word);
      word = filled = 0;
    }
    if (filled > 0) add(word);
  }

  [[nodiscard]] std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0;
};

}  // namespace taintgraph::traces
