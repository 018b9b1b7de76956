// The scope in which work that writes memory is submitted (W2).
//
// On entry the write set is claimed by a provisional failure, whose error says that the scope was torn down. succeed()
// releases the claims; fail() puts the real error in the provisional one's place. Leaving any other way, by an
// exception, leaves the claims standing with the error they have: nothing has to run for memory to be distrusted. So
// does an early return that calls neither; its claims say "host_exception", too. Requires: unless an exception leaves
// the scope, one of the two is called, and once.
//
// An empty write set claims nothing and mints nothing until it fails.
//
// Cost: one mint, one claim and one release a target. Allocates nothing unless a target already has other claims.
#pragma once

#include <span>
#include <utility>

#include "core/error_graph.hpp"
#include "core/taint.hpp"

namespace taintgraph::core {

// One range to be written, and the taint of the allocation that it lies in. Requires: there is one, and what it carries
// is counted by the scope's graph.
struct WriteTarget {
  Taint* taint = nullptr;
  ByteRange range;
};

class WriteScope {
 public:
  // `targets` must outlive the scope. Throws std::bad_alloc; nothing is claimed then.
  WriteScope(ErrorGraph& graph, std::span<const WriteTarget> targets, Correlation correlation)
      : graph_(graph), targets_(targets), correlation_(correlation), widened_(graph.widened()) {
    for (const WriteTarget& target : targets_) {
      if (target.range.empty()) continue;
      if (!failure_) failure_ = graph_.mint_provisional(correlation_);
      target.taint->claim(target.range, failure_, graph_);
    }
  }
  WriteScope(const WriteScope&) = delete;
  WriteScope& operator=(const WriteScope&) = delete;
  ~WriteScope() = default;

  // The work was submitted: its write set is trusted.
  void succeed() {
    for (const WriteTarget& target : targets_) target.taint->release(target.range, graph_);
    // A claim that the host had no memory to cut is still there; it must not blame work that went well (B5).
    if (graph_.widened() != widened_ && graph_.contains(failure_)) graph_.replace(failure_, host_out_of_memory());
  }

  // The work failed with `error`: its write set stays claimed. Returns the failure; the caller prunes it when it has
  // been reported, since an empty write set leaves it carried by nothing.
  [[nodiscard]] FailureId fail(Error error) {
    if (!failure_) return graph_.mint(std::move(error), correlation_);
    graph_.replace(failure_, std::move(error));
    return failure_;
  }

 private:
  ErrorGraph& graph_;
  std::span<const WriteTarget> targets_;
  Correlation correlation_;
  std::uint64_t widened_;
  FailureId failure_;
};

}  // namespace taintgraph::core
