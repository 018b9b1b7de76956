// The reference model's failures: a plain map from the operation that caused each to what is known about it.
//
// A failure lives as long as something carries it (C1). Nothing here counts that: after every operation the model walks
// everything there is and says which failures are still carried.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/fault_table.hpp"
#include "props/model_memory.hpp"

namespace taintgraph::props::reference {

// A range that keeps work from running, and the failure of its lowest claimed byte.
struct ClaimedInput {
  Range range;
  Ordinal failure = 0;
};

// Work that was skipped because of a failure (W1). Ranges are whole declared ranges.
struct Skip {
  Ordinal operation = 0;
  std::string_view kernel;           // empty for a replay, which has no kernel of its own
  std::vector<ClaimedInput> inputs;  // every claimed one, in the order found
  std::vector<Range> outputs;        // every range with memory that it would have written
};

// What went wrong, as far as the model can tell.
struct Cause {
  std::string_view error;  // empty: one of several, and nobody can say which
  gpu::FaultRecovery recovery = gpu::FaultRecovery::none;
  bool sticky = false;
};

// Operations that may be to blame for an error that surfaced, newest last; the others are counted.
struct Suspects {
  std::vector<Ordinal> newest;
  std::uint64_t dropped = 0;

  friend bool operator==(const Suspects&, const Suspects&) = default;
};

struct Failure {
  Cause cause;
  std::vector<Skip> skips;  // the newest of them, newest last
  std::uint64_t skips_total = 0;
  Suspects suspects;           // of one that poisoned the device
  bool suspects_open = false;  // nobody can say
};

inline constexpr std::size_t kSkipsKept = 16;  // R2

class Failures {
 public:
  void add(Ordinal operation, const Cause& cause) { failures_[operation] = Failure{cause, {}, 0, {}, false}; }
  void suspect(Ordinal failure, Suspects suspects) { failures_.at(failure).suspects = std::move(suspects); }
  void suspect_anything(Ordinal failure) { failures_.at(failure).suspects_open = true; }
  [[nodiscard]] const Failure& at(Ordinal failure) const { return failures_.at(failure); }
  [[nodiscard]] bool has(Ordinal failure) const { return failures_.count(failure) != 0; }
  [[nodiscard]] std::uint64_t size() const { return failures_.size(); }

  // Keeps the newest kSkipsKept.
  void record(Ordinal failure, Skip skip);

  // The skips between `start`, which `root` claims, and `root`: nearest first (R2).
  [[nodiscard]] std::vector<Skip> chain(Ordinal root, Range start) const;

  // Forgets every failure that is not among `carried`, in rising order.
  void prune(const std::vector<Ordinal>& carried);

 private:
  std::map<Ordinal, Failure> failures_;
};

}  // namespace taintgraph::props::reference
