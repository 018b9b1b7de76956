#include "sim/access_map.hpp"

#include <algorithm>

namespace taintgraph::sim {

void AccessMap::split(std::size_t index, std::uint64_t at) {
  Segment upper = segments_[index];
  upper.begin = at;
  upper.others = 0;
  if (segments_[index].others != 0) {
    const std::vector<Epoch> others = others_[segments_[index].others];
    for (const Epoch& each : others) add_other(upper, each);
  }
  segments_[index].end = at;
  segments_.insert(segments_.begin() + static_cast<std::ptrdiff_t>(index) + 1, upper);
}

std::size_t AccessMap::cut(std::uint64_t at) {
  const auto found = std::lower_bound(segments_.begin(), segments_.end(), at,
                                      [](const Segment& segment, std::uint64_t here) { return segment.end <= here; });
  std::size_t first = static_cast<std::size_t>(found - segments_.begin());
  if (first < segments_.size() && segments_[first].begin < at) split(first++, at);
  return first;
}

std::size_t AccessMap::isolate(std::uint64_t begin, std::uint64_t end) {
  const std::size_t first = cut(begin);
  std::uint64_t covered = begin;
  for (std::size_t i = first; covered < end; ++i) {
    if (i == segments_.size() || segments_[i].begin > covered) {
      const std::uint64_t gap_end = i == segments_.size() ? end : std::min(end, segments_[i].begin);
      Segment gap;
      gap.begin = covered;
      gap.end = gap_end;
      segments_.insert(segments_.begin() + static_cast<std::ptrdiff_t>(i), gap);
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
    if (left.end == right.begin && same_history(left, right)) {
      left.end = right.end;
      drop_others(right);
    } else if (++kept != i) {
      segments_[kept] = right;
    }
  }
  if (kept == high) return;
  segments_.erase(segments_.begin() + static_cast<std::ptrdiff_t>(kept) + 1,
                  segments_.begin() + static_cast<std::ptrdiff_t>(high) + 1);
}

void AccessMap::forget_past(const VectorClock& host) {
  std::size_t kept = 0;
  for (Segment& segment : segments_) {
    if (segment.write.before(host) && !unordered_reader(segment, host)) {
      drop_others(segment);
    } else {
      segments_[kept++] = segment;
    }
  }
  segments_.resize(kept);
  forget_at_ = std::max<std::size_t>(64, 2 * segments_.size());
}

void AccessMap::make_room(const VectorClock& host) {
  if (segments_.size() >= forget_at_) forget_past(host);
  if (segments_.capacity() == 0) segments_.reserve(8);
}

void AccessMap::add_reader(Segment& segment, const Epoch& access, const VectorClock& clock) {
  // A reader in the new one's past need not be remembered: whatever comes after the new one comes after it, too.
  forget_others(segment, clock);
  if (segment.reader.before(clock)) {
    segment.reader = access;
  } else {
    add_other(segment, access);
  }
}

void AccessMap::add_other(Segment& segment, const Epoch& access) {
  if (segment.others == 0 && !unused_others_.empty()) {
    segment.others = unused_others_.back();
    unused_others_.pop_back();
  } else if (segment.others == 0) {
    others_.resize(std::max<std::size_t>(others_.size(), 1) + 1);
    segment.others = static_cast<std::uint32_t>(others_.size() - 1);
  }
  others_[segment.others].push_back(access);
}

void AccessMap::forget_others(Segment& segment, const VectorClock& clock) {
  if (segment.others == 0) return;
  std::vector<Epoch>& others = others_[segment.others];
  std::erase_if(others, [&](const Epoch& each) { return each.before(clock); });
  if (others.empty()) drop_others(segment);
}

void AccessMap::drop_others(Segment& segment) {
  if (segment.others == 0) return;
  others_[segment.others].clear();
  unused_others_.push_back(segment.others);
  segment.others = 0;
}

bool AccessMap::same_history(const Segment& left, const Segment& right) const {
  if (left.write != right.write || left.reader != right.reader) return false;
  if (left.others == 0 || right.others == 0) return left.others == right.others;
  return others_[left.others] == others_[right.others];
}

std::optional<Conflict> AccessMap::unordered_reader(const Segment& segment, const VectorClock& clock) const {
  const auto conflict = [&segment](const Epoch& reader) { return Conflict{segment.begin, segment.end, reader, false}; };
  if (!segment.reader.before(clock)) return conflict(segment.reader);
  if (segment.others == 0) return std::nullopt;
  for (const Epoch& reader : others_[segment.others]) {
    if (!reader.before(clock)) return conflict(reader);
  }
  return std::nullopt;
}

std::optional<Conflict> AccessMap::read(std::uint64_t begin, std::uint64_t end, const Epoch& access,
                                        const VectorClock& clock, const VectorClock& host) {
  if (begin >= end) return std::nullopt;
  make_room(host);
  std::optional<Conflict> result;
  const std::size_t first = isolate(begin, end);
  std::size_t i = first;
  for (; i < segments_.size() && segments_[i].begin < end; ++i) {
    Segment& segment = segments_[i];
    if (!result && !segment.write.before(clock)) result = Conflict{segment.begin, segment.end, segment.write, true};
    add_reader(segment, access, clock);
  }
  fuse(first, i);
  return result;
}

std::optional<Conflict> AccessMap::write(std::uint64_t begin, std::uint64_t end, const Epoch& access,
                                         const VectorClock& clock, const VectorClock& host) {
  if (begin >= end) return std::nullopt;
  make_room(host);
  std::optional<Conflict> result;
  const std::size_t first = cut(begin);
  std::size_t last = first;
  for (; last < segments_.size() && segments_[last].begin < end; ++last) {
    if (segments_[last].end > end) split(last, end);
    Segment& segment = segments_[last];
    if (!result && !segment.write.before(clock)) result = Conflict{segment.begin, segment.end, segment.write, true};
    if (!result) result = unordered_reader(segment, clock);
    drop_others(segment);
  }
  // Whatever the bytes went through before, they have one history now.
  Segment written;
  written.begin = begin;
  written.end = end;
  written.write = access;
  const auto at = segments_.begin() + static_cast<std::ptrdiff_t>(first);
  if (first == last) {
    segments_.insert(at, written);
  } else {
    *at = written;
    segments_.erase(at + 1, segments_.begin() + static_cast<std::ptrdiff_t>(last));
  }
  fuse(first, first + 1);
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
