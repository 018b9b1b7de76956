#include "core/error_graph.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "core/internal/claim_map.hpp"

namespace taintgraph::core {

ErrorGraph::ErrorGraph() = default;
ErrorGraph::~ErrorGraph() = default;

FailureId ErrorGraph::mint(Error error, Correlation correlation) {
  Carried& fresh = enter(correlation);
  fresh.owns = !error.detail.empty();
  fresh.node->error = std::move(error);
  return FailureId(minted_);
}

FailureId ErrorGraph::mint_provisional(Correlation correlation) {
  enter(correlation).provisional = true;
  return FailureId(minted_);
}

// A new failure, without its error.
inline ErrorGraph::Carried& ErrorGraph::enter(Correlation correlation) {
  index_.reserve_one();
  if (free_ == 0) {
    free_nodes_.resize(nodes_.size() + 1);
    free_nodes_[free_++] = &nodes_.emplace_back();
  }
  Node& fresh = *free_nodes_[--free_];
  fresh.id = FailureId(++minted_);
  fresh.correlation = correlation;
  return index_.insert(fresh.id, {.node = &fresh});
}

void ErrorGraph::pin(FailureId failure) {
  Carried& held = carried(failure);
  TAINTGRAPH_CHECK(held.pins < UINT16_MAX, "D1: a device holds its poison once");
  ++held.pins;
}

void ErrorGraph::unpin(FailureId failure) {
  Carried& held = carried(failure);
  TAINTGRAPH_CHECK(held.pins > 0, "D1: let go more often than held");
  if (--held.pins == 0 && held.tagged == 0) drop(failure, held);
}

void ErrorGraph::prune(FailureId failure) {
  const Carried* const found = index_.find(failure);
  if (found && found->tagged == 0 && found->pins == 0) drop(failure, *found);
}

void ErrorGraph::replace(FailureId failure, Error error) {
  Carried& found = carried(failure);
  found.provisional = false;
  found.owns = found.owns || !error.detail.empty();
  found.node->error = std::move(error);
}

void ErrorGraph::record(FailureId failure, SkipRecord skip) {
  TAINTGRAPH_CHECK(!skip.inputs.empty(), "W1: a skip has an input that decided it");
  Carried& cause = carried(failure);
  if (!cause.node->skips) cause.node->skips = std::make_unique<SkipLog>();
  cause.owns = true;
  SkipLog& log = *cause.node->skips;
  if (log.ring.size() < kSkipRecords) {
    log.ring.push_back(std::move(skip));
  } else {
    log.ring[log.total % kSkipRecords] = std::move(skip);
  }
  ++log.total;
}

void ErrorGraph::suspect(FailureId failure, Suspects suspects) {
  if (suspects.newest.empty()) return;  // then none was dropped either
  Carried& found = carried(failure);
  found.node->suspects = std::make_unique<Suspects>(std::move(suspects));
  found.owns = true;
}

Suspects ErrorGraph::suspects(FailureId failure) const {
  const Node& found = node(failure);
  return found.suspects ? *found.suspects : Suspects{};
}

FailureReport ErrorGraph::report(FailureId failure) const {
  FailureReport report;
  describe(failure, report);
  return report;
}

void ErrorGraph::describe(FailureId failure, FailureReport& report) const {
  const Carried& counts = carried(failure);
  const Node& found = *counts.node;
  report.failure = failure;
  report.carriers = counts.tagged;
  report.correlation = found.correlation;
  report.root = counts.provisional ? provisional_ : found.error;
  if (found.skips) report.dropped_records = found.skips->total - found.skips->ring.size();
  if (found.suspects) report.suspects = *found.suspects;
}

FailureReport ErrorGraph::report(FailureId failure, const WeakBinding& from) const {
  FailureReport report = this->report(failure);
  const Node& found = node(failure);
  if (!found.skips) return report;

  const auto produced = [](const SkipRecord& skip, const WeakBinding& bytes) {
    return std::any_of(skip.outputs.begin(), skip.outputs.end(), [&](const WeakBinding& output) {
      return output.buffer == bytes.buffer && overlaps(output.range, bytes.range);
    });
  };
  // Each hop is older than the one before, so one pass over the records is the whole walk.
  WeakBinding target = from;
  for (std::size_t age = 0; age < found.skips->ring.size(); ++age) {
    const SkipRecord& skip = found.skips->newest(age);
    if (!produced(skip, target)) continue;
    report.chain.push_back(skip);
    target = skip.inputs.front().binding;
  }
  return report;
}

std::uint64_t ErrorGraph::records_total(FailureId failure) const {
  const Node& found = node(failure);
  return found.skips ? found.skips->total : 0;
}

std::vector<SkipRecord> ErrorGraph::records(FailureId failure) const {
  const Node& found = node(failure);
  std::vector<SkipRecord> oldest_first;
  if (!found.skips) return oldest_first;
  for (std::size_t age = found.skips->ring.size(); age-- > 0;) oldest_first.push_back(found.skips->newest(age));
  return oldest_first;
}

std::vector<FailureId> ErrorGraph::failures() const {
  std::vector<FailureId> ids;
  ids.reserve(size());
  index_.for_each([&](FailureId id, const Carried&) { ids.push_back(id); });
  std::sort(ids.begin(), ids.end());
  return ids;
}

void ErrorGraph::validate() const {
  std::uint64_t tags = 0;
  index_.validate([&](FailureId id, const Carried& each) {
    tags += each.tagged;
    const Node& node = *each.node;
    TAINTGRAPH_CHECK(node.id == id, "every failure has a node of its own");
    TAINTGRAPH_CHECK(each.owns || (node.error.detail.empty() && !node.skips && !node.suspects),
                     "what a node owns is known");
    TAINTGRAPH_CHECK(id.value() <= minted_, "C3: ids are minted in order");
  });
  for (std::size_t i = 0; i < free_; ++i)
    TAINTGRAPH_CHECK(!contains(free_nodes_[i]->id), "a free node is no failure's");
  TAINTGRAPH_CHECK(index_.size() + free_ == nodes_.size(), "every node is in use or free");
  TAINTGRAPH_CHECK(tags == tags_, "C2: the running sum of tags");
}

void ErrorGraph::Node::forget() {
  error = Error{};
  skips.reset();
  suspects.reset();
}

}  // namespace taintgraph::core
