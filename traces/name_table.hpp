// Interned names: each distinct string once, found by its text or by its number.
//
// A table of slots, open addressing, at most half full; about 60 bytes a name of up to 15 characters. Copies are equal
// in every respect. References to texts stay good for as long as the table lives.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/operation.hpp"

namespace taintgraph::traces {

class NameTable {
 public:
  // The id of `text`, new or old. Ids count from 0 in order of first use.
  NameId intern(std::string_view text) {
    if (2 * (texts_.size() + 1) > slots_.size()) grow();
    const std::uint32_t hash = hash_of(text);
    const std::size_t slot = slot_of(text, hash);
    if (slots_[slot] == kFree) {
      slots_[slot] = static_cast<std::uint32_t>(texts_.size());
      texts_.emplace_back(text);
      hashes_.push_back(hash);
    }
    return static_cast<NameId>(slots_[slot]);
  }

  [[nodiscard]] std::optional<NameId> find(std::string_view text) const {
    if (slots_.empty()) return std::nullopt;
    const std::uint32_t id = slots_[slot_of(text, hash_of(text))];
    if (id == kFree) return std::nullopt;
    return static_cast<NameId>(id);
  }

  // Requires: `id` came from this table.
  [[nodiscard]] const std::string& text(NameId id) const { return texts_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }

 private:
  static constexpr std::uint32_t kFree = static_cast<std::uint32_t>(NameId::none);

  static std::uint32_t hash_of(std::string_view text) {
    const std::uint64_t hash = std::hash<std::string_view>{}(text);
    return static_cast<std::uint32_t>(hash ^ (hash >> 32));
  }

  // The slot that holds `text`, or the free one where it would go. Requires: there is a free slot.
  [[nodiscard]] std::size_t slot_of(std::string_view text, std::uint32_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
      const std::uint32_t id = slots_[slot];
      if (id == kFree || (hashes_[id] == hash && texts_[id] == text)) return slot;
    }
  }

  void grow() {
    slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), kFree);
    const std::size_t mask = slots_.size() - 1;
    for (std::uint32_t id = 0; id < hashes_.size(); ++id) {
      std::size_t slot = hashes_[id] & mask;
      while (slots_[slot] != kFree) slot = (slot + 1) & mask;
      slots_[slot] = id;
    }
  }

  std::deque<std::string> texts_;  // a deque: references to its strings stay good
  std::vector<std::uint32_t> hashes_;
  std::vector<std::uint32_t> slots_;  // ids; the number of slots is a power of two
};

}  // namespace taintgraph::traces
