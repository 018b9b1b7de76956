// The claims of one allocation when there is more than one range of them: fragments in order of offset, disjoint, not
// empty, and no two that touch carry the same failure (B1).
//
// A sorted array cut into blocks of at most kBlockFragments: finding is two binary searches, changing moves at most one
// block's content. Beside it, how many fragments each failure has here: that number going from zero and back to zero is
// what tags and untags the failure (C2), and the caller's business.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/byte_range.hpp"
#include "core/internal/id_map.hpp"

namespace taintgraph::core::internal {

struct Fragment {
  ByteRange range;
  FailureId failure;
};

class ClaimMap {
 public:
  static constexpr std::size_t kBlockFragments = 128;

  // What a change did to the set of failures that have a fragment here.
  class Observer {
   public:
    virtual void appeared(FailureId failure) = 0;
    virtual void vanished(FailureId failure) = 0;

   protected:
    ~Observer() = default;
  };

  // Makes every byte of `range` belong to `failure`, or to none if that is no failure. Requires: range is not empty.
  // `appeared` comes before any `vanished`. Throws std::bad_alloc; nothing has changed then.
  void set(ByteRange range, FailureId failure, Observer& observer);

  // The fragment that holds the lowest claimed byte of `range`; nullptr if there is none.
  [[nodiscard]] const Fragment* first(ByteRange range) const;

  // Calls visit(const Fragment&) for each fragment that shares a byte with `range`, in order; stops when it returns
  // false.
  template <class Visit>
  void visit(ByteRange range, Visit&& visit) const {
    for (Position at = lower(range.begin); at.block < blocks_.size(); at = next(at)) {
      const Fragment& fragment = fragment_at(at);
      if (fragment.range.begin >= range.end || !visit(fragment)) return;
    }
  }

  // Calls visit(failure) for each failure that has a fragment here; in no order that means anything.
  template <class Visit>
  void visit_failures(Visit&& visit) const {
    counts_.for_each([&](FailureId failure, Count) { visit(failure); });
  }

  [[nodiscard]] bool carries(FailureId failure) const { return counts_.find(failure) != nullptr; }
  [[nodiscard]] std::size_t size() const { return size_; }
  // Requires: size() > 0.
  [[nodiscard]] const Fragment& front() const { return blocks_.front()->fragments[0]; }
  [[nodiscard]] const Fragment& back() const;
  // Whether `range` holds every fragment. Requires: size() > 0.
  [[nodiscard]] bool lies_in(ByteRange range) const {
    return range.begin <= front().range.begin && back().range.end <= range.end;
  }

  // Forgets every fragment without telling anybody, and keeps its memory. Never fails.
  void reset();

  // Whether so many failures have been here that forgetting all, or counting what is here, costs more than making a
  // map.
  [[nodiscard]] bool is_large() const { return counts_.has_room_for_more_than(kBlockFragments); }

  // CHECKs the invariants above.
  void validate() const;

 private:
  struct Block {
    std::uint32_t count = 0;
    std::array<Fragment, kBlockFragments> fragments;
  };
  struct Count {
    std::uint32_t fragments = 0;
    mutable std::uint32_t recounted = 0;  // by validate(); zero outside it
  };
  struct Position {
    std::size_t block = 0;
    std::uint32_t at = 0;
  };

  [[nodiscard]] Fragment& fragment_at(Position at) { return blocks_[at.block]->fragments[at.at]; }
  [[nodiscard]] const Fragment& fragment_at(Position at) const { return blocks_[at.block]->fragments[at.at]; }
  [[nodiscard]] Position lower(std::uint64_t offset) const;
  [[nodiscard]] Position next(Position at) const;
  [[nodiscard]] bool previous(Position at, Position& before) const;
  [[nodiscard]] bool at_end(Position at) const { return at.block == blocks_.size(); }

  void make_room();
  // Where the fragment stands afterwards.
  Position insert(Position at, const Fragment& fragment, Observer& observer);
  Position erase(Position at, Observer& observer);
  Position erase_covered(Position at, ByteRange range, Observer& observer);
  void count_up(FailureId failure, Observer& observer);
  void count_down(FailureId failure, std::uint32_t fragments, Observer& observer);
  void count_down(const Block& block, std::uint32_t begin, std::uint32_t end, Observer& observer);
  std::unique_ptr<Block> take_spare();
  void keep_spare(std::unique_ptr<Block> block);
  void rebase(std::size_t block) { begins_[block] = blocks_[block]->fragments[0].range.begin; }

  std::vector<std::unique_ptr<Block>> blocks_;    // none is empty
  std::vector<std::uint64_t> begins_;             // of each block: where its first fragment begins
  std::array<std::unique_ptr<Block>, 2> spares_;  // at least one during a change, which so cannot fail once begun
  IdMap<Count> counts_;                           // fragments of each failure
  std::size_t size_ = 0;
};

}  // namespace taintgraph::core::internal
