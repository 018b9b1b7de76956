// How large the things got that a run met: chains, the failure graph.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "traces/session.hpp"

namespace taintgraph::props {

struct RunShape {
  // A failure keeps 16 skip records, so no chain has more hops.
  static constexpr std::size_t kMostHops = 16;

  std::array<std::uint64_t, kMostHops + 1> chain_depths{};  // reads of claimed bytes, by hops to the first root
  std::uint64_t largest_graph = 0;                          // failures at a time
  std::uint64_t most_tags = 0;                              // at a time
  std::uint64_t most_fragments = 0;                         // claimed ranges of one buffer, at a time

  void observe(const traces::StepResult& result) {
    largest_graph = std::max(largest_graph, result.failures);
    most_tags = std::max(most_tags, result.tags);
    most_fragments = std::max(most_fragments, result.fragments);
    if (result.outcome == traces::Outcome::unwritten) ++chain_depths[std::min(result.via.size(), kMostHops)];
  }

  void add(const RunShape& other) {
    for (std::size_t i = 0; i < chain_depths.size(); ++i) chain_depths[i] += other.chain_depths[i];
    largest_graph = std::max(largest_graph, other.largest_graph);
    most_tags = std::max(most_tags, other.most_tags);
    most_fragments = std::max(most_fragments, other.most_fragments);
  }
};

}  // namespace taintgraph::props
