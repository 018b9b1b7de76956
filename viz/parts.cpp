#include "viz/parts.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace taintgraph::viz {
namespace {

class UnionFind {
 public:
  explicit UnionFind(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }

  std::size_t find(std::size_t node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }
  void join(std::size_t a, std::size_t b) { parent_[find(a)] = find(b); }

 private:
  std::vector<std::size_t> parent_;
};

}  // namespace

Parts count_parts(const Picture& picture) {
  // Nodes in the order bars, failures, skips.
  const std::size_t first_failure = picture.bars.size();
  const std::size_t first_skip = first_failure + picture.failures.size();
  const std::size_t nodes = first_skip + picture.skips.size();
  UnionFind joined(nodes);
  std::vector<std::size_t> arrows(nodes, 0);
  const auto connect = [&](std::size_t node, const std::vector<Patch>& patches) {
    for (const Patch& patch : patches) {
      if (patch.bar == kNone) continue;
      joined.join(node, patch.bar);
      arrows[node] += std::max<std::size_t>(patch.cells.size(), 1);
    }
  };
  for (std::size_t at = 0; at < picture.failures.size(); ++at) connect(first_failure + at, picture.failures[at].claims);
  for (std::size_t at = 0; at < picture.skips.size(); ++at) {
    connect(first_skip + at, picture.skips[at].inputs);
    connect(first_skip + at, picture.skips[at].outputs);
  }
  Parts parts;
  std::vector<std::size_t> arrows_of_part(nodes, 0);
  for (std::size_t node = 0; node < nodes; ++node) {
    const std::size_t part = joined.find(node);
    if (part == node) ++parts.count;
    parts.arrows += arrows[node];
    arrows_of_part[part] += arrows[node];
    parts.arrows_of_largest = std::max(parts.arrows_of_largest, arrows_of_part[part]);
  }
  return parts;
}

}  // namespace taintgraph::viz
