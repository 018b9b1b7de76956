#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "gpu/fault_table.hpp"
#include "props/features.hpp"

namespace taintgraph::props {
namespace {

using traces::Operation;
using traces::OpKind;
using traces::Outcome;
using traces::Ref;
using traces::StepResult;

constexpr std::uint64_t kManyFragments = 128;  // beyond what core keeps in one block
constexpr std::uint64_t kAThousandFragments = 1000;

constexpr std::uint32_t bit(std::uint32_t stream) { return stream < 32 ? 1U << stream : 0U; }

bool runs_on_a_stream(OpKind kind) {
  return kind == OpKind::write || kind == OpKind::launch || kind == OpKind::copy || kind == OpKind::read;
}

// Kinds of operation that a poisoned device refuses.
std::optional<Feature> poisoned(OpKind kind) {
  switch (kind) {
    case OpKind::alloc:
      return Feature::poisoned_alloc;
    case OpKind::write:
      return Feature::poisoned_write;
    case OpKind::launch:
      return Feature::poisoned_launch;
    case OpKind::copy:
      return Feature::poisoned_copy;
    case OpKind::read:
      return Feature::poisoned_read;
    case OpKind::sync:
      return Feature::poisoned_sync;
    case OpKind::wait:
      return Feature::poisoned_wait;
    case OpKind::relocate:
      return Feature::poisoned_relocate;
    case OpKind::capture_begin:
      return Feature::poisoned_capture_begin;
    case OpKind::capture_end:
      return Feature::poisoned_capture_end;
    case OpKind::replay:
      return Feature::poisoned_replay;
    default:
      return std::nullopt;
  }
}

bool is_sticky(std::string_view error) {
  const std::optional<gpu::FaultKind> kind = gpu::fault_from_string(error);
  return kind && gpu::row(*kind).sticky;
}

bool claims(Outcome outcome) { return outcome == Outcome::failed || outcome == Outcome::skipped; }

}  // namespace

FeatureObserver::Buffer* FeatureObserver::buffer(traces::NameId id) {
  const auto index = static_cast<std::size_t>(id);
  return index < buffers_.size() ? &buffers_[index] : nullptr;
}

FeatureObserver::Extent FeatureObserver::extent(const Ref& ref) {
  const Buffer* known = buffer(ref.buffer);
  return ref.whole ? Extent{0, known ? known->size_bytes : 0} : Extent{ref.begin, ref.end};
}

void FeatureObserver::observe(const Operation& operation, std::uint64_t ordinal, const StepResult& result) {
  ++counts_.outcomes[static_cast<std::size_t>(operation.kind)][static_cast<std::size_t>(result.outcome)];
  observe_faults(result);
  observe_disorder(operation, result);
  observe_loss(operation, result);
  observe_waits(operation, result);
  observe_capture(operation, ordinal, result);
  if (result.outcome == Outcome::rejected) return observe_rejection(result);
  observe_ranges(operation);
  if (result.fragments > kManyFragments) counts_.count(Feature::many_fragments);
  if (result.fragments >= kAThousandFragments) counts_.count(Feature::a_thousand_fragments);
  observe_buffer(operation, ordinal, result);
  if (operation.kind == OpKind::read) observe_read(result);
  if (operation.kind == OpKind::relocate) observe_relocation(operation, result);
  if (operation.kind == OpKind::write && result.outcome == Outcome::unwritten) {
    counts_.count(Feature::refused_host_write);
  }
  if (result.outcome == Outcome::skipped && !result.roots.empty() && failed_allocs_.count(result.roots[0]) > 0) {
    counts_.count(Feature::skipped_by_unallocated);
  }
  const bool recorded =
      (operation.kind == OpKind::launch || operation.kind == OpKind::copy) && (capturing_ & bit(operation.stream)) != 0;
  if (recorded) return;  // claims nothing, uses nothing
  observe_streams(operation, result);
  if (runs_on_a_stream(operation.kind) || operation.kind == OpKind::trust) {
    for (const Ref& ref : operation.writes) observe_write(ref, result.outcome);
  }
}

void FeatureObserver::observe_faults(const StepResult& result) {
  for (const sim::FiredFault& fault : result.fired) {
    if (fault.kind == gpu::FaultKind::host_exception) counts_.count(Feature::host_exception);
    if (fault.when == gpu::FaultWhen::after) counts_.count(Feature::fault_after_effect);
    if (fault.bytes_done > 0) counts_.count(Feature::fault_with_bytes_done);
  }
}

void FeatureObserver::observe_rejection(const StepResult& result) {
  if (result.error == core::program_error::stale_handle) {
    counts_.count(Feature::rejected_stale);
  } else if (result.error == core::program_error::out_of_bounds) {
    counts_.count(Feature::rejected_out_of_bounds);
  } else if (result.error == core::program_error::does_not_fit) {
    counts_.count(Feature::rejected_misfit);
  } else if (result.error == core::program_error::capture_state) {
    counts_.count(Feature::rejected_by_capture);
  } else {
    counts_.count(Feature::rejected_otherwise);
  }
}

void FeatureObserver::observe_buffer(const Operation& operation, std::uint64_t ordinal, const StepResult& result) {
  Buffer* known = buffer(operation.buffer);
  if (operation.kind == OpKind::alloc && known) {
    if (result.outcome == Outcome::failed) {
      counts_.count(Feature::failed_reservation);
      failed_allocs_.insert(ordinal);
    } else if (operation.size == 0) {
      counts_.count(Feature::empty_buffer);
    } else if (freed_while_used_.count(operation.size) > 0) {
      // That the work was really unfinished, and the very memory wanted, cannot be seen from here.
      counts_.count(Feature::reuse_while_queued);
    }
    *known = Buffer{};
    known->live = true;
    known->size_bytes = operation.size;
  }
  if (operation.kind == OpKind::free && known) {
    if ((known->users & pending_) != 0) freed_while_used_.insert(known->size_bytes);
    *known = Buffer{};
  }
  if (operation.kind == OpKind::trust) counts_.count(Feature::trust);
  if (operation.kind == OpKind::cleanup) {
    gave_back_ = true;
    counts_.count(operation.cleanup == traces::CleanupMode::periodic ? Feature::cleanup_periodic
                                                                     : Feature::cleanup_explicit);
  }
}

void FeatureObserver::observe_loss(const Operation& operation, const StepResult& result) {
  bool at_once = false;
  for (const sim::FiredFault& fault : result.fired) {
    const bool async = fault.when == gpu::FaultWhen::async;
    at_once = at_once || (!async && gpu::row(fault.kind).sticky);
    silent_ = silent_ || (async && fault.surface_after_calls);
  }
  if (operation.kind == OpKind::reset) {
    if (result.outcome == Outcome::ok) counts_.count(Feature::reset_done);
    if (result.outcome == Outcome::rejected) counts_.count(Feature::reset_refused);
    if (result.outcome == Outcome::failed) counts_.count(Feature::reset_in_vain);
    if (result.outcome == Outcome::ok && in_vain_ && gave_back_) counts_.count(Feature::reset_after_one_in_vain);
    in_vain_ = result.outcome == Outcome::failed;
    gave_back_ = false;
    if (result.outcome == Outcome::ok) {
      reset_ = true;
      silent_ = false;
      capturing_ = pending_ = 0;
      replaying_.clear();
    }
  } else if (result.outcome == Outcome::failed && is_sticky(result.error)) {
    counts_.count(at_once ? Feature::poisoned_at_once : Feature::surfaced_later);
    if (!at_once && silent_) counts_.count(Feature::surfaced_after_some_calls);
    silent_ = false;
  } else if (result.outcome == Outcome::poisoned) {
    if (const std::optional<Feature> feature = poisoned(operation.kind)) counts_.count(*feature);
    if (operation.kind == OpKind::read && result.roots.size() > 1) counts_.count(Feature::poisoned_read_of_claims);
  }
  if (reset_ && operation.kind == OpKind::launch && result.outcome == Outcome::ok) {
    counts_.count(Feature::work_after_a_reset);
  }
}

// What the backend falls back on failed as well as what it tried first. That a wait stood in for an order, and that an
// order was asked for at all, cannot be seen from here.
void FeatureObserver::observe_disorder(const Operation& operation, const StepResult& result) {
  const auto failed = [&](gpu::Call call) {
    return std::any_of(result.fired.begin(), result.fired.end(), [call](const sim::FiredFault& fault) {
      return fault.call == call && fault.when != gpu::FaultWhen::async && !gpu::row(fault.kind).sticky;
    });
  };
  const bool no_event = failed(gpu::Call::cuEventRecord) || failed(gpu::Call::cuStreamWaitEvent);
  const bool no_wait = failed(gpu::Call::cuStreamQuery) || failed(gpu::Call::cuStreamSynchronize);
  if (no_event && no_wait) {
    counts_.count(Feature::order_lost);
    if (silent_) counts_.count(Feature::order_lost_behind_a_quiet_fault);
  }
  const bool began_and_failed = std::any_of(result.fired.begin(), result.fired.end(), [](const sim::FiredFault& fault) {
    return fault.call == gpu::Call::cuStreamBeginCapture && fault.when == gpu::FaultWhen::after;
  });
  if (operation.kind == OpKind::capture_begin && began_and_failed && failed(gpu::Call::cuStreamIsCapturing)) {
    counts_.count(Feature::window_in_doubt);
  }
}

// That nothing hangs is not known, only that no wait for it was ever given up without a deadline.
void FeatureObserver::observe_waits(const Operation& operation, const StepResult& result) {
  const bool ok = result.outcome == Outcome::ok;
  const bool of_one = operation.kind != OpKind::sync || operation.has_stream;
  const std::uint32_t streams = of_one ? bit(operation.stream) : ~0U;
  if (result.outcome == Outcome::timeout) {
    given_up_ |= streams;
    hangs_ = hangs_ || !operation.deadline;
    if (operation.kind == OpKind::sync) counts_.count(Feature::sync_given_up);
    if (operation.kind == OpKind::read) counts_.count(Feature::read_given_up);
    if (operation.kind == OpKind::capture_begin) counts_.count(Feature::capture_begin_given_up);
  } else if (operation.kind == OpKind::sync && ok) {
    if (operation.deadline) counts_.count(Feature::deadline_met);
    if ((given_up_ & streams) != 0) counts_.count(Feature::given_up_then_done);
    given_up_ &= ~streams;
  } else if (operation.kind == OpKind::reset && ok) {
    if (hangs_) counts_.count(Feature::hang_ended_by_a_reset);
    given_up_ = 0;
    hangs_ = false;
  }
}

void FeatureObserver::observe_capture(const Operation& operation, std::uint64_t ordinal, const StepResult& result) {
  const bool ok = result.outcome == Outcome::ok;
  const bool failed = result.outcome == Outcome::failed;
  switch (operation.kind) {
    case OpKind::capture_begin:
      if (ok) capturing_ |= bit(operation.stream);
      break;
    case OpKind::capture_end:
      if (ok) counts_.count(Feature::capture_made_a_graph);
      if (ok) replaying_.erase(operation.graph);
      if (failed && !result.roots.empty() && result.roots[0] != ordinal) counts_.count(Feature::capture_doomed);
      if (result.outcome != Outcome::rejected) capturing_ &= ~bit(operation.stream);
      break;
    case OpKind::replay:
      if (ok) observe_replay(operation);
      if (result.outcome == Outcome::skipped) counts_.count(Feature::replay_skipped);
      if (failed) counts_.count(Feature::replay_failed);
      break;
    case OpKind::launch:
    case OpKind::copy:
      if (failed && (capturing_ & bit(operation.stream)) != 0) counts_.count(Feature::recorded_failure);
      break;
    default:
      break;
  }
}

void FeatureObserver::observe_replay(const Operation& operation) {
  counts_.count(Feature::replayed);
  const auto [last, first_one] = replaying_.try_emplace(operation.graph, operation.stream);
  if (!first_one && std::exchange(last->second, operation.stream) != operation.stream) {
    counts_.count(Feature::replay_beside_another);
  }
}

void FeatureObserver::observe_relocation(const Operation& operation, const StepResult& result) {
  const Buffer* known = buffer(operation.buffer);
  if (result.outcome == Outcome::failed) counts_.count(Feature::relocation_failed);
  if (result.outcome != Outcome::ok || !known) return;
  counts_.count(Feature::relocated);
  if (known->claimed) counts_.count(Feature::relocated_claims);
}

void FeatureObserver::observe_read(const StepResult& result) {
  if (result.outcome != Outcome::unwritten) return;
  if (result.roots.size() > 1) counts_.count(Feature::several_roots);
  if (std::any_of(result.reports.begin(), result.reports.end(),
                  [](const traces::ReportedRoot& root) { return root.dropped_records > 0; })) {
    counts_.count(Feature::dropped_records);
  }
  if (result.via.size() == 1) counts_.count(Feature::chain_of_one);
  if (result.via.size() == 2) counts_.count(Feature::chain_of_two);
  if (result.via.size() > 2) counts_.count(Feature::chain_of_three_or_more);
  if (result.error == core::never_written().name) counts_.count(Feature::never_written_read);
}

void FeatureObserver::observe_ranges(const Operation& operation) {
  const auto is_empty = [this](const Ref& ref) {
    const Extent bytes = extent(ref);
    return bytes.begin == bytes.end;
  };
  if (std::any_of(operation.reads.begin(), operation.reads.end(), is_empty) ||
      std::any_of(operation.writes.begin(), operation.writes.end(), is_empty)) {
    counts_.count(Feature::zero_length);
  }
}

void FeatureObserver::observe_streams(const Operation& operation, const StepResult& result) {
  if (operation.kind == OpKind::sync && result.outcome == Outcome::ok) {
    for (auto each = replaying_.begin(); each != replaying_.end();) {
      each = !operation.has_stream || each->second == operation.stream ? replaying_.erase(each) : std::next(each);
    }
    pending_ = operation.has_stream ? pending_ & ~bit(operation.stream) : 0;
    freed_while_used_.clear();
  }
  if (!runs_on_a_stream(operation.kind) || result.outcome != Outcome::ok) return;
  bool crossed = false;
  const auto touch = [&](const Ref& ref) {
    Buffer* known = buffer(ref.buffer);
    if (!known) return;
    crossed |= (known->users & pending_ & ~bit(operation.stream)) != 0;
    known->users |= bit(operation.stream);
  };
  std::for_each(operation.reads.begin(), operation.reads.end(), touch);
  std::for_each(operation.writes.begin(), operation.writes.end(), touch);
  // By buffer, not by byte: an over-count where streams work on different halves.
  if (crossed) counts_.count(Feature::cross_stream_order);
  if (operation.kind == OpKind::read) {
    pending_ &= ~bit(operation.stream);
  } else {
    pending_ |= bit(operation.stream);
  }
}

// Knows only the last range that was claimed, and forgets it when any of it is released; both counts are lower bounds.
void FeatureObserver::observe_write(const Ref& ref, Outcome outcome) {
  Buffer* known = buffer(ref.buffer);
  const Extent bytes = extent(ref);
  if (!known || bytes.begin >= bytes.end) return;
  const bool meets = known->claimed && bytes.begin < known->claim_end && known->claim_begin < bytes.end;
  if (claims(outcome)) {
    if (meets) counts_.count(Feature::reclaim);
    known->claimed = true;
    known->claim_begin = bytes.begin;
    known->claim_end = bytes.end;
  } else if (outcome == Outcome::ok && meets) {
    if (bytes.begin > known->claim_begin && bytes.end < known->claim_end) counts_.count(Feature::claim_split);
    known->claimed = false;
  }
}

}  // namespace taintgraph::props
