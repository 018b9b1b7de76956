// Virtual time: the streams' queues, when each piece of work runs, and what is ordered before what.
//
// Work runs as a whole at the moment it is done. How long it takes is drawn from the seed by stream and ordinal; it
// starts when what it waits for is done. Time moves by small drawn steps and at waits. The order of the device's work
// is thus a function of the seed and the calls; a forced schedule replaces it, within what streams and events allow,
// and a DeviceOrder decides it instead, if there is one and no schedule is forced.
//
// A stream occupies a slot, the lowest free one, which is also its index to the outside. A slot is free again when all
// its work is done and the host has waited for it, so its ordinals never need to restart.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "sim/device_order.hpp"
#include "sim/seeded_draw.hpp"
#include "sim/unscheduled.hpp"
#include "sim/vector_clock.hpp"
#include "sim/work.hpp"

namespace taintgraph::sim {

class WorkRunner {
 public:
  virtual ~WorkRunner() = default;
  // Carries out `item`. May not queue or run other work.
  virtual void run(WorkItem& item) = 0;
};

class Timeline {
 public:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  // `order` may be null.
  Timeline(std::uint64_t seed, WorkRunner& runner, DeviceOrder* order = nullptr)
      : steps_drawn_(seed, Draw::host_step), durations_(seed, Draw::work_duration), runner_(runner), order_(order) {}

  [[nodiscard]] std::uint32_t open_slot();
  // Work in it still runs.
  void close_slot(std::uint32_t slot) { slots_[slot].open = false; }

  // Queues a new item on `slot` and returns it, to be filled in before anything else is called. Its work holds no
  // values that matter.
  [[nodiscard]] WorkItem& enqueue(std::uint32_t slot);

  // An item just queued is never done, and so nothing that comes after it is.
  void never_ends(WorkItem& item);

  // The past of whatever is queued on `slot` next, and when that may start.
  [[nodiscard]] const VectorClock& clock(std::uint32_t slot) const { return slots_[slot].clock; }
  [[nodiscard]] std::uint64_t ready_at(std::uint32_t slot) const { return slots_[slot].ready_at; }
  // Orders what is queued on `slot` next after `past`, which is done at `due`.
  void order_after(std::uint32_t slot, const VectorClock& past, std::uint64_t due);

  // What the host knows to be done.
  [[nodiscard]] const VectorClock& host() const { return host_; }
  void host_waited_for(const VectorClock& past) { host_.join(past); }

  // Lets a little time pass, as each driver call does, and runs what is done by then.
  void step();
  // Lets time pass while the host waits, and runs what is done by then.
  void pass(std::uint64_t nanoseconds);
  // Runs what has to run until all of `past` is done, but for what never is. The host does not know of it by that
  // alone.
  void run_until(const VectorClock& past);
  [[nodiscard]] bool done(const VectorClock& past) const;
  // What somebody who asks is told: the same, unless the order of the device decides that it has just come to be done.
  [[nodiscard]] bool found_done(const VectorClock& past);
  // The same for who asks again and again until it is done: of an order, that is a wait, which ends with the next
  // pause.
  [[nodiscard]] bool found_done_waiting(const VectorClock& past);
  // Everything queued so far.
  [[nodiscard]] VectorClock everything() const;

  // Drops all pending work of one context; it counts as done. Memory on its way to be released is spoiled all the same.
  void discard(std::uint64_t context);

  // Pending work, by slot and then in order.
  template <class Visit>
  void each_pending(Visit&& visit) {
    if (pending_ == 0) return;
    for (Slot& slot : slots_) {
      for (const std::unique_ptr<WorkItem>& item : slot.queue) visit(*item);
    }
  }

  // The same from the newest backwards, slot by slot; of a slot no more once visit(WorkItem&) returns false.
  template <class Visit>
  void each_pending_backwards(Visit&& visit) {
    if (pending_ == 0) return;
    for (Slot& slot : slots_)
      for (auto item = slot.queue.rbegin(); item != slot.queue.rend() && visit(**item);) ++item;
  }

  [[nodiscard]] bool is_idle() const { return pending_ == 0; }
  [[nodiscard]] std::uint64_t now() const { return now_; }

  // See Driver. A forced schedule is in force until the schedule is taken.
  void force_schedule(std::span<const std::uint32_t> streams, Unscheduled unscheduled = Unscheduled::runs_if_needed);
  [[nodiscard]] std::vector<std::uint32_t> take_schedule();

 private:
  struct Slot {
    Slot() = default;
    Slot(Slot&&) = default;  // what is queued has one owner

    bool open = false;
    std::uint64_t queued = 0;  // ordinal of the last item queued
    std::uint64_t done = 0;    // ordinal of the last item done
    std::uint64_t ready_at = 0;
    VectorClock clock;
    std::deque<std::unique_ptr<WorkItem>> queue;
  };

  // The slot whose first item is done first, among those that `admitted` lets through; slots_.size() if none.
  template <class Admitted>
  [[nodiscard]] std::size_t next(Admitted&& admitted) const;
  [[nodiscard]] bool runnable(const WorkItem& item) const;
  void run_first(Slot& slot);
  void run_forced();
  bool run_mark_before(const WorkItem& item);
  void run_due() {
    if (order_ == nullptr && next_due_ <= now_) run_all_due();
  }
  void run_all_due();
  void run_in_chosen_order(const VectorClock& past);
  [[nodiscard]] std::size_t first_needed(const VectorClock& past) const;
  [[nodiscard]] std::size_t first_before(const WorkItem& item) const;
  [[nodiscard]] std::vector<std::size_t> alternatives_to(std::size_t first) const;
  void retire(Slot& slot);
  void note_next_due();

  Draws steps_drawn_;
  Draws durations_;
  WorkRunner& runner_;
  DeviceOrder* order_;
  VectorClock awaited_;  // with an order: what the host pauses for
  std::vector<Slot> slots_;
  VectorClock host_;
  std::uint64_t now_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t sequence_ = 0;
  std::size_t pending_ = 0;
  std::uint64_t next_due_ = 0;  // no pending item is due before
  bool forced_ = false;
  Unscheduled unscheduled_ = Unscheduled::runs_if_needed;
  std::deque<std::uint32_t> forced_order_;
  std::vector<std::uint32_t> schedule_;
  std::vector<std::unique_ptr<WorkItem>> spare_;  // items to be used again, with what their vectors hold
};

}  // namespace taintgraph::sim
