#include "sim/timeline.hpp"

#include <algorithm>
#include <utility>

namespace taintgraph::sim {
namespace {

// In nanoseconds. A call takes about as long as a driver call does; work takes a few calls, so that streams overlap and
// a few operations are in flight at any time.
constexpr std::uint64_t kShortestStep = 200;
constexpr std::uint64_t kStepSpread = 800;
constexpr std::uint64_t kShortestWork = 500;
constexpr std::uint64_t kWorkSpread = 8000;

}  // namespace

std::uint32_t Timeline::open_slot() {
  std::size_t chosen = slots_.size();
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (slot.open || slot.done != slot.queued || host_[static_cast<std::uint32_t>(i)] < slot.queued) continue;
    chosen = i;
    break;
  }
  if (chosen == slots_.size()) slots_.emplace_back();
  Slot& slot = slots_[chosen];
  slot.open = true;
  slot.clock = host_;
  slot.ready_at = now_;
  return static_cast<std::uint32_t>(chosen);
}

WorkItem& Timeline::enqueue(std::uint32_t index) {
  Slot& slot = slots_[index];
  if (spare_.empty()) spare_.push_back(std::make_unique<WorkItem>());
  std::unique_ptr<WorkItem> item = std::move(spare_.back());
  spare_.pop_back();
  item->slot = index;
  item->ordinal = ++slot.queued;
  item->sequence = ++sequence_;
  item->probed = false;
  item->work.fault.reset();
  item->work.host_digest.reset();
  item->work.write_limit = Work::kAllBytes;
  const std::uint64_t start = std::max(slot.ready_at, now_);
  const std::uint64_t length = kShortestWork + durations_(index, item->ordinal) % kWorkSpread;
  item->due = start < kNever - length ? start + length : kNever;
  slot.ready_at = item->due;
  slot.clock.join(host_);
  slot.clock.include(index, item->ordinal);
  item->clock = slot.clock;
  if (pending_ == 0 || item->due < next_due_) next_due_ = item->due;
  ++pending_;
  return *slot.queue.emplace_back(std::move(item));
}

void Timeline::never_ends(WorkItem& item) {
  item.due = kNever;
  slots_[item.slot].ready_at = kNever;
}

void Timeline::order_after(std::uint32_t index, const VectorClock& past, std::uint64_t due) {
  slots_[index].clock.join(past);
  slots_[index].ready_at = std::max(slots_[index].ready_at, due);
}

template <class Admitted>
std::size_t Timeline::next(Admitted&& admitted) const {
  std::size_t chosen = slots_.size();
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].queue.empty()) continue;
    const WorkItem& item = *slots_[i].queue.front();
    if (!admitted(item)) continue;
    if (chosen < slots_.size()) {
      const WorkItem& best = *slots_[chosen].queue.front();
      if (std::pair(item.due, item.sequence) > std::pair(best.due, best.sequence)) continue;
    }
    chosen = i;
  }
  return chosen;
}

bool Timeline::done(const VectorClock& past) const {
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].done < past[i]) return false;
  }
  return true;
}

bool Timeline::runnable(const WorkItem& item) const {
  if (item.due == kNever) return false;
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    const std::uint64_t needed = i == item.slot ? item.ordinal - 1 : item.clock[i];
    if (slots_[i].done < needed) return false;
  }
  return true;
}

void Timeline::retire(Slot& slot) {
  std::unique_ptr<WorkItem> item = std::move(slot.queue.front());
  slot.queue.pop_front();
  slot.done = item->ordinal;
  --pending_;
  spare_.push_back(std::move(item));
}

void Timeline::run_first(Slot& slot) {
  WorkItem& item = *slot.queue.front();
  if (!marks_ownership(item.work.kind)) schedule_.push_back(item.slot);
  runner_.run(item);
  retire(slot);
}

void Timeline::note_next_due() {
  const std::size_t first = next([](const WorkItem&) { return true; });
  next_due_ = first < slots_.size() ? slots_[first].queue.front()->due : kNever;
}

