// Runs all cases of a deal, or as many as time allows, on several workers, and adds up what they come to.
//
// Batches are dealt and added up in the order of their cases. So what is reported is always a whole run of cases from
// the first on: up to the lowest one that fails, if the run does not go on after it, however many workers there are and
// however the cases were cut into batches.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "props/campaign.hpp"
#include "props/worker_pool.hpp"

namespace taintgraph::props {

struct SweepOptions {
  std::size_t workers = 1;
  std::function<bool()> out_of_time;                 // no batch is dealt any more; may be empty
  std::function<bool()> interrupted;                 // the same, and nothing is waited for for long; may be empty
  std::function<void(const Totals&)> show_progress;  // may be empty
};

struct SweepResult {
  enum class End : std::uint8_t { all_run, out_of_time, stopped_by_failure, interrupted };
  End end = End::all_run;
  Totals totals;
  FailureGroups failures;
};

class Sweep {
 public:
  Sweep(const Campaign& campaign, const CaseDeal& deal, SweepOptions options);

  // Once.
  [[nodiscard]] SweepResult run();

 private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    Batch batch;
    Clock::time_point began;
  };

  void deal_out();
  void start(const Batch& batch);
  void take(WorkerPool::Ended ended);
  void take_death(const Running& running, const WorkerPool::Ended& ended);
  void keep(BatchResult result);
  void add_up();
  void adapt(Clock::duration took);
  [[nodiscard]] bool may_deal() const;
  [[nodiscard]] bool over();

  const Campaign& campaign_;
  CaseDeal deal_;
  SweepOptions options_;
  WorkerPool pool_;
  std::map<std::uint64_t, Running> running_;    // by begin, which is the ticket
  std::map<std::uint64_t, Batch> again_;        // parts of batches over which a child died, by begin
  std::map<std::uint64_t, BatchResult> ended_;  // by begin, until all before them have ended
  std::uint64_t next_ = 0;                      // the first position not dealt
  std::uint64_t end_;                           // no position from here on matters
  std::uint64_t added_ = 0;                     // the positions before it are in the result
  std::uint64_t batch_ = 1;                     // how many cases a batch gets
  Clock::time_point interrupted_at_{};
  SweepResult result_;
};

}  // namespace taintgraph::props
