// A hash map from FailureId to a small value, made for what the graph does all the time: insert an id, look it up a few
// times, erase it. Among many ids each step waits for memory, so the usual lookup touches one cache line and takes no
// branch that cannot be foretold: the processor goes on to the next operation's lines meanwhile.
//
// Buckets of two entries; what finds its bucket full goes to the next one with room, and each full bucket counts those
// that went past it. So erasing moves nothing and leaves no tombstones, and a long run of mint-and-prune never degrades
// the map. At most half full. Erasing never allocates.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "core/ids.hpp"

namespace taintgraph::core::internal {

template <class Value>
class IdMap {
 public:
  IdMap() = default;
  IdMap(const IdMap&) = delete;  // recent_ points into the one that it is of
  IdMap& operator=(const IdMap&) = delete;

  [[nodiscard]] std::size_t size() const { return size_; }

  [[nodiscard]] bool has_room_for_more_than(std::size_t entries) const { return buckets_.size() > entries; }

  // Makes room for one more entry. Throws std::bad_alloc; nothing has changed then.
  void reserve_one() {
    if (size_ + 1 > buckets_.size()) grow();
  }

  // Returns the value in its place. Requires: reserve_one() was called since the last insert, `id` is not in the map.
  Value& insert(FailureId id, const Value& value) {
    std::size_t at = home(id);
    for (; buckets_[at].full(); at = next(at)) ++buckets_[at].passed;
    Entry& free = buckets_[at].entry_of(FailureId());
    free = {id, value};
    recent_ = &free;
    ++size_;
    return free.value;
  }

  // The value kept for `id`, to be read or changed in place; nullptr if there is none. Good until the map changes.
  [[nodiscard]] const Value* find(FailureId id) const {
    if (recent_ && recent_->id == id) return &recent_->value;
    const Entry* const found = find_from_home(id);
    if (!found) return nullptr;
    recent_ = found;
    return &found->value;
  }
  [[nodiscard]] Value* find(FailureId id) { return const_cast<Value*>(std::as_const(*this).find(id)); }

  // Requires: `id` is in the map.
  void erase(FailureId id) {
    std::size_t at = home(id);
    for (; buckets_[at].entry_of(id).id != id; at = next(at)) --buckets_[at].passed;
    buckets_[at].entry_of(id).id = FailureId();
    recent_ = nullptr;
    --size_;
  }

  // Keeps its memory.
  void clear() {
    std::fill(buckets_.begin(), buckets_.end(), Bucket{});
    recent_ = nullptr;
    size_ = 0;
  }

  // CHECKs that every entry is found from its home, and that the buckets counted those that went past. Visits each
  // entry, as for_each does, on the way.
  template <class Visit>
  void validate(Visit&& visit) const {
    std::size_t found = 0;
    std::uint64_t went_past = 0;
    std::size_t at = 0;
    for (const Bucket& bucket : buckets_) {
      went_past -= bucket.passed;
      if (bucket.entries[0].id || bucket.entries[1].id) {
        for (const Entry& entry : bucket.entries) {
          if (!entry.id) continue;
          ++found;
          went_past += (at - home(entry.id)) & (buckets_.size() - 1);
          TAINTGRAPH_CHECK(find_from_home(entry.id) == &entry, "every id is reached from its home");
          visit(entry.id, entry.value);
        }
      }
      ++at;
    }
    TAINTGRAPH_CHECK(found == size_, "the size is the number of entries");
    TAINTGRAPH_CHECK(went_past == 0, "each bucket counts what went past it");
    TAINTGRAPH_CHECK(!recent_ || recent_->id, "what was found last is still there");
  }

  // In no order that means anything: never let it reach a decision or an output.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Bucket& bucket : buckets_)
      for (const Entry& entry : bucket.entries)
        if (entry.id) visit(entry.id, entry.value);
  }

 private:
  static constexpr std::size_t kFirstBuckets = 8;  // a power of two, as every later number of them
  struct Entry {
    FailureId id;
    Value value{};
  };
  struct alignas(64) Bucket {
    std::array<Entry, 2> entries;
    std::uint32_t passed = 0;  // entries that would be here or in an earlier bucket, and are in a later one

    [[nodiscard]] bool full() const { return entries[0].id && entries[1].id; }
    // The entry of `id`, or another one if it is not here.
    [[nodiscard]] const Entry& entry_of(FailureId id) const { return entries[entries[1].id == id ? 1 : 0]; }
    [[nodiscard]] Entry& entry_of(FailureId id) { return entries[entries[1].id == id ? 1 : 0]; }
  };

  static_assert(sizeof(Bucket) == 64, "a lookup touches one cache line");

  [[nodiscard]] std::size_t next(std::size_t bucket) const { return (bucket + 1) & (buckets_.size() - 1); }
  // Fibonacci hashing: survivors at a regular distance must not share a home. Ids are minted in sequence, and a few in
  // a row share a block of neighbouring buckets, so that minting does not go to another place in memory each time.
  [[nodiscard]] std::size_t home(FailureId id) const {
    constexpr std::uint64_t kBlock = kFirstBuckets;
    const std::uint64_t pair = id.value() / 2;
    return static_cast<std::size_t>(((pair / kBlock * 0x9E3779B97F4A7C15ULL) >> shift_) ^ (pair % kBlock));
  }

  [[nodiscard]] const Entry* find_from_home(FailureId id) const {
    if (!id || size_ == 0) return nullptr;
    const std::size_t first = home(id);
    std::size_t at = first;
    do {
      const Bucket& bucket = buckets_[at];
      const Entry& found = bucket.entry_of(id);
      if (found.id == id) return &found;
      if (bucket.passed == 0) return nullptr;
      at = next(at);
    } while (at != first);
    return nullptr;
  }

  void grow() {
    std::vector<Bucket> bigger(buckets_.empty() ? kFirstBuckets : buckets_.size() * 2);
    buckets_.swap(bigger);
    shift_ = 64 - std::countr_zero(buckets_.size());
    size_ = 0;
    for (const Bucket& bucket : bigger)
      for (const Entry& entry : bucket.entries)
        if (entry.id) insert(entry.id, entry.value);
  }

  std::vector<Bucket> buckets_;
  mutable const Entry* recent_ = nullptr;  // found last and still there: a write scope asks for one id again and again
  std::size_t size_ = 0;
  int shift_ = 64;
};

}  // namespace taintgraph::core::internal
