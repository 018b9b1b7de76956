#include "props/model_failures.hpp"

#include <algorithm>

namespace taintgraph::props::reference {

void Failures::record(Ordinal failure, Skip skip) {
  Failure& carried = failures_.at(failure);
  carried.skips.push_back(std::move(skip));
  carried.skips_total += 1;
  if (carried.skips.size() > kSkipsKept) carried.skips.erase(carried.skips.begin());
}

std::vector<Skip> Failures::chain(Ordinal root, Range start) const {
  const std::vector<Skip>& skips = at(root).skips;
  std::vector<Skip> hops;
  Range wanted = start;
  for (auto skip = skips.rbegin(); skip != skips.rend(); ++skip) {
    const bool produced = std::any_of(skip->outputs.begin(), skip->outputs.end(),
                                      [&wanted](const Range& output) { return overlap(output, wanted); });
    if (!produced) continue;
    hops.push_back(*skip);
    wanted = skip->inputs.front().range;
  }
  return hops;
}

void Failures::prune(const std::vector<Ordinal>& carried) {
  auto next = carried.begin();  // not looked at yet
  for (auto each = failures_.begin(); each != failures_.end();) {
    while (next != carried.end() && *next < each->first) ++next;
    const bool is_carried = next != carried.end() && *next == each->first;
    each = is_carried ? std::next(each) : failures_.erase(each);
  }
}

}  // namespace taintgraph::props::reference
