// A half-open range [begin, end) of bytes within one allocation: offsets are 64 bits wide and relative to it.
//
// A ByteRange is only numbers: it knows no buffer and no size limit. An inverted range (begin > end) is not a legal
// value; fits() is asked of numbers that come from outside.
#pragma once

#include <algorithm>
#include <cstdint>

namespace taintgraph::core {

struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] constexpr std::uint64_t size() const { return end - begin; }
  [[nodiscard]] constexpr bool empty() const { return begin >= end; }
  [[nodiscard]] constexpr bool contains(std::uint64_t offset) const { return begin <= offset && offset < end; }

  // True if this range is well formed and lies inside an allocation of `size_bytes` (R4).
  [[nodiscard]] constexpr bool fits(std::uint64_t size_bytes) const { return begin <= end && end <= size_bytes; }

  friend constexpr bool operator==(const ByteRange&, const ByteRange&) = default;
};

// True if the two share a byte. An empty range shares none with anything (R4: it claims nothing and trips nothing).
[[nodiscard]] constexpr bool overlaps(ByteRange a, ByteRange b) {
  return std::max(a.begin, b.begin) < std::min(a.end, b.end);
}

// The bytes both have; empty if there are none.
[[nodiscard]] constexpr ByteRange intersection(ByteRange a, ByteRange b) {
  const std::uint64_t begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

}  // namespace taintgraph::core
