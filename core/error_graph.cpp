#include "core/error_graph.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "core/internal/claim_map.hpp"

namespace taintgraph::core {

ErrorGraph::ErrorGraph() = default;
ErrorGraph::~ErrorGraph() = default;

FailureId ErrorGraph::mint(Error error, Correlation correlation) {
  index_.reserve_one();
  if (free_slots_.empty()) {
    if (free_slots_.capacity() <= nodes_.size()) free_slots_.reserve(2 * nodes_.size() + 8);
    nodes_.emplace_back();
    free_slots_.push_back(static_cast<std::uint32_t>(nodes_.size() - 1));
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();

  const FailureId id(++minted_);
  Node& fresh = nodes_[slot];
  fresh.id = id;
  fresh.correlation = correlation;
  fresh.error = std::move(error);
  index_.insert(id, slot);
  recent_ = &fresh;
  return id;
}

void ErrorGraph::tag(FailureId failure) {
  ++node(failure).tagged;
  ++tags_;
}

void ErrorGraph::untag(FailureId failure) {
  Node& carried = node(failure);
  TAINTGRAPH_CHECK(carried.tagged > 0, "C2: untagged more often than tagged");
  --tags_;
  if (--carried.tagged == 0 && carried.pins == 0) drop(carried);
}

void ErrorGraph::pin(FailureId failure) { ++node(failure).pins; }

void ErrorGraph::unpin(FailureId failure) {
  Node& held = node(failure);
  TAINTGRAPH_CHECK(held.pins > 0, "D1: let go more often than held");
  if (--held.pins == 0 && held.tagged == 0) drop(held);
}

void ErrorGraph::prune(FailureId failure) {
  const std::uint32_t slot = index_.get(failure);
  if (slot == internal::IdMap::kAbsent) return;
  Node& found = nodes_[slot];
  if (found.tagged == 0 && found.pins == 0) drop(found);
}

void ErrorGraph::replace(FailureId failure, Error error) { node(failure).error = std::move(error); }

void ErrorGraph::record(FailureId failure, SkipRecord skip) {
  TAINTGRAPH_CHECK(!skip.inputs.empty(), "W1: a skip has an input that decided it");
  Node& cause = node(failure);
  if (!cause.skips) cause.skips = std::make_unique<SkipLog>();
  SkipLog& log = *cause.skips;
  if (log.ring.size() < kSkipRecords) {
    log.ring.push_back(std::move(skip));
  } else {
    log.ring[log.total % kSkipRecords] = std::move(skip);
  }
  ++log.total;
}

void ErrorGraph::suspect(FailureId failure, Suspects suspects) {
  if (suspects.newest.empty()) return;  // then none was dropped either
  node(failure).suspects = std::make_unique<Suspects>(std::move(suspects));
}

Suspects ErrorGraph::suspects(FailureId failure) const {
  const Node& found = node(failure);
  return found.suspects ? *found.suspects : Suspects{};
}

FailureReport ErrorGraph::report(FailureId failure) const {
  const Node& found = node(failure);
  FailureReport report;
  report.failure = failure;
  report.carriers = found.tagged;
  report.correlation = found.correlation;
  report.root = found.error;
  if (found.skips) report.dropped_records = found.skips->total - found.skips->ring.size();
  if (found.suspects) report.suspects = *found.suspects;
  return report;
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
  index_.for_each([&](FailureId id, std::uint32_t) { ids.push_back(id); });
  std::sort(ids.begin(), ids.end());
  return ids;
}

void ErrorGraph::validate() const {
  index_.validate();
  std::uint64_t tags = 0;
  std::size_t live = 0;
  for (std::size_t slot = 0; slot < nodes_.size(); ++slot) {
    const Node& each = nodes_[slot];
    if (!each.id) continue;
    ++live;
    tags += each.tagged;
    TAINTGRAPH_CHECK(index_.get(each.id) == slot, "the index finds every failure");
    TAINTGRAPH_CHECK(each.id.value() <= minted_, "C3: ids are minted in order");
  }
  TAINTGRAPH_CHECK(live == index_.size(), "the index holds nothing else");
  TAINTGRAPH_CHECK(live + free_slots_.size() == nodes_.size(), "every slot is in use or free");
  TAINTGRAPH_CHECK(tags == tags_, "C2: the running sum of tags");
}

ErrorGraph::Node& ErrorGraph::node(FailureId failure) {
  if (recent_ && failure && recent_->id == failure) return *recent_;  // a dropped node has no id, so it matches nothing
  const std::uint32_t slot = index_.get(failure);
  TAINTGRAPH_CHECK(failure && slot != internal::IdMap::kAbsent, "a carried failure is in the graph (C1)");
  recent_ = &nodes_[slot];
  return *recent_;
}

void ErrorGraph::drop(Node& gone) {
  std::uint32_t* slot = index_.find(gone.id);
  free_slots_.push_back(*slot);
  index_.erase(gone.id);
  gone.id = FailureId();
  if (!gone.error.detail.empty()) gone.error = Error{};  // the rest owns nothing
  gone.skips.reset();
  gone.suspects.reset();
}

}  // namespace taintgraph::core
