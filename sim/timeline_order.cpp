// The timeline where a DeviceOrder decides: every order that can make a difference, each once.
//
// What runs next need be chosen only among pieces of work of which one can disturb the other; any other order of the
// rest comes to the same (a persistent set). Of two orders that differ in nothing else, the second is not taken again
// later: what was passed over sleeps until something runs that it conflicts with (a sleep set).
#include <algorithm>

#include "sim/footprint.hpp"
#include "sim/timeline.hpp"

namespace taintgraph::sim {

bool Timeline::found_done(const VectorClock& past) {
  if (done(past)) return true;
  if (order_ == nullptr || forced_ || order_->choose(2) == 0) return false;
  run_in_chosen_order(past);
  return done(past);
}

bool Timeline::found_done_waiting(const VectorClock& past) {
  if (order_ != nullptr) awaited_ = past;
  return done(past);
}

// The slot whose first item was queued first, among those that can run and have to. Requires: not all of `past` is
// done.
std::size_t Timeline::first_needed(const VectorClock& past) const {
  std::size_t chosen = slots_.size();
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].queue.empty()) continue;
    const WorkItem& item = *slots_[i].queue.front();
    if (item.ordinal > past[item.slot] || !runnable(item)) continue;
    if (chosen == slots_.size() || item.sequence < slots_[chosen].queue.front()->sequence) chosen = i;
  }
  return chosen;
}

// A slot whose first item can run and has to before `item` can; slots_.size() if what has to never ends.
std::size_t Timeline::first_before(const WorkItem& item) const { return first_needed(item.clock); }

// Slots whose first items can run, `first` among them, such that nothing of other slots can disturb any of those before
// one of them has run.
std::vector<std::size_t> Timeline::alternatives_to(std::size_t first) const {
  std::vector<std::size_t> chosen{first};
  for (std::size_t at = 0; at < chosen.size(); ++at) {
    const WorkItem& item = *slots_[chosen[at]].queue.front();
    for (const Slot& slot : slots_) {
      for (const std::unique_ptr<WorkItem>& other : slot.queue) {
        if (other->clock[item.slot] >= item.ordinal) break;  // it, and all behind it, comes after
        if (!conflict(other->work, item.work)) continue;
        const std::size_t leads_there = first_before(*other);
        const bool is_new = std::find(chosen.begin(), chosen.end(), leads_there) == chosen.end();
        if (leads_there < slots_.size() && is_new) chosen.push_back(leads_there);
        break;
      }
    }
  }
  return chosen;
}

void Timeline::run_in_chosen_order(const VectorClock& past) {
  std::vector<const WorkItem*> asleep;
  const auto sleeps = [&](std::size_t slot) {
    return std::find(asleep.begin(), asleep.end(), slots_[slot].queue.front().get()) != asleep.end();
  };
  while (!done(past)) {
    const std::size_t first = first_needed(past);
    if (first == slots_.size()) return;  // the rest never ends
    std::vector<std::size_t> open = alternatives_to(first);
    open.erase(std::remove_if(open.begin(), open.end(), sleeps), open.end());
    if (open.empty()) open.push_back(first);  // some other run has this order as well
    const std::size_t chosen = open.size() > 1 ? order_->choose(open.size()) : 0;
    for (std::size_t i = 0; i < chosen; ++i) asleep.push_back(slots_[open[i]].queue.front().get());
    Slot& slot = slots_[open[chosen]];
    const WorkItem* const item = slot.queue.front().get();
    asleep.erase(
        std::remove_if(asleep.begin(), asleep.end(),
                       [item](const WorkItem* each) { return each == item || conflict(each->work, item->work); }),
        asleep.end());
    run_first(slot);
  }
}

}  // namespace taintgraph::sim
