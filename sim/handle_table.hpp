// The driver objects of one kind (streams, events, ...), and the handles that name them.
//
// A handle is a number dressed as a pointer: driver, kind, slot and generation. It points at nothing, so a dead handle,
// one of another kind or one of another driver is recognised instead of followed. Objects never move. Slots are reused,
// lowest history first; order of iteration is order of slots, so nothing depends on addresses.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace taintgraph::sim {

enum class HandleKind : std::uint64_t { context = 1, stream, event, module_, function, graph, graph_exec, program };

// Handle is the CUDA pointer type (CUstream), T the object behind it.
template <class Handle, class T>
class HandleTable {
 public:
  // `driver` tells drivers apart, below 16.
  HandleTable(HandleKind kind, std::uint32_t driver)
      : tag_((static_cast<std::uint64_t>(kind) << kKindShift) | (std::uint64_t{driver} << kDriverShift)) {}

  // `lost`: nobody will ever learn of it (its creation was reported as failed), so live() does not count it.
  [[nodiscard]] Handle create(T object, bool lost) {
    std::uint32_t slot = static_cast<std::uint32_t>(entries_.size());
    if (free_.empty()) {
      entries_.push_back(std::make_unique<Entry>());
    } else {
      slot = free_.back();
      free_.pop_back();
    }
    Entry& entry = *entries_[slot];
    ++entry.generation;
    entry.lost = lost;
    live_ += lost ? 0U : 1U;
    entry.object.emplace(std::move(object));
    return entry.handle = handle_of(slot);
  }

  // nullptr if `handle` does not name a living object of this table.
  [[nodiscard]] T* find(Handle handle) {
    const auto value = reinterpret_cast<std::uint64_t>(handle);
    const auto slot = static_cast<std::uint32_t>((value >> kSlotShift) & kSlotMask);
    if (slot >= entries_.size()) return nullptr;
    Entry& entry = *entries_[slot];
    return entry.handle == handle && entry.object ? &*entry.object : nullptr;
  }

  // Requires: find(handle) is not null.
  void erase(Handle handle) {
    const auto slot = static_cast<std::uint32_t>((reinterpret_cast<std::uint64_t>(handle) >> kSlotShift) & kSlotMask);
    Entry& entry = *entries_[slot];
    live_ -= entry.lost ? 0U : 1U;
    entry.object.reset();
    free_.push_back(slot);
  }

  // Calls visit(handle, object) for each living object.
  template <class Visit>
  void each(Visit&& visit) {
    for (std::uint32_t slot = 0; slot < entries_.size(); ++slot) {
      if (entries_[slot]->object) visit(entries_[slot]->handle, *entries_[slot]->object);
    }
  }

  // Living objects that somebody knows of.
  [[nodiscard]] std::size_t live() const { return live_; }

 private:
  struct Entry {
    std::uint32_t generation = 0;
    bool lost = false;
    Handle handle = nullptr;  // of the object, or of the last one that was here
    std::optional<T> object;
  };

  // Low bits stay zero, as in a pointer to something aligned.
  static constexpr std::uint64_t kSlotShift = 4;
  static constexpr std::uint64_t kSlotMask = 0xFFFFF;
  static constexpr std::uint64_t kGenerationShift = 24;
  static constexpr std::uint64_t kDriverShift = 56;
  static constexpr std::uint64_t kKindShift = 60;

  [[nodiscard]] Handle handle_of(std::uint32_t slot) const {
    return reinterpret_cast<Handle>(tag_ | (std::uint64_t{entries_[slot]->generation} << kGenerationShift) |
                                    (std::uint64_t{slot} << kSlotShift));
  }

  std::uint64_t tag_;
  std::vector<std::unique_ptr<Entry>> entries_;
  std::vector<std::uint32_t> free_;
  std::size_t live_ = 0;
};

}  // namespace taintgraph::sim