// Stops at the first entry that cannot run: its work may be queued by a later call. What marks ownership is no entry of
// a schedule and runs when an entry needs it.
void Timeline::run_forced() {
  while (!forced_order_.empty()) {
    const std::uint32_t index = forced_order_.front();
    if (index >= slots_.size() || slots_[index].queue.empty()) return;
    const WorkItem& item = *slots_[index].queue.front();
    if (!runnable(item)) {
      if (!run_mark_before(item)) return;
      continue;
    }
    if (!marks_ownership(item.work.kind)) forced_order_.pop_front();
    run_first(slots_[index]);
  }
}

// Runs the first mark of ownership that `item` comes after and that can run. False if there is none.
bool Timeline::run_mark_before(const WorkItem& item) {
  for (Slot& slot : slots_) {
    if (slot.queue.empty()) continue;
    const WorkItem& first = *slot.queue.front();
    if (!marks_ownership(first.work.kind) || first.ordinal > item.clock[first.slot] || !runnable(first)) continue;
    run_first(slot);
    return true;
  }
  return false;
}

void Timeline::step() {
  now_ += kShortestStep + steps_drawn_(++steps_) % kStepSpread;
  if (pending_ == 0) return;
  if (forced_) return run_forced();
  run_due();
}

void Timeline::run_all_due() {
  const auto is_due = [this](const WorkItem& item) { return item.due <= now_; };
  for (std::size_t i = next(is_due); i < slots_.size(); i = next(is_due)) run_first(slots_[i]);
  note_next_due();
}

void Timeline::pass(std::uint64_t nanoseconds) {
  now_ += std::min(nanoseconds, kNever - 1 - now_);  // never is never reached
  if (pending_ == 0) return;
  if (!forced_ && order_ != nullptr) return run_in_chosen_order(awaited_);
  if (!forced_) return run_due();
  run_forced();
  if (!forced_order_.empty()) {
    forced_order_.pop_front();  // cannot run, and the host waits: passed over
  } else if (unscheduled_ == Unscheduled::runs_if_needed) {
    run_due();
  }
}

void Timeline::run_until(const VectorClock& past) {
  if (forced_) {
    while (!forced_order_.empty() && !done(past)) {
      const std::size_t before = forced_order_.size();
      run_forced();
      if (forced_order_.size() == before && !done(past)) forced_order_.pop_front();  // cannot run: passed over
    }
    const auto is_needed = [&past](const WorkItem& item) {
      return item.due != kNever && item.ordinal <= past[item.slot];
    };
    for (std::size_t i = next(is_needed); i < slots_.size(); i = next(is_needed)) run_first(slots_[i]);
    note_next_due();
    return;
  }
  if (order_ != nullptr) {
    run_in_chosen_order(past);
    return;
  }
  if (pending_ == 0) return;
  std::uint64_t until = now_;
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (slot.done >= past[i]) continue;
    // What stands before the first that never ends is still to be run.
    for (std::uint64_t at = past[i] - slot.done; at > 0; --at) {
      const std::uint64_t due = slot.queue[at - 1]->due;
      if (due == kNever) continue;
      until = std::max(until, due);
      break;
    }
  }
  now_ = until;
  if (until < next_due_) return;
  const auto is_due = [until](const WorkItem& item) { return item.due <= until; };
  for (std::size_t i = next(is_due); i < slots_.size(); i = next(is_due)) run_first(slots_[i]);
  note_next_due();
}

VectorClock Timeline::everything() const {
  VectorClock past = host_;
  for (std::uint32_t i = 0; i < slots_.size(); ++i) past.include(i, slots_[i].queued);
  return past;
}

void Timeline::discard(std::uint64_t context) {
  // A stream belongs to one context; its items come and go together.
  for (Slot& slot : slots_) {
    while (!slot.queue.empty() && slot.queue.front()->context == context) {
      if (slot.queue.front()->work.kind == WorkKind::release) runner_.run(*slot.queue.front());
      retire(slot);
    }
  }
  note_next_due();
}

void Timeline::force_schedule(std::span<const std::uint32_t> streams, Unscheduled unscheduled) {
  forced_ = true;
  unscheduled_ = unscheduled;
  forced_order_.assign(streams.begin(), streams.end());
}

std::vector<std::uint32_t> Timeline::take_schedule() {
  forced_ = false;
  forced_order_.clear();
  return std::exchange(schedule_, {});
}

}  // namespace taintgraph::sim
