// The moments of a run, collected while it goes on, to be shown one after the other.
//
// A port: this room may not look at the one that draws, so whoever runs a trace is handed a Film.
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "traces/snapshot.hpp"

namespace taintgraph::traces {

class Film {
 public:
  virtual ~Film() = default;

  // What the graph was after an operation; `caption` says in a line what happened. Moments come in order.
  virtual void add(std::string caption, Snapshot snapshot) = 0;
  // All of it as one page, which opens at `last`. Errors in words. Called once.
  [[nodiscard]] virtual tl::expected<std::string, std::string> page(Snapshot last) = 0;
};

// How many operations, counted from a run's end, are worth a moment: each costs a snapshot.
inline constexpr std::uint64_t kFilmedOperations = 400;

}  // namespace taintgraph::traces
