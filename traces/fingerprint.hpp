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
    for (; bytes.size() >= 8; bytes = bytes.subspan(8)) add(word_of(bytes.first<8>()));
    std::uint64_t word = 0;
    for (const std::uint8_t byte : bytes) word = (word << 8) | byte;
    if (!bytes.empty()) add(word);
  }

  [[nodiscard]] std::uint64_t value() const { return state_; }

 private:
  // The first byte counts most, whatever the machine's own order; written out, since compilers know this as one load.
  [[nodiscard]] static std::uint64_t word_of(std::span<const std::uint8_t, 8> bytes) {
    const auto at = [&](std::size_t i) { return std::uint64_t{bytes[i]} << (56 - 8 * i); };
    return at(0) | at(1) | at(2) | at(3) | at(4) | at(5) | at(6) | at(7);
  }

  std::uint64_t state_ = 0;
};

}  // namespace taintgraph::traces
