// What the names of a trace stand for, as far as the file alone can tell: which buffer names are allocated somewhere,
// which operation ids exist, and which uses are still waiting for one (a use may stand before its definition).
//
// Memory: a byte for each name, and one entry for each name that is waiting. It does not know whether a buffer is live
// when it is used; that is judged when the trace runs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "traces/internal/problem_list.hpp"
#include "traces/name_table.hpp"

namespace taintgraph::traces::internal {

class NameLedger {
 public:
  void allocates(NameId buffer);
  // A use of a buffer at `place`, where `problems` has its path.
  void uses_buffer(NameId buffer, Place place, const ProblemList& problems);

  // False if an earlier operation has this id.
  [[nodiscard]] bool defines(NameId operation);
  void uses_operation(NameId operation, Place place, const ProblemList& problems);
  // A use of "#ordinal", in an operation whose own ordinal is `now`.
  void uses_ordinal(std::uint64_t ordinal, std::uint64_t now, Place place, const ProblemList& problems);

  // At the end of a file of `operations` operations: a problem for each name that is still waiting, at its first use.
  void report(const NameTable& names, std::uint64_t operations, ProblemList& problems) const;

 private:
  struct Use {
    Place place;
    std::string pointer;
  };
  using Waiting = std::unordered_map<std::uint32_t, Use>;

  static constexpr std::uint8_t kAllocated = 1;
  static constexpr std::uint8_t kOperation = 2;

  [[nodiscard]] std::uint8_t& flags(NameId name);

  std::vector<std::uint8_t> flags_;
  Waiting buffers_;
  Waiting operations_;
  std::map<std::uint64_t, Use> ordinals_;
};

}  // namespace taintgraph::traces::internal
