// An operation's `expect` (or a `check`) against what was found.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "traces/name_table.hpp"
#include "traces/session.hpp"

namespace taintgraph::traces {

// Operations by ordinal, as traces name them: by id, or "#n". Remembers ids only of operations that results can name:
// those that failed or were skipped, allocations (whose fresh memory may be claimed in their name), and the newest work
// of each stream (which may be blamed).
class OperationNames {
 public:
  explicit OperationNames(const NameTable& names) : names_(names) {}

  // `result` is what executing `operation` gave.
  void remember(const Operation& operation, std::uint64_t ordinal, const StepResult& result);

  [[nodiscard]] std::string text(std::uint64_t ordinal) const;
  [[nodiscard]] bool matches(NameId expected, std::uint64_t ordinal) const;
  [[nodiscard]] const NameTable& names() const { return names_; }

 private:
  const NameTable& names_;
  std::unordered_map<std::uint64_t, NameId> ids_;
  std::unordered_map<std::uint32_t, std::deque<std::pair<std::uint64_t, NameId>>> work_;  // by stream, newest last
};

struct Mismatch {
  std::string what;      // "outcome", "roots", "bytes", ...; "check", "finding", "end" for those
  std::string expected;  // empty for findings and failed checks, which say it all in `found`
  std::string found;
};

// Everything about one step that does not hold: its `expect`, its failed checks, and every finding.
[[nodiscard]] std::vector<Mismatch> compare(const Operation& operation, const StepResult& result,
                                            const OperationNames& names);

[[nodiscard]] std::string to_string(const Mismatch& mismatch);

// "[P, Q]"
[[nodiscard]] std::string list_text(const std::vector<std::uint64_t>& ordinals, const OperationNames& names);
// A name as it can be shown on one line: control characters written as \\xNN.
[[nodiscard]] std::string visible(std::string_view name);
// Lower-case hex, two digits a byte; cut off after `limit` bytes with the count of the rest.
[[nodiscard]] std::string hex_text(const std::vector<std::uint8_t>& bytes, std::size_t limit = SIZE_MAX);

}  // namespace taintgraph::traces
