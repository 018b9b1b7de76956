#include "sim/access_map.hpp"

#include <algorithm>
#include <utility>

namespace taintgraph::sim {

void AccessMap::split(std::size_t index, std::uint64_t at) {
  Segment upper = segments_[index];
  upper.begin = at;
  segments_[index].end = at;
  segments_.insert(segments_.begin() + static_cast<std::ptrdiff_t>(index) + 1, std::move(upper));
}

std::size_t AccessMap::isolate(std::uint64_t begin, std::uint64_t end) {
  const auto found = std::lower_bound(segments_.begin(), segments_.end(), begin,
                                      [](const Segment& segment, std::uint64_t at) { return segment.end <= at; });
  std::size_t first = static_cast<std::size_t>(found - segments_.begin());
  if (first < segments_.size() && segments_[first].begin < begin) split(first++, begin);
  std::uint64_t covered = begin;
  for (std::size_t i = first; covered < end; ++i) {
    if (i == segments_.size() || segments_[i].begin > covered) {
      const std::uint64_t gap_end = i == segments_.size() ? end : std::min(end, segments_[i].begin);
      Segment gap;
      gap.begin = covered;
      gap.end = gap_end;
      segments_.insert(segments_.begin() + static_cast<std::ptrdiff_t>(i), std::move(gap));
    } else if (segments_[i].end > end) {
      split(i, end);
    }
    covered = segments_[i].end;
  }
  return first;
}

void AccessMap::fuse(std::size_t first, std::size_t last) {
  const std::size_t low = first == 0 ? 0 : first - 1;
  const std::size_t high = std::min(last, segments_.size() - 1);
  std::size_t kept = low;
  for (std::size_t i = low + 1; i <= high; ++i) {
    Segment& left = segments_[kept];
    Segment& right = segments_[i];
    if (left.end == right.begin && left.write == right.write && left.readers == right.readers) {
      left.end = right.end;
    } else if (++kept != i) {
      segments_[kept] = std::move(right);
    }
  }
  if (kept == high) return;
  segments_.erase(segments_.begin() + static_cast<std::ptrdiff_t>(kept) + 1,
                  segments_.begin() + static_cast<std::ptrdiff_t>(high) + 1);
}

void AccessMap::forget_past(const VectorClock& host) {
  const auto is_past = [&host](const Segment& segment) {
    return segment.write.before(host) && !unordered_reader(segment, host);
  };
  segments_.erase(std::remove_if(segments_.begin(), segments_.end(), is_past), segments_.end());
  forget_at_ = std::max<std::size_t>(64, 2 * segments_.size());
}

void AccessMap::add_reader(Readers& readers, const Epoch& access, const VectorClock& clock) {
  // A reader in the new one's past need not be remembered: whatever comes after the new one comes after it, too.
  if (readers.first.before(clock)) {
    readers.first = access;
    if (!readers.more.empty()) std::erase_if(readers.more, [&](const Epoch& each) { return each.before(clock); });
    return;
  }
  std::erase_if(readers.more, [&](const Epoch& each) { return each.before(clock); });
  readers.more.push_back(access);
}

std::optional<Conflict> AccessMap::unordered_reader(const Segment& segment, const VectorClock& clock) {
  const auto conflict = [&segment](const Epoch& reader) { return Conflict{segment.begin, segment.end, reader, false}; };
  if (!segment.readers.first.before(clock)) return conflict(segment.readers.first);
  for (const Epoch& reader : segment.readers.more) {
    if (!reader.before(clock)) return conflict(reader);
  }
  return std::nullopt;
}

std::optional<Conflict> AccessMap::read(std::uint64_t begin, std::uint64_t end, const Epoch& access,
                                        const VectorClock& clock, const VectorClock& host) {
  if (begin >= end) return std::nullopt;
  if (segments_.size() >= forget_at_) forget_past(host);
  std::optional<Conflict> result;
  const std::size_t first = isolate(begin, end);
  std::size_t i = first;
  for (; i < segments_.size() && segments_[i].begin < end; ++i) {
    Segment& segment = segments_[i];
    if (!result && !segment.write.before(clock)) result = Conflict{segment.begin, segment.end, segment.write, true};
    add_reader(segment.readers, access, clock);
  }
  fuse(first, i);
  return result;
}

std::optional<Conflict> AccessMap::write(std::uint64_t begin, std::uint64_t end, const Epoch& access,
                                         const VectorClock& clock, const VectorClock& host) {
  if (begin >= end) return std::nullopt;
  if (segments_.size() >= forget_at_) forget_past(host);
  std::optional<Conflict> result;
  const std::size_t first = isolate(begin, end);
  std::size_t i = first;
  for (; i < segments_.size() && segments_[i].begin < end; ++i) {
    Segment& segment = segments_[i];
    if (!result && !segment.write.before(clock)) result = Conflict{segment.begin, segment.end, segment.write, true};
    if (!result) result = unordered_reader(segment, clock);
    segment.write = access;
    segment.readers.first = {};
    segment.readers.more.clear();
  }
  fuse(first, i);
  return result;
}

std::optional<Conflict> AccessMap::outside(const VectorClock& clock) const {
  for (const Segment& segment : segments_) {
    if (!segment.write.before(clock)) return Conflict{segment.begin, segment.end, segment.write, true};
    if (auto reader = unordered_reader(segment, clock)) return reader;
  }
  return std::nullopt;
}

}  // namespace taintgraph::sim
