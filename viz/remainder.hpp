// What is left of a byte range when others are cut out of it.
#pragma once

#include <algorithm>
#include <vector>

#include "core/byte_range.hpp"

namespace taintgraph::viz {

// In order of offset. Requires: `cut` is sorted by offset; its pieces may overlap.
[[nodiscard]] inline std::vector<core::ByteRange> remainder(core::ByteRange range,
                                                            const std::vector<core::ByteRange>& cut) {
  std::vector<core::ByteRange> left;
  for (const core::ByteRange& piece : cut) {
    if (!core::overlaps(range, piece)) continue;
    if (piece.begin > range.begin) left.push_back({range.begin, piece.begin});
    range.begin = std::min(piece.end, range.end);
  }
  if (!range.empty()) left.push_back(range);
  return left;
}

}  // namespace taintgraph::viz
