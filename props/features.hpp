// What a run has exercised, seen from outside: counts of behaviours that the properties are about, and the least of
// each that a run must show. A generator that drifts away from deep skip chains still passes every property; these
// floors are what notices.
//
// Counting takes the checked results as they are and adds a little bookkeeping of buffers and streams, so some features
// are approximations; each says so where it is counted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "traces/operation.hpp"
#include "traces/session.hpp"

namespace taintgraph::props {

enum class Feature : std::uint8_t {
  chain_of_one,
  chain_of_two,
  chain_of_three_or_more,
  dropped_records,
  several_roots,
  failed_reservation,
  refused_host_write,
  skipped_by_unallocated,
  host_exception,
  fault_after_effect,
  fault_with_bytes_done,
  claim_split,
  many_fragments,
  a_thousand_fragments,
  reclaim,
  never_written_read,
  cross_stream_order,
  reuse_while_queued,
  zero_length,
  empty_buffer,
  trust,
  cleanup_explicit,
  cleanup_periodic,
  rejected_stale,
  rejected_out_of_bounds,
  rejected_misfit,
  rejected_otherwise,
  relocated,
  relocated_claims,
  relocation_failed,
  capture_made_a_graph,
  capture_doomed,
  recorded_failure,
  replayed,
  replay_beside_another,
  replay_skipped,
  replay_failed,
  rejected_by_capture,
  poisoned_at_once,
  surfaced_later,
  surfaced_after_some_calls,
  reset_done,
  reset_refused,
  reset_in_vain,
  reset_after_one_in_vain,
  work_after_a_reset,
  poisoned_alloc,
  poisoned_write,
  poisoned_launch,
  poisoned_copy,
  poisoned_read,
  poisoned_sync,
  poisoned_wait,
  poisoned_relocate,
  poisoned_capture_begin,
  poisoned_capture_end,
  poisoned_replay,
  poisoned_read_of_claims,
  sync_given_up,
  read_given_up,
  capture_begin_given_up,
  deadline_met,
  given_up_then_done,
  hang_ended_by_a_reset,
  order_lost,
  order_lost_behind_a_quiet_fault,
  window_in_doubt,
};
inline constexpr std::size_t kFeatureCount = 67;

struct FeatureRow {
  Feature feature;
  std::string_view name;
  std::uint64_t floor_per_1000_cases;  // of kFloorOperations each
};

// One row a feature, in the order of Feature.
[[nodiscard]] std::span<const FeatureRow> feature_table();

struct FeatureCounts {
  std::array<std::uint64_t, kFeatureCount> counts{};
  // By kind of operation, then outcome.
  std::array<std::array<std::uint64_t, traces::kOutcomeCount>, traces::kOpKindCount> outcomes{};

  void count(Feature feature) { ++counts[static_cast<std::size_t>(feature)]; }
  [[nodiscard]] std::uint64_t of(Feature feature) const { return counts[static_cast<std::size_t>(feature)]; }
  void add(const FeatureCounts& other);
};

inline constexpr std::uint64_t kFloorOperations = 40;
inline constexpr std::uint64_t kFloorsFromCases = 1000;     // fewer say little about a rate
inline constexpr std::uint64_t kFloorsFromOperations = 20;  // a case; shorter ones cannot be expected to go deep

// The features that are below their floors, scaled to the size of the run; empty if the run is too small to say.
[[nodiscard]] std::vector<Feature> below_floor(const FeatureCounts& counts, std::uint64_t cases,
                                               std::uint64_t operations_per_case);

// Counts the features of one program as it runs.
class FeatureObserver {
 public:
  FeatureObserver(std::size_t names, FeatureCounts& counts) : counts_(counts), buffers_(names) {}

  // Called after each operation, in order. `ordinal` counts from 1.
  void observe(const traces::Operation& operation, std::uint64_t ordinal, const traces::StepResult& result);

 private:
  struct Buffer {
    bool live = false;
    std::uint64_t size_bytes = 0;
    std::uint32_t users = 0;  // streams that touched it, as bits
    bool claimed = false;     // a range of it, the last one claimed, is known:
    std::uint64_t claim_begin = 0;
    std::uint64_t claim_end = 0;
  };
  struct Extent {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };

  [[nodiscard]] Buffer* buffer(traces::NameId id);
  [[nodiscard]] Extent extent(const traces::Ref& ref);
  void observe_faults(const traces::StepResult& result);
  void observe_rejection(const traces::StepResult& result);
  void observe_buffer(const traces::Operation& operation, std::uint64_t ordinal, const traces::StepResult& result);
  void observe_loss(const traces::Operation& operation, const traces::StepResult& result);
  void observe_disorder(const traces::Operation& operation, const traces::StepResult& result);
  void observe_waits(const traces::Operation& operation, const traces::StepResult& result);
  void observe_capture(const traces::Operation& operation, std::uint64_t ordinal, const traces::StepResult& result);
  void observe_replay(const traces::Operation& operation);
  void observe_relocation(const traces::Operation& operation, const traces::StepResult& result);
  void observe_read(const traces::StepResult& result);
  void observe_ranges(const traces::Operation& operation);
  void observe_streams(const traces::Operation& operation, const traces::StepResult& result);
  void observe_write(const traces::Ref& ref, traces::Outcome outcome);

  FeatureCounts& counts_;
  std::vector<Buffer> buffers_;                        // by name
  std::set<std::uint64_t> failed_allocs_;              // ordinals
  std::set<std::uint64_t> freed_while_used_;           // sizes of buffers freed with work still queued on them
  bool silent_ = false;                                // an asynchronous fault was caused that may keep quiet
  bool reset_ = false;                                 // the context is not the first
  bool in_vain_ = false;                               // the last reset failed
  bool gave_back_ = false;                             // there was a cleanup since
  std::uint32_t capturing_ = 0;                        // streams, as bits
  std::uint32_t given_up_ = 0;                         // streams that were last waited for in vain, as bits
  bool hangs_ = false;                                 // a wait without a deadline was given up
  std::map<traces::NameId, std::uint32_t> replaying_;  // the stream of each graph's last replay, if not waited for
  std::uint32_t pending_ = 0;                          // streams with work since they were last waited for, as bits
};

}  // namespace taintgraph::props
