#include "props/sweep.hpp"

#include <algorithm>
#include <utility>

namespace taintgraph::props {
namespace {

using std::chrono::milliseconds;

// A batch is to be long enough that a fork costs nothing beside it, and short enough that progress moves and little is
// run again after a crash. Results do not depend on it.
constexpr milliseconds kShortBatch{100};
constexpr milliseconds kLongBatch{400};
constexpr std::uint64_t kLargestBatch = 1U << 14;
constexpr milliseconds kInterruptGrace{1000};  // for batches at work to come to their end

}  // namespace

Sweep::Sweep(const Campaign& campaign, const CaseDeal& deal, SweepOptions options)
    : campaign_(campaign),
      deal_(deal),
      options_(std::move(options)),
      pool_(options_.workers, campaign.limits()),
      end_(deal.size()) {}

SweepResult Sweep::run() {
  while (!over()) {
    deal_out();
    for (WorkerPool::Ended& ended : pool_.wait()) take(std::move(ended));
    add_up();
    if (options_.show_progress) options_.show_progress(result_.totals);
  }
  // Whatever was found beyond a gap that an interrupt left is found all the same.
  for (const auto& [begin, each] : ended_) result_.failures.add(each.failures);
  return std::move(result_);
}

// At least one batch is dealt, so that no run ends with nothing seen.
bool Sweep::may_deal() const {
  if (next_ >= end_ || result_.end == SweepResult::End::interrupted) return false;
  return next_ == 0 || result_.end != SweepResult::End::out_of_time;
}

bool Sweep::over() {
  if (options_.interrupted && options_.interrupted() && interrupted_at_ == Clock::time_point{}) {
    interrupted_at_ = Clock::now();
    result_.end = SweepResult::End::interrupted;
  }
  if (added_ >= end_) {
    if (end_ == deal_.size()) result_.end = SweepResult::End::all_run;
    return true;
  }
  if (result_.end == SweepResult::End::all_run && options_.out_of_time && options_.out_of_time()) {
    result_.end = SweepResult::End::out_of_time;
  }
  if (result_.end == SweepResult::End::interrupted) {
    return running_.empty() || Clock::now() - interrupted_at_ > kInterruptGrace;
  }
  return !may_deal() && running_.empty() && again_.empty();
}

void Sweep::deal_out() {
  while (pool_.busy() < pool_.workers() && !again_.empty() && result_.end != SweepResult::End::interrupted) {
    const Batch batch = again_.begin()->second;
    again_.erase(again_.begin());
    if (batch.begin < end_) start(batch);
  }
  while (pool_.busy() < pool_.workers() && may_deal()) {
    const std::uint64_t share = (end_ - next_ + pool_.workers() - 1) / pool_.workers();
    const Batch batch{next_, next_ + std::min(batch_, share)};
    next_ = batch.end;
    start(batch);
  }
}

void Sweep::start(const Batch& batch) {
  running_[batch.begin] = {batch, Clock::now()};
  pool_.start(batch.begin, deal_.number(batch.begin),
              [this, batch](SharedProgress& progress) { return campaign_.run_batch(deal_, batch, progress); });
}

void Sweep::take(WorkerPool::Ended ended) {
  const auto at = running_.find(ended.ticket);
  if (at == running_.end()) return;  // of no interest any more
  const Running running = at->second;
  running_.erase(at);
  if (ended.outcome) {
    adapt(Clock::now() - running.began);
    keep(campaign_.result_of(*ended.outcome, running.batch));
  } else {
    take_death(running, ended);
  }
}

// What the child had added up died with it: the cases before the one that it died over are run again, and those behind
// it are still to be run.
void Sweep::take_death(const Running& running, const WorkerPool::Ended& ended) {
  const Batch& batch = running.batch;
  const std::uint64_t position = deal_.position(ended.case_number);
  BatchResult result = campaign_.result_of(ended.outcome.error(), ended.case_number, ended.step, position);
  if (batch.begin < position) again_[batch.begin] = {batch.begin, position};
  if (position + 1 < batch.end) again_[position + 1] = {position + 1, batch.end};
  batch_ = std::max<std::uint64_t>(1, batch_ / 2);
  keep(std::move(result));
}

void Sweep::keep(BatchResult result) {
  if (result.stopped && result.run.end < end_) {
    end_ = result.run.end;
    pool_.drop_from(end_);
    running_.erase(running_.lower_bound(end_), running_.end());
    again_.erase(again_.lower_bound(end_), again_.end());
    ended_.erase(ended_.lower_bound(end_), ended_.end());
  }
  if (result.run.begin < end_) ended_[result.run.begin] = std::move(result);
}

void Sweep::add_up() {
  while (!ended_.empty() && ended_.begin()->first == added_) {
    const BatchResult& result = ended_.begin()->second;
    result_.totals.add(result.totals);
    result_.failures.add(result.failures);
    added_ = result.run.end;
    if (result.stopped) result_.end = SweepResult::End::stopped_by_failure;
    ended_.erase(ended_.begin());
  }
}

void Sweep::adapt(Clock::duration took) {
  if (took < kShortBatch) batch_ = std::min(batch_ * 2, kLargestBatch);
  if (took > kLongBatch) batch_ = std::max<std::uint64_t>(batch_ / 2, 1);
}

}  // namespace taintgraph::props
