#include "traces/internal/name_ledger.hpp"

#include <algorithm>
#include <tuple>

namespace taintgraph::traces::internal {
namespace {

std::uint32_t number(NameId name) { return static_cast<std::uint32_t>(name); }

}  // namespace

std::uint8_t& NameLedger::flags(NameId name) {
  if (number(name) >= flags_.size()) flags_.resize(std::size_t{number(name)} + 1);
  return flags_[number(name)];
}

void NameLedger::allocates(NameId buffer) {
  std::uint8_t& known = flags(buffer);
  if ((known & kAllocated) != 0) return;
  known |= kAllocated;
  buffers_.erase(number(buffer));
}

void NameLedger::uses_buffer(NameId buffer, Place place, const ProblemList& problems) {
  if ((flags(buffer) & kAllocated) != 0 || buffers_.count(number(buffer)) != 0) return;
  buffers_.emplace(number(buffer), Use{place, problems.pointer()});
}

bool NameLedger::defines(NameId operation) {
  std::uint8_t& known = flags(operation);
  if ((known & kOperation) != 0) return false;
  known |= kOperation;
  operations_.erase(number(operation));
  return true;
}

void NameLedger::uses_operation(NameId operation, Place place, const ProblemList& problems) {
  if ((flags(operation) & kOperation) != 0 || operations_.count(number(operation)) != 0) return;
  operations_.emplace(number(operation), Use{place, problems.pointer()});
}

void NameLedger::uses_ordinal(std::uint64_t ordinal, std::uint64_t now, Place place, const ProblemList& problems) {
  if (ordinal <= now || ordinals_.count(ordinal) != 0) return;
  ordinals_.emplace(ordinal, Use{place, problems.pointer()});
}

void NameLedger::report(const NameTable& names, std::uint64_t operations, ProblemList& problems) const {
  struct Missing {
    const Use* use;
    std::string message;
  };
  std::vector<Missing> missing;
  for (const auto& [name, use] : buffers_) {
    missing.push_back({&use, "no operation of this file allocates a buffer " +
                                 in_quotes(names.text(static_cast<NameId>(name))) +
                                 "; expected one that is allocated"});
  }
  for (const auto& [name, use] : operations_) {
    missing.push_back({&use, "no operation of this file has the id " +
                                 in_quotes(names.text(static_cast<NameId>(name))) + "; expected the id of one"});
  }
  for (auto late = ordinals_.upper_bound(operations); late != ordinals_.end(); ++late) {
    missing.push_back({&late->second, "there is no operation #" + std::to_string(late->first) + "; expected #1 to #" +
                                          std::to_string(operations)});
  }
  // The maps have no order of their own that a report may show.
  std::sort(missing.begin(), missing.end(), [](const Missing& a, const Missing& b) {
    return std::tie(a.use->place.line, a.use->place.column) < std::tie(b.use->place.line, b.use->place.column);
  });
  for (Missing& one : missing) problems.add_at(one.use->place, std::move(one.message), one.use->pointer);
}

}  // namespace taintgraph::traces::internal
