// The generator's own source of random numbers: xoshiro256** seeded through splitmix64, with bounded draws of its own.
//
// Equal seeds give equal draws on every compiler and library, which no distribution of the standard library promises.
// Not for cryptography. A draw costs a few nanoseconds and allocates nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace taintgraph::props {

// Scrambles 64 bits so that each depends on all; a bijection. The finaliser of splitmix64.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31);
}

// The same for a pair; (a, b) and (b, a) differ.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  return mix(mix(a + 0x9E3779B97F4A7C15ULL) ^ (b + 0xD1B54A32D192ED03ULL));
}

class Random {
 public:
  // The numbers of case `case_number` under `seed`: each case is a sequence of its own, so that any can be drawn alone.
  Random(std::uint64_t seed, std::uint64_t case_number);

  // 64 uniform bits.
  std::uint64_t next() {
    const std::uint64_t result = rotate(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  // Uniform in [0, bound). Requires: bound is not 0. The bias of the multiplication is below bound / 2^64.
  std::uint64_t below(std::uint64_t bound) { return multiply_high(next(), bound); }

  // Uniform in [low, high], both included. Requires: low <= high, and not the whole of 64 bits.
  std::uint64_t between(std::uint64_t low, std::uint64_t high) { return low + below(high - low + 1); }

  // True once in `n` draws on average. Requires: n is not 0.
  bool one_in(std::uint64_t n) { return below(n) == 0; }

  // An index drawn in proportion to its weight. Requires: the weights' sum is not 0.
  std::size_t weighted(std::span<const std::uint16_t> weights);
  // The same, where their sum is known.
  std::size_t weighted(std::span<const std::uint16_t> weights, std::uint64_t sum);

  // Any element. Requires: not empty.
  template <class T>
  const T& pick(std::span<const T> values) {
    return values[static_cast<std::size_t>(below(values.size()))];
  }

 private:
  static constexpr std::uint64_t rotate(std::uint64_t value, int by) { return (value << by) | (value >> (64 - by)); }

  static std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(a) * b) >> 64);
  }

  std::array<std::uint64_t, 4> state_;
};

}  // namespace taintgraph::props
