#include "props/random.hpp"

#include <numeric>

namespace taintgraph::props {

Random::Random(std::uint64_t seed, std::uint64_t case_number) : state_() {
  std::uint64_t walk = mix(seed, case_number);
  for (std::uint64_t& word : state_) {
    walk += 0x9E3779B97F4A7C15ULL;
    word = mix(walk);  // four zeros, xoshiro's one bad state, would need four equal preimages of a bijection
  }
}

std::size_t Random::weighted(std::span<const std::uint16_t> weights) {
  return weighted(weights, std::accumulate(weights.begin(), weights.end(), std::uint64_t{0}));
}

std::size_t Random::weighted(std::span<const std::uint16_t> weights, std::uint64_t sum) {
  std::uint64_t left = below(sum);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (left < weights[i]) return i;
    left -= weights[i];
  }
  return weights.size() - 1;
}

}  // namespace taintgraph::props
