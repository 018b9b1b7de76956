#include "core/internal/claim_map.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"

namespace taintgraph::core::internal {

// A change inserts at most two fragments, both at one place, so at most one block is cut in two.
void ClaimMap::make_room() {
  if (!spares_[0] && !spares_[1]) spares_[0] = std::make_unique<Block>();
  if (blocks_.capacity() < blocks_.size() + 1) blocks_.reserve(2 * blocks_.size() + 4);
  if (begins_.capacity() < begins_.size() + 1) begins_.reserve(2 * begins_.size() + 4);
  counts_.reserve_one();
}

void ClaimMap::set(ByteRange range, FailureId failure, Observer& observer) {
  make_room();
  if (failure && size_ > 0 &&
      back().range.end < range.begin) {  // behind all others: most launches name ranges in order
    insert({blocks_.size(), 0}, {range, failure}, observer);
    return;
  }
  if (failure) count_up(failure, observer);  // held while pieces of the same failure come and go below

  Position at = lower(range.begin);
  if (failure) {
    // A fragment of the same failure that ends where this begins fuses with it.
    Position before;
    if (previous(at, before)) {
      const Fragment& left = fragment_at(before);
      if (left.range.end == range.begin && left.failure == failure) at = before;
    }
  }
  if (!at_end(at) && fragment_at(at).range.begin < range.begin) {
    Fragment& left = fragment_at(at);
    if (left.failure == failure) {
      range.begin = left.range.begin;  // taken whole below
      range.end = std::max(range.end, left.range.end);
    } else {
      const Fragment right{{range.end, left.range.end}, left.failure};
      left.range.end = range.begin;
      at = next(at);
      if (!right.range.empty()) at = insert(at, right, observer);
    }
  }
  at = erase_covered(at, range, observer);
  if (!at_end(at)) {
    Fragment& right = fragment_at(at);
    if (failure && right.failure == failure && right.range.begin <= range.end) {
      range.end = std::max(range.end, right.range.end);
      at = erase(at, observer);
    } else if (right.range.begin < range.end) {
      right.range.begin = range.end;
      if (at.at == 0) rebase(at.block);
    }
  }
  if (!failure) return;
  insert(at, {range, failure}, observer);
  count_down(failure, 1, observer);
}

const Fragment* ClaimMap::first(ByteRange range) const {
  const Position at = lower(range.begin);
  if (at_end(at)) return nullptr;
  const Fragment& fragment = fragment_at(at);
  return fragment.range.begin < range.end ? &fragment : nullptr;
}

const Fragment& ClaimMap::back() const {
  const Block& last = *blocks_.back();
  return last.fragments[last.count - 1];
}

// The first fragment that ends beyond `offset`.
ClaimMap::Position ClaimMap::lower(std::uint64_t offset) const {
  const auto above = std::upper_bound(begins_.begin(), begins_.end(), offset);
  if (above == begins_.begin()) return {};
  const auto block = static_cast<std::size_t>(above - begins_.begin()) - 1;
  const Block& candidate = *blocks_[block];
  const auto* const begin = candidate.fragments.data();
  const auto* const end = begin + candidate.count;
  const auto* const found = std::upper_bound(
      begin, end, offset, [](std::uint64_t value, const Fragment& fragment) { return value < fragment.range.end; });
  if (found == end) return {block + 1, 0};
  return {block, static_cast<std::uint32_t>(found - begin)};
}

ClaimMap::Position ClaimMap::next(Position at) const {
  if (at.at + 1 < blocks_[at.block]->count) return {at.block, at.at + 1};
  return {at.block + 1, 0};
}

bool ClaimMap::previous(Position at, Position& before) const {
  if (at.at > 0) {
    before = {at.block, at.at - 1};
    return true;
  }
  if (at.block == 0) return false;
  before = {at.block - 1, blocks_[at.block - 1]->count - 1};
  return true;
}

ClaimMap::Position ClaimMap::insert(Position at, const Fragment& fragment, Observer& observer) {
  if (at_end(at)) {
    if (blocks_.empty()) {
      blocks_.push_back(take_spare());
      begins_.push_back(fragment.range.begin);
    }
    at = {blocks_.size() - 1, blocks_.back()->count};
  }
  const bool full_block = blocks_[at.block]->count == kBlockFragments;
  if (full_block && at.at == kBlockFragments) {
    // Behind everything, since elsewhere it would stand before the next block's first: who claims from front to back
    // gets full blocks, not half ones.
    blocks_.push_back(take_spare());
    begins_.push_back(fragment.range.begin);
    at = {at.block + 1, 0};
  } else if (full_block) {
    std::unique_ptr<Block> half = take_spare();
    Block& full = *blocks_[at.block];
    constexpr std::uint32_t kHalf = kBlockFragments / 2;
    std::copy(full.fragments.begin() + kHalf, full.fragments.end(), half->fragments.begin());
    full.count = kHalf;
    half->count = kBlockFragments - kHalf;
    const auto after = static_cast<std::ptrdiff_t>(at.block) + 1;
    begins_.insert(begins_.begin() + after, half->fragments[0].range.begin);
    blocks_.insert(blocks_.begin() + after, std::move(half));
    if (at.at > kHalf) at = {at.block + 1, at.at - kHalf};
  }
  Block& block = *blocks_[at.block];
  std::copy_backward(block.fragments.begin() + at.at, block.fragments.begin() + block.count,
                     block.fragments.begin() + block.count + 1);
  block.fragments[at.at] = fragment;
  ++block.count;
  ++size_;
  if (at.at == 0) rebase(at.block);
  count_up(fragment.failure, observer);
  return at;
}

ClaimMap::Position ClaimMap::erase(Position at, Observer& observer) {
  Block& block = *blocks_[at.block];
  const FailureId failure = block.fragments[at.at].failure;
  std::copy(block.fragments.begin() + at.at + 1, block.fragments.begin() + block.count,
            block.fragments.begin() + at.at);
  --block.count;
  --size_;
  count_down(failure, 1, observer);
  if (block.count == 0) {
    const auto gone = static_cast<std::ptrdiff_t>(at.block);
    keep_spare(std::move(blocks_[at.block]));
    blocks_.erase(blocks_.begin() + gone);
    begins_.erase(begins_.begin() + gone);
    return {at.block, 0};
  }
  if (at.at == 0) rebase(at.block);
  return at.at < block.count ? at : Position{at.block + 1, 0};
}

// Erases the fragments from `at` on that lie inside `range`. Whole blocks go at once, so that clearing many fragments
// costs little more than looking at them.
ClaimMap::Position ClaimMap::erase_covered(Position at, ByteRange range, Observer& observer) {
  while (!at_end(at) && fragment_at(at).range.end <= range.end) {
    Block& block = *blocks_[at.block];
    std::uint32_t last = at.at;
    while (last < block.count && block.fragments[last].range.end <= range.end) ++last;
    count_down(block, at.at, last, observer);
    std::copy(block.fragments.begin() + last, block.fragments.begin() + block.count, block.fragments.begin() + at.at);
    block.count -= last - at.at;
    size_ -= last - at.at;
    if (block.count == 0) {
      std::size_t end = at.block + 1;
      while (end < blocks_.size() && blocks_[end]->fragments[blocks_[end]->count - 1].range.end <= range.end) {
        count_down(*blocks_[end], 0, blocks_[end]->count, observer);
        size_ -= blocks_[end]->count;
        ++end;
      }
      keep_spare(std::move(blocks_[at.block]));
      blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(at.block),
                    blocks_.begin() + static_cast<std::ptrdiff_t>(end));
      begins_.erase(begins_.begin() + static_cast<std::ptrdiff_t>(at.block),
                    begins_.begin() + static_cast<std::ptrdiff_t>(end));
      at = {at.block, 0};
    } else if (at.at == block.count) {
      at = {at.block + 1, 0};
    } else {
      if (at.at == 0) rebase(at.block);
      break;  // the fragment now here ends beyond the range
    }
  }
  return at;
}

