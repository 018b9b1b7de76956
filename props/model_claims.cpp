#include "props/model_claims.hpp"

#include <algorithm>
#include <cstddef>

namespace taintgraph::props::reference {
namespace {

// The first entry that ends behind `byte`.
template <typename List>
auto find(List& list, std::uint64_t byte) {
  return std::partition_point(list.begin(), list.end(), [byte](const Claim& each) { return each.end <= byte; });
}

}  // namespace

void Claims::set(std::uint64_t begin, std::uint64_t end, Ordinal failure) {
  if (begin == end) return;
  if (list_.empty() || list_.back().end <= begin) {  // as when a launch writes one range after the other
    if (failure == 0) return;
    list_.push_back({begin, end, failure});
    if (list_.size() > 1) join_with_next(list_.size() - 2);
    return;
  }
  const std::size_t first = cut(static_cast<std::size_t>(find(list_, begin) - list_.begin()), begin);
  std::size_t last = first;
  while (last < list_.size() && list_[last].end <= end) ++last;  // few, and they are about to go
  last = cut(last, end);
  auto covered = list_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto behind = list_.begin() + static_cast<std::ptrdiff_t>(last);
  if (failure == 0) {
    list_.erase(covered, behind);
    return;
  }
  const Claim claim{begin, end, failure};
  if (covered == behind) {
    list_.insert(covered, claim);
  } else {
    *covered = claim;
    list_.erase(covered + 1, behind);
  }
  join_with_next(first);
  if (first > 0) join_with_next(first - 1);
}

std::span<const Claim> Claims::meeting(std::uint64_t begin, std::uint64_t end) const {
  if (begin == end) return {};  // though it may lie within an entry
  const auto first = find(list_, begin);
  return {first, std::partition_point(first, list_.end(), [end](const Claim& each) { return each.begin < end; })};
}

std::vector<Claim> Claims::within(std::uint64_t begin, std::uint64_t end) const {
  std::vector<Claim> found;
  for (const Claim& each : meeting(begin, end))
    found.push_back({std::max(each.begin, begin), std::min(each.end, end), each.failure});
  return found;
}

// Makes two entries of one that has bytes on both sides of `byte`. `entry` is the first that ends behind it. Returns
// the first entry behind the cut.
std::size_t Claims::cut(std::size_t entry, std::uint64_t byte) {
  if (entry == list_.size() || list_[entry].begin >= byte) return entry;
  const Claim rest{byte, list_[entry].end, list_[entry].failure};
  list_[entry].end = byte;
  list_.insert(list_.begin() + static_cast<std::ptrdiff_t>(entry + 1), rest);
  return entry + 1;
}

void Claims::join_with_next(std::size_t entry) {
  if (entry + 1 == list_.size()) return;
  Claim& one = list_[entry];
  const Claim next = list_[entry + 1];
  if (one.end != next.begin || one.failure != next.failure) return;
  one.end = next.end;
  list_.erase(list_.begin() + static_cast<std::ptrdiff_t>(entry + 1));
}

}  // namespace taintgraph::props::reference
