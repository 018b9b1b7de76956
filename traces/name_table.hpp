// Interned names: each distinct string once, found by its text or by its number.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "traces/operation.hpp"

namespace taintgraph::traces {

class NameTable {
 public:
  NameTable() = default;
  NameTable(const NameTable& other) { *this = other; }
  NameTable& operator=(const NameTable& other) {
    if (this == &other) return *this;
    texts_.clear();
    ids_.clear();
    for (const std::string& text : other.texts_) (void)intern(text);
    return *this;
  }
  NameTable(NameTable&&) = default;
  NameTable& operator=(NameTable&&) = default;

  // The id of `text`, new or old. Ids count from 0 in order of first use.
  NameId intern(std::string_view text) {
    if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
    texts_.emplace_back(text);
    const auto id = static_cast<NameId>(texts_.size() - 1);
    ids_.emplace(texts_.back(), id);
    return id;
  }

  [[nodiscard]] std::optional<NameId> find(std::string_view text) const {
    const auto found = ids_.find(text);
    if (found == ids_.end()) return std::nullopt;
    return found->second;
  }

  // Requires: `id` came from this table.
  [[nodiscard]] const std::string& text(NameId id) const { return texts_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;  // a deque: views of its strings stay good
  std::unordered_map<std::string_view, NameId> ids_;
};

}  // namespace taintgraph::traces
