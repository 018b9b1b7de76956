// Every choice the simulated device makes is a pure function of the seed, of what the choice is for, and of counters:
// no generator whose state would make one choice depend on how many came before it.
#pragma once

#include <cstdint>

namespace taintgraph::sim {

enum class Draw : std::uint64_t {
  work_duration = 1,
  host_step,
  address_gap,
  address_reuse,
  device_garbage,
  host_garbage,
  planned_fault
};

// A bijection that spreads every input bit over all 64 output bits.
[[nodiscard]] constexpr std::uint64_t spread(std::uint64_t value) {
  value ^= value >> 30U;
  value *= 0xBF58476D1CE4E5B9ULL;
  value ^= value >> 27U;
  value *= 0x94D049BB133111EBULL;
  return value ^ (value >> 31U);
}

// All choices of one purpose.
class Draws {
 public:
  constexpr Draws(std::uint64_t seed, Draw purpose)
      : base_(spread(seed + kStep * static_cast<std::uint64_t>(purpose)) + kStep) {}

  [[nodiscard]] constexpr std::uint64_t operator()(std::uint64_t first, std::uint64_t second = 0) const {
    return spread(spread(base_ + kStep * first) + kStep * (second + 1));
  }

 private:
  static constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15ULL;
  std::uint64_t base_;
};

[[nodiscard]] constexpr std::uint64_t draw(std::uint64_t seed, Draw purpose, std::uint64_t first,
                                           std::uint64_t second = 0) {
  return Draws(seed, purpose)(first, second);
}

}  // namespace taintgraph::sim
