// The failures that a device is still holding, each counted by the allocations that carry it.
//
// Whether bytes can be trusted is a property of memory, so each allocation's Taint holds ids; what an id means is kept
// here, once a device. A failure lives while something carries it (a *tag*) or holds it (a *pin*: the device's poison),
// and is gone the moment neither is true (C1): a graph that keeps growing is a program that keeps memory.
//
// It is not a log: what nothing can read any more is not kept. It knows no memory and no stream.
//
// Cost: every call is O(1) expected but records() and report(), which are bounded, and failures() and validate().
// mint() allocates only while the number of live failures is higher than ever before; tag, untag, prune never do. Not
// thread safe.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "core/failure.hpp"
#include "core/internal/id_map.hpp"

namespace taintgraph::core {

namespace internal {
class ClaimMap;
}

class ErrorGraph {
 public:
  ErrorGraph();
  ~ErrorGraph();
  ErrorGraph(const ErrorGraph&) = delete;
  ErrorGraph& operator=(const ErrorGraph&) = delete;

  // How many skip records a failure keeps: the newest (R2). A chain is walked from its newest end, so dropping the
  // oldest loses hops near the root, and the root is always known.
  static constexpr std::size_t kSkipRecords = 16;

  // A new failure, carried by nothing yet: whoever mints it tags, pins or prunes it before the operation ends (C1).
  // Throws std::bad_alloc; nothing has changed then.
  [[nodiscard]] FailureId mint(Error error, Correlation correlation);
  // The same with torn_down(), for a write scope that has not ended (W2). Every launch mints one, so no error is
  // written for it.
  [[nodiscard]] FailureId mint_provisional(Correlation correlation);

  // One more allocation, or one fewer, carries it (C2). Called by Taint and by unallocated records, once each however
  // many byte ranges there are. The last untag drops the failure. Require: it is in the graph; for untag: it is tagged.
  void tag(FailureId failure) {
    Carried& counts = carried(failure);
    TAINTGRAPH_CHECK(counts.tagged != UINT32_MAX, "a failure has fewer than 2^32 carriers");
    ++counts.tagged;
    ++tags_;
  }
  void untag(FailureId failure) {
    Carried& counts = carried(failure);
    TAINTGRAPH_CHECK(counts.tagged > 0, "C2: untagged more often than tagged");
    --tags_;
    if (--counts.tagged == 0 && counts.pins == 0) drop(failure, counts);
  }

  // Holds the failure without any allocation carrying it (D1), and lets go of it again. Require: as for tag and untag.
  void pin(FailureId failure);
  void unpin(FailureId failure);

  // Drops the failure if nothing carries or holds it; no effect on one that is carried, or gone.
  void prune(FailureId failure);

  // Puts `error` in place of the error that a provisional failure was minted with; every carrier follows (W2).
  // Requires: it is in the graph.
  void replace(FailureId failure, Error error);

  // Adds a skip to the failure's records; the oldest goes if there are more than kSkipRecords. Requires: it is in the
  // graph, and the skip has an input.
  void record(FailureId failure, SkipRecord skip);

  // Says what may have caused a failure, for its reports. Requires: it is in the graph.
  void suspect(FailureId failure, Suspects suspects);

  // The answer to a read of `from`, claimed by `failure`: the chain takes the newest record that produced bytes of
  // `from`, then the newest older one that produced bytes of that record's first input, and so on (R2). Requires: it is
  // in the graph.
  [[nodiscard]] FailureReport report(FailureId failure, const WeakBinding& from) const;
  // The same without a chain, for bytes that no skip can have produced (an unallocated buffer, a device's poison).
  [[nodiscard]] FailureReport report(FailureId failure) const;
  // The same, into a report that says nothing yet.
  void describe(FailureId failure, FailureReport& report) const;