std::unique_ptr<ClaimMap::Block> ClaimMap::take_spare() {
  std::unique_ptr<Block> block = std::move(spares_[spares_[0] ? 0 : 1]);
  TAINTGRAPH_CHECK(block, "a change cuts at most one block");
  block->count = 0;
  return block;
}

void ClaimMap::keep_spare(std::unique_ptr<Block> block) {
  for (std::unique_ptr<Block>& spare : spares_) {
    if (spare) continue;
    spare = std::move(block);
    return;
  }
}

void ClaimMap::reset() {
  for (std::unique_ptr<Block>& block : blocks_) keep_spare(std::move(block));
  blocks_.clear();
  begins_.clear();
  counts_.clear();
  size_ = 0;
}

void ClaimMap::count_up(FailureId failure, Observer& observer) {
  if (Count* count = counts_.find(failure)) {
    ++count->fragments;
    return;
  }
  counts_.insert(failure, {.fragments = 1});
  observer.appeared(failure);
}

// Runs of one failure count at once: many fragments of one failure are the usual case.
void ClaimMap::count_down(const Block& block, std::uint32_t begin, std::uint32_t end, Observer& observer) {
  while (begin < end) {
    std::uint32_t run = begin + 1;
    while (run < end && block.fragments[run].failure == block.fragments[begin].failure) ++run;
    count_down(block.fragments[begin].failure, run - begin, observer);
    begin = run;
  }
}

void ClaimMap::count_down(FailureId failure, std::uint32_t fragments, Observer& observer) {
  Count* count = counts_.find(failure);
  TAINTGRAPH_CHECK(count && count->fragments >= fragments, "every fragment is counted (C2)");
  count->fragments -= fragments;
  if (count->fragments > 0) return;
  counts_.erase(failure);
  observer.vanished(failure);
}

void ClaimMap::validate() const {
  std::size_t total = 0;
  Fragment last;                 // empty: ends where every first one may begin
  const Count* count = nullptr;  // of its failure
  TAINTGRAPH_CHECK(blocks_.size() == begins_.size(), "one first offset a block");
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const Block& block = *blocks_[b];
    TAINTGRAPH_CHECK(block.count > 0, "no block is empty");
    TAINTGRAPH_CHECK(begins_[b] == block.fragments[0].range.begin, "first offsets are true");
    for (std::uint32_t i = 0; i < block.count; ++i) {
      const Fragment& each = block.fragments[i];
      TAINTGRAPH_CHECK(!each.range.empty() && each.failure, "B1: no empty ranges exist");
      TAINTGRAPH_CHECK(last.range.end <= each.range.begin, "B1: exactly one failure a byte");
      TAINTGRAPH_CHECK(last.range.end < each.range.begin || last.failure != each.failure,
                       "B1: touching claims of one failure fuse");
      if (last.failure != each.failure) count = counts_.find(each.failure);
      TAINTGRAPH_CHECK(count, "C2: fragments of each failure are counted");
      ++count->recounted;
      last = each;
    }
    total += block.count;
  }
  TAINTGRAPH_CHECK(total == size_, "C2: fragments are counted");
  counts_.validate([&](FailureId, const Count& each) {
    TAINTGRAPH_CHECK(each.fragments > 0 && std::exchange(each.recounted, 0) == each.fragments,
                     "C2: fragments of each failure are counted");
  });
}

}  // namespace taintgraph::core::internal
