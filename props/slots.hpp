// What the generator remembers of the buffers it has named, to draw operations that mostly make sense and ranges that
// mostly meet: which slots are thought alive, their sizes, and the edges of ranges used lately.
//
// Only a bias: nothing here decides an outcome. A slot thought alive may be gone when the program runs, and the other
// way round; such operations are rejected, which is a behaviour to be tested too.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "props/profile.hpp"
#include "props/random.hpp"
#include "traces/operation.hpp"

namespace taintgraph::props {

// Slot i is the buffer "b<i>"; the program's name table has them first, so that the slot is its NameId.
using SlotIndex = std::uint32_t;

class Slots {
 public:
  explicit Slots(const Profile& profile) : profile_(profile), count_(profile.slots) {}

  // The sizes that the profile draws from.
  [[nodiscard]] std::uint64_t draw_size(Random& random) const;

  // Mostly a live slot, now and then any. `live` false: mostly a dead one.
  [[nodiscard]] SlotIndex draw(Random& random, bool live) const;
  // A live slot other than `other`, if there is one.
  [[nodiscard]] SlotIndex draw_other(Random& random, SlotIndex other) const;
  // What a source of an operation is drawn from: often the slot that was written last.
  [[nodiscard]] SlotIndex draw_source(Random& random) const;

  void allocated(SlotIndex slot, std::uint64_t size_bytes);
  void freed(SlotIndex slot) { slots_[slot].live = slots_[slot].lost = false; }
  // Every live buffer is without memory from now on (D2).
  void lose_all();
  void written(SlotIndex slot) { last_written_ = slot; }

  [[nodiscard]] std::uint64_t size(SlotIndex slot) const { return slots_[slot].size_bytes; }
  [[nodiscard]] bool live(SlotIndex slot) const { return slots_[slot].live; }
  [[nodiscard]] bool all_live() const;
  // One that is live and lost, if there is any.
  [[nodiscard]] std::optional<SlotIndex> lost_one() const;

  // A ref into the slot: whole, or from one edge of an earlier range to another, or anywhere; now and then empty or
  // beyond the end. Remembers its edges.
  [[nodiscard]] traces::Ref draw_ref(Random& random, SlotIndex slot);
  // A ref of just `length` bytes, within bounds. Requires: length <= size(slot).
  [[nodiscard]] traces::Ref draw_ref_of(Random& random, SlotIndex slot, std::uint64_t length);

  // The bytes that `ref` covers, its slot being as this believes.
  [[nodiscard]] std::uint64_t length(const traces::Ref& ref) const;
  [[nodiscard]] bool overlap(const traces::Ref& a, const traces::Ref& b) const;

 private:
  static constexpr std::size_t kEdges = 6;
  struct Slot {
    bool live = false;
    bool lost = false;
    std::uint64_t size_bytes = 0;
    std::array<std::uint64_t, kEdges> edges{};  // of late ranges, a ring
    std::uint32_t edges_seen = 0;
  };

  void remember(SlotIndex slot, std::uint64_t edge);
  [[nodiscard]] std::uint64_t draw_point(Random& random, SlotIndex slot) const;

  const Profile& profile_;
  std::uint32_t count_;
  std::array<Slot, kMaxSlots> slots_{};
  SlotIndex last_written_ = 0;
};

}  // namespace taintgraph::props
