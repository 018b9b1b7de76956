// Smaller values of a number, for searches that look for the smallest that will do: few enough to try one after the
// other, dense enough near the number that a search by them ends only where one less would not do.
#pragma once

#include <cstdint>
#include <vector>

namespace taintgraph::props {

// `least`, then the number less a half, a quarter, an eighth ... of what is above `least`, down to the number less one.
// Strictly rising; empty if the number is not above `least`.
[[nodiscard]] inline std::vector<std::uint64_t> decrements(std::uint64_t number, std::uint64_t least) {
  std::vector<std::uint64_t> values;
  if (number <= least) return values;
  for (std::uint64_t less = number - least; less > 0; less /= 2) values.push_back(number - less);
  return values;
}

}  // namespace taintgraph::props
