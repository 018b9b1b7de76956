// A hash map from FailureId to a 32-bit number, made for what the graph does all the time: insert an id, look it up
// twice, erase it. Open addressing with linear probing; erasing moves later entries back, so there are no tombstones
// and a long run of mint-and-prune never degrades it. At most half full. Erasing never allocates.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/check.hpp"
#include "core/ids.hpp"

namespace taintgraph::core::internal {

class IdMap {
 public:
  static constexpr std::uint32_t kAbsent = 0xFFFFFFFF;

  [[nodiscard]] std::size_t size() const { return size_; }

  // Makes room for one more entry. Throws std::bad_alloc; nothing has changed then.
  void reserve_one() {
    if ((size_ + 1) * 2 > entries_.size()) grow();
  }

  // Requires: reserve_one() was called since the last insert, `id` is not in the map, value != kAbsent.
  void insert(FailureId id, std::uint32_t value) {
    std::size_t at = home(id);
    while (entries_[at].id) at = (at + 1) & mask();
    entries_[at] = {id, value};
    ++size_;
  }

  // The number kept for `id`, to be read or changed in place; nullptr if there is none.
  [[nodiscard]] std::uint32_t* find(FailureId id) {
    if (size_ == 0) return nullptr;
    for (std::size_t at = home(id); entries_[at].id; at = (at + 1) & mask())
      if (entries_[at].id == id) return &entries_[at].value;
    return nullptr;
  }
  [[nodiscard]] std::uint32_t get(FailureId id) const {
    const std::uint32_t* found = const_cast<IdMap*>(this)->find(id);
    return found ? *found : kAbsent;
  }

  // Requires: `id` is in the map.
  void erase(FailureId id) {
    std::size_t hole = home(id);
    while (entries_[hole].id != id) hole = (hole + 1) & mask();
    for (std::size_t at = (hole + 1) & mask(); entries_[at].id; at = (at + 1) & mask()) {
      // An entry may move into the hole only if its home is not between the hole and where it stands.
      if (((at - home(entries_[at].id)) & mask()) >= ((at - hole) & mask())) {
        entries_[hole] = entries_[at];
        hole = at;
      }
    }
    entries_[hole] = {};
    --size_;
  }

  // Keeps its memory.
  void clear() {
    std::fill(entries_.begin(), entries_.end(), Entry{});
    size_ = 0;
  }

  // CHECKs that every entry is found from its home.
  void validate() const {
    std::size_t found = 0;
    for (const Entry& entry : entries_) {
      if (!entry.id) continue;
      ++found;
      TAINTGRAPH_CHECK(get(entry.id) == entry.value, "every id is reached from its home");
    }
    TAINTGRAPH_CHECK(found == size_, "the size is the number of entries");
  }

  // In no order that means anything: never let it reach a decision or an output.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Entry& entry : entries_)
      if (entry.id) visit(entry.id, entry.value);
  }

 private:
  struct Entry {
    FailureId id;
    std::uint32_t value = 0;
  };

  [[nodiscard]] std::size_t mask() const { return entries_.size() - 1; }
  // Fibonacci hashing: ids are minted in sequence, and survivors at a regular distance must not share a home.
  [[nodiscard]] std::size_t home(FailureId id) const {
    return static_cast<std::size_t>((id.value() * 0x9E3779B97F4A7C15ULL) >> shift_);
  }

  void grow() {
    std::vector<Entry> bigger(entries_.empty() ? 16 : entries_.size() * 2);
    entries_.swap(bigger);
    shift_ = 64 - std::countr_zero(entries_.size());
    size_ = 0;
    for (const Entry& entry : bigger)
      if (entry.id) insert(entry.id, entry.value);
  }

  std::vector<Entry> entries_;
  std::size_t size_ = 0;
  int shift_ = 64;
};

}  // namespace taintgraph::core::internal
