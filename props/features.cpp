#include "props/features.hpp"

#include <algorithm>
#include <array>

namespace taintgraph::props {
namespace {

// Floors are about a fifth of what the generator gives, so that chance never gets there and a lost habit always does.
constexpr std::array<FeatureRow, kFeatureCount> kTable = {{
    {Feature::chain_of_one, "skip chain of one", 80},
    {Feature::chain_of_two, "skip chain of two", 30},
    {Feature::chain_of_three_or_more, "skip chain of three or more", 30},
    {Feature::dropped_records, "more skips than records of a failure", 6},
    {Feature::several_roots, "several roots in one read", 50},
    {Feature::failed_reservation, "failed reservation", 250},
    {Feature::refused_host_write, "host write to an unallocated buffer", 100},
    {Feature::skipped_by_unallocated, "launch skipped by an unallocated buffer", 400},
    {Feature::host_exception, "host exception in a write scope", 80},
    {Feature::fault_after_effect, "fault after the effect", 150},
    {Feature::fault_with_bytes_done, "fault with bytes done", 60},
    {Feature::claim_split, "claim split by a write inside it", 15},
    {Feature::many_fragments, "claims of one buffer in more than 128 pieces", 35},
    {Feature::a_thousand_fragments, "claims of one buffer in a thousand pieces", 1},
    {Feature::reclaim, "claimed bytes claimed again", 500},
    {Feature::never_written_read, "read of bytes never written", 60},
    {Feature::cross_stream_order, "bytes passed between streams without a wait", 800},
    {Feature::reuse_while_queued, "reservation after a free with work queued", 250},
    {Feature::zero_length, "zero-length range", 250},
    {Feature::empty_buffer, "empty buffer", 30},
    {Feature::trust, "trust", 150},
    {Feature::cleanup_explicit, "explicit cleanup", 150},
    {Feature::cleanup_periodic, "periodic cleanup", 70},
    {Feature::rejected_stale, "rejected: stale handle", 150},
    {Feature::rejected_out_of_bounds, "rejected: out of bounds", 60},
    {Feature::rejected_misfit, "rejected: launch that does not fit", 100},
    {Feature::rejected_otherwise, "rejected: other reasons", 60},
    {Feature::relocated, "relocation", 160},
    {Feature::relocated_claims, "relocation of a buffer with claims", 40},
    {Feature::relocation_failed, "relocation that failed", 40},
    {Feature::capture_made_a_graph, "capture that became a graph", 90},
    {Feature::capture_doomed, "capture doomed by a failure inside", 40},
    {Feature::recorded_failure, "failure while recording", 75},
    {Feature::replayed, "replay", 45},
    {Feature::replay_beside_another, "replay beside the graph's last one", 25},
    {Feature::replay_skipped, "replay that was skipped", 14},
    {Feature::replay_failed, "replay that failed", 6},
    {Feature::rejected_by_capture, "rejected: the stream captures", 200},
    {Feature::poisoned_at_once, "device poisoned at once", 22},
    {Feature::surfaced_later, "asynchronous fault that surfaced later", 12},
    {Feature::surfaced_after_some_calls, "asynchronous fault that kept quiet for a while", 3},
    {Feature::reset_done, "reset", 28},
    {Feature::reset_refused, "reset of a healthy device", 31},
    {Feature::reset_in_vain, "reset that recovers nothing", 2},
    {Feature::reset_after_one_in_vain, "reset after one that failed, with memory given back between", 25},
    {Feature::work_after_a_reset, "launch in a context made anew", 27},
    {Feature::poisoned_alloc, "poisoned: alloc", 24},
    {Feature::poisoned_write, "poisoned: write", 8},
    {Feature::poisoned_launch, "poisoned: launch", 18},
    {Feature::poisoned_copy, "poisoned: copy", 9},
    {Feature::poisoned_read, "poisoned: read", 8},
    {Feature::poisoned_sync, "poisoned: sync", 17},
    {Feature::poisoned_wait, "poisoned: wait", 7},
    {Feature::poisoned_relocate, "poisoned: relocate", 3},
    {Feature::poisoned_capture_begin, "poisoned: capture_begin", 11},
    {Feature::poisoned_capture_end, "poisoned: capture_end", 1},
    {Feature::poisoned_replay, "poisoned: replay", 1},
    {Feature::poisoned_read_of_claims, "poisoned: read of claimed bytes", 1},
    {Feature::sync_given_up, "sync that was given up", 60},
    {Feature::read_given_up, "read that was given up", 12},
    {Feature::capture_begin_given_up, "capture that could not begin for a hang", 10},
    {Feature::deadline_met, "sync done before its deadline", 35},
    {Feature::given_up_then_done, "sync of work that was merely slow", 12},
    {Feature::hang_ended_by_a_reset, "hang ended by a reset", 10},
    {Feature::order_lost, "work that could not be put in order", 10},
    {Feature::order_lost_behind_a_quiet_fault, "work that could not be put in order behind a quiet fault", 1},
    {Feature::window_in_doubt, "capture that may have begun", 1},
}};

}  // namespace

std::span<const FeatureRow> feature_table() { return kTable; }

void FeatureCounts::add(const FeatureCounts& other) {
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
  for (std::size_t kind = 0; kind < outcomes.size(); ++kind) {
    for (std::size_t i = 0; i < outcomes[kind].size(); ++i) outcomes[kind][i] += other.outcomes[kind][i];
  }
}

std::vector<Feature> below_floor(const FeatureCounts& counts, std::uint64_t cases, std::uint64_t operations_per_case) {
  std::vector<Feature> result;
  if (cases < kFloorsFromCases || operations_per_case < kFloorsFromOperations) return result;
  const std::uint64_t operations = std::min(operations_per_case, kFloorOperations);
  for (const FeatureRow& row : kTable) {
    const std::uint64_t scaled = row.floor_per_1000_cases * cases / 1000 * operations / kFloorOperations;
    const std::uint64_t floor = std::max<std::uint64_t>(1, scaled);
    if (counts.of(row.feature) < floor) result.push_back(row.feature);
  }
  return result;
}

}  // namespace taintgraph::props