  [[nodiscard]] bool contains(FailureId failure) const { return index_.find(failure) != nullptr; }
  // Require: it is in the graph.
  [[nodiscard]] const Error& error(FailureId failure) const {
    const Carried& found = carried(failure);
    return found.provisional ? provisional_ : found.node->error;
  }
  [[nodiscard]] Correlation correlation(FailureId failure) const { return node(failure).correlation; }
  [[nodiscard]] std::uint64_t tagged(FailureId failure) const { return carried(failure).tagged; }
  [[nodiscard]] bool pinned(FailureId failure) const { return carried(failure).pins != 0; }
  [[nodiscard]] Suspects suspects(FailureId failure) const;
  [[nodiscard]] std::uint64_t records_total(FailureId failure) const;
  [[nodiscard]] std::vector<SkipRecord> records(FailureId failure) const;  // newest last

  [[nodiscard]] std::size_t size() const { return index_.size(); }
  [[nodiscard]] bool empty() const { return size() == 0; }
  // Sum of all tag counts.
  [[nodiscard]] std::uint64_t tags() const { return tags_; }
  // The id minted last; none before the first (C3).
  [[nodiscard]] FailureId last_minted() const { return FailureId(minted_); }

  // A claim had to be left wider than the truth because the host was out of memory (B5); how often that happened.
  void count_widened() { ++widened_; }
  [[nodiscard]] std::uint64_t widened() const { return widened_; }

  // Maps that the taints counted here have used and may use again, so that cutting a claim costs no allocation once
  // warm.
  [[nodiscard]] std::vector<std::unique_ptr<internal::ClaimMap>>& spare_maps() { return spare_maps_; }

  // Every failure, oldest first. O(n log n).
  [[nodiscard]] std::vector<FailureId> failures() const;

  // Recounts what is kept incrementally; CHECKs that it agrees.
  void validate() const;

 private:
  struct SkipLog {
    std::vector<SkipRecord> ring;  // at most kSkipRecords, oldest overwritten
    std::uint64_t total = 0;
    [[nodiscard]] const SkipRecord& newest(std::size_t age) const { return ring[(total - 1 - age) % kSkipRecords]; }
  };
  struct Node {
    FailureId id;  // the one that used it last, dropped or not
    Correlation correlation{};
    Error error;
    std::unique_ptr<SkipLog> skips;
    std::unique_ptr<Suspects> suspects;

    void forget();
  };
  // What claims and releases ask for. It stands in the index itself: among many failures each cache line counts, so a
  // release looks at no node, and neither does the drop of one that owns nothing.
  struct Carried {
    Node* node = nullptr;
    std::uint32_t tagged = 0;
    std::uint16_t pins = 0;
    bool provisional = false;  // its error is provisional_, not the node's
    bool owns = false;         // the node has text, skips or suspects to free
  };

  [[nodiscard]] Carried& carried(FailureId failure) {
    Carried* const found = index_.find(failure);
    TAINTGRAPH_CHECK(found, "a carried failure is in the graph (C1)");
    return *found;
  }
  [[nodiscard]] const Carried& carried(FailureId failure) const {
    return const_cast<ErrorGraph*>(this)->carried(failure);
  }
  [[nodiscard]] const Node& node(FailureId failure) const { return *carried(failure).node; }
  [[nodiscard]] Carried& enter(Correlation correlation);
  void drop(FailureId failure, const Carried& gone) {
    if (gone.owns) gone.node->forget();
    free_nodes_[free_++] = gone.node;
    index_.erase(failure);
  }

  const Error provisional_ = torn_down();
  internal::IdMap<Carried> index_;
  std::deque<Node> nodes_;         // a deque: nodes stay where they are
  std::vector<Node*> free_nodes_;  // room for every node, so that dropping never allocates
  std::size_t free_ = 0;           // how many stand there
  std::uint64_t minted_ = 0;
  std::uint64_t tags_ = 0;
  std::uint64_t widened_ = 0;
  std::vector<std::unique_ptr<internal::ClaimMap>> spare_maps_;
};

}  // namespace taintgraph::core
