#include "props/slots.hpp"

#include <algorithm>
#include <utility>

namespace taintgraph::props {
namespace {

constexpr std::uint64_t kStraySlotOneIn = 32;  // a slot of the wrong liveness
constexpr std::uint64_t kBeyondOneIn = 48;     // a range past the end
constexpr std::uint64_t kEmptyOneIn = 24;      // a range of no bytes

}  // namespace

std::uint64_t Slots::draw_size(Random& random) const {
  SizeRegime regime = profile_.sizes;
  if (regime == SizeRegime::mixed) {
    constexpr SizeRegime kAny[] = {SizeRegime::uniform, SizeRegime::tiny, SizeRegime::small, SizeRegime::large};
    regime = random.pick<SizeRegime>(kAny);
  }
  switch (regime) {
    case SizeRegime::uniform:
      return profile_.uniform_size;
    case SizeRegime::tiny:
      return random.below(17);
    case SizeRegime::large:
      // Most of the cost of a byte is the model's, so long buffers are rare even where they are wanted.
      return random.one_in(3) ? random.between(257, 4096) : random.between(33, 256);
    default:
      return random.below(65);
  }
}

SlotIndex Slots::draw(Random& random, bool live) const {
  const auto first = static_cast<SlotIndex>(random.below(count_));
  if (random.one_in(kStraySlotOneIn)) return first;
  for (std::uint32_t i = 0; i < count_; ++i) {
    const SlotIndex slot = (first + i) % count_;
    if (slots_[slot].live == live) return slot;
  }
  return first;
}

SlotIndex Slots::draw_other(Random& random, SlotIndex other) const {
  const auto first = static_cast<SlotIndex>(random.below(count_));
  for (std::uint32_t i = 0; i < count_; ++i) {
    const SlotIndex slot = (first + i) % count_;
    if (slot != other && slots_[slot].live) return slot;
  }
  return other;
}

SlotIndex Slots::draw_source(Random& random) const {
  if (slots_[last_written_].live && random.below(100) < profile_.chain_percent) return last_written_;
  return draw(random, true);
}

bool Slots::all_live() const {
  return std::all_of(slots_.begin(), slots_.begin() + count_, [](const Slot& slot) { return slot.live; });
}

std::optional<SlotIndex> Slots::lost_one() const {
  for (SlotIndex slot = 0; slot < count_; ++slot) {
    if (slots_[slot].lost) return slot;
  }
  return std::nullopt;
}

void Slots::lose_all() {
  for (Slot& slot : slots_) slot.lost = slot.live;
}

void Slots::allocated(SlotIndex slot, std::uint64_t size_bytes) {
  slots_[slot] = Slot{.live = true, .lost = false, .size_bytes = size_bytes, .edges = {}, .edges_seen = 0};
}

void Slots::remember(SlotIndex slot, std::uint64_t edge) {
  Slot& s = slots_[slot];
  s.edges[s.edges_seen++ % kEdges] = edge;
}

std::uint64_t Slots::draw_point(Random& random, SlotIndex slot) const {
  const Slot& s = slots_[slot];
  const std::uint64_t known = std::min<std::uint64_t>(s.edges_seen, kEdges);
  switch (random.below(8)) {
    case 0:
      return 0;
    case 1:
      return s.size_bytes;
    case 2:
    case 3:
      return random.between(0, s.size_bytes);
    default: {
      if (known == 0) return random.between(0, s.size_bytes);
      const std::uint64_t edge = s.edges[static_cast<std::size_t>(random.below(known))];
      const std::uint64_t moved = random.one_in(4) ? edge + random.between(0, 2) - 1 : edge;
      return moved > s.size_bytes ? edge : moved;  // one below 0 has wrapped and is too large as well
    }
  }
}

traces::Ref Slots::draw_ref(Random& random, SlotIndex slot) {
  const auto buffer = static_cast<traces::NameId>(slot);
  if (random.below(100) < profile_.whole_percent) return {.buffer = buffer};
  const std::uint64_t size_bytes = slots_[slot].size_bytes;
  if (random.one_in(kBeyondOneIn)) {
    const std::uint64_t begin = random.between(0, size_bytes + 1);
    return {.buffer = buffer, .whole = false, .begin = begin, .end = size_bytes + random.between(1, 4)};
  }
  std::uint64_t begin = draw_point(random, slot);
  std::uint64_t end = random.one_in(kEmptyOneIn) ? begin : draw_point(random, slot);
  if (begin > end) std::swap(begin, end);
  if (begin == end && !random.one_in(4)) {  // two equal edges met: widen, empty ranges are dull in numbers
    if (end < size_bytes) {
      ++end;
    } else if (begin > 0) {
      --begin;
    }
  }
  remember(slot, begin);
  remember(slot, end);
  return {.buffer = buffer, .whole = false, .begin = begin, .end = end};
}

traces::Ref Slots::draw_ref_of(Random& random, SlotIndex slot, std::uint64_t length) {
  const auto buffer = static_cast<traces::NameId>(slot);
  const std::uint64_t size_bytes = slots_[slot].size_bytes;
  if (length == size_bytes && random.one_in(2)) return {.buffer = buffer};
  const std::uint64_t begin = std::min(draw_point(random, slot), size_bytes - length);
  remember(slot, begin);
  remember(slot, begin + length);
  return {.buffer = buffer, .whole = false, .begin = begin, .end = begin + length};
}

std::uint64_t Slots::length(const traces::Ref& ref) const {
  if (ref.whole) return slots_[static_cast<std::size_t>(ref.buffer)].size_bytes;
  return ref.end - ref.begin;
}

bool Slots::overlap(const traces::Ref& a, const traces::Ref& b) const {
  if (a.buffer != b.buffer) return false;
  const auto bounds = [this](const traces::Ref& ref) {
    return ref.whole ? std::pair<std::uint64_t, std::uint64_t>{0, length(ref)} : std::pair{ref.begin, ref.end};
  };
  const auto [a_begin, a_end] = bounds(a);
  const auto [b_begin, b_end] = bounds(b);
  return std::max(a_begin, b_begin) < std::min(a_end, b_end);
}

}  // namespace taintgraph::props
