// Walks the members of one object whose names are known: says which one is next, and takes care of those that are not
// for the caller. A duplicate or unknown name is a problem; a name that begins with "x-" is let through, and kept as
// text if asked.
//
// The path of the problems includes the member for as long as it is the current one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

#include "traces/internal/value_reader.hpp"

namespace taintgraph::traces::internal {

class Members {
 public:
  // Requires: in.object() has just said true, and `names` are at most 32 that outlive this. Kept members go to
  // `extensions` if that is not null, in the form of Operation's annotations.
  Members(ValueReader& in, std::span<const std::string_view> names, std::string* extensions = nullptr);

  // Moves to the next member that is one of the names: its index. The caller reads its value.
  [[nodiscard]] std::optional<std::size_t> next();

  // The object's own place, and the current member's name's.
  [[nodiscard]] Place place() const { return place_; }
  [[nodiscard]] Place key_place() const { return key_place_; }
  [[nodiscard]] bool has(std::size_t member) const { return (seen_ >> member & 1U) != 0; }
  [[nodiscard]] std::uint32_t seen() const { return seen_; }

  // After the last member: a problem if `member` was missing.
  void require(std::size_t member);

 private:
  void keep(const std::string& name);
  void unknown(const std::string& name);

  ValueReader& in_;
  std::span<const std::string_view> names_;
  std::string* extensions_;
  Place place_;
  Place key_place_;
  std::uint32_t seen_ = 0;
  std::optional<PathStep> step_;
  std::optional<std::unordered_set<std::string>> others_;  // names beginning with "x-" so far
};

}  // namespace taintgraph::traces::internal
