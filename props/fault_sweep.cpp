#include "props/fault_sweep.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "props/checker.hpp"
#include "props/failure_groups.hpp"
#include "props/isolation.hpp"
#include "props/recovery.hpp"

namespace taintgraph::props {
namespace {

constexpr const char* kId = "swept";

// A call and a kind that it may return.
struct Pair {
  gpu::Call call;
  gpu::FaultKind kind;
};

std::vector<Pair> all_pairs() {
  std::vector<Pair> pairs;
  for (std::size_t call = 0; call < gpu::kCallCount; ++call) {
    for (const gpu::FaultRow& row : gpu::fault_table()) {
      const Pair pair{static_cast<gpu::Call>(call), row.kind};
      if (row.injectable && gpu::may_return(pair.call, pair.kind)) pairs.push_back(pair);
    }
  }
  return pairs;
}

sim::PlannedFault fault_of(const Pair& pair, std::uint64_t skip, bool persistent) {
  sim::PlannedFault fault;
  fault.id = kId;
  fault.call = pair.call;
  fault.skip = skip;
  fault.persistent = persistent;
  fault.fault.kind = pair.kind;
  return fault;
}

struct Swept {
  bool struck = false;
  std::uint64_t operations = 0;
  std::optional<Disagreement> disagreement;
};

Swept run_with(const Judge& judge, const Recovery& recovery, const sim::PlannedFault& fault,
               const std::function<void(std::uint64_t)>& before_step) {
  Swept swept;
  traces::Outcome new_work = traces::Outcome::ok;
  bool fatal =
      false;          // a fault struck that a new process alone recovers from, and need not be what the loss is told by
  bool lost = false;  // to one
  bool hangs = false;  // which only the loss of the device would end
  CheckOptions options;
  options.session.spared_from = recovery.first;
  options.before_step = before_step;
  options.after_step = [&](std::uint64_t ordinal, const traces::StepResult& result) {
    for (const sim::FiredFault& each : result.fired) {
      swept.struck = swept.struck || each.planned == kId;
      fatal = fatal || gpu::row(each.kind).recovery == gpu::FaultRecovery::process;
    }
    if (ordinal == recovery.read) new_work = result.outcome;
    if (ordinal >= recovery.first && ordinal < recovery.reset && result.outcome == traces::Outcome::timeout)
      hangs = true;
    if (ordinal == recovery.reset && result.outcome == traces::Outcome::ok) hangs = false;
    if (ordinal != recovery.reset || result.outcome != traces::Outcome::failed) return;
    const std::optional<gpu::FaultKind> poison = gpu::fault_from_string(result.error);
    lost = fatal || (poison && gpu::row(*poison).recovery == gpu::FaultRecovery::process);
  };
  CheckedRun run = judge(with_fault(recovery.program, fault), options);
  swept.operations = run.operations;
  swept.disagreement = std::move(run.disagreement);
  if (!swept.disagreement && new_work != traces::Outcome::ok && !lost && !hangs) {
    Disagreement& stuck = swept.disagreement.emplace();
    stuck.property = "recovery";
    stuck.step = recovery.read;
    stuck.kind = traces::OpKind::read;
    stuck.expected = "new work runs once the faults are over";
    stuck.found = std::string(to_string(new_work));
  }
  return swept;
}

// The sweep of one pair, in a child process; which run it is at stands in the shared progress.
class PairSweep {
 public:
  PairSweep(const Recovery& recovery, Pair pair, const FaultSweepOptions& options)
      : recovery_(recovery), pair_(pair), options_(options) {}

  void run(SharedProgress& progress, FaultSweepResult& total) {
    std::uint64_t first = 0;
    while (total.failures.size() < options_.most_failures) {
      progress.set_case(first);
      const auto output =
          run_isolated([&] { return run_in_child(progress, first); }, progress, options_.stall_limit, options_.stopped);
      if (output) {
        const std::optional<std::uint64_t> failed = take(*output, total);
        if (!failed) return;
        first = *failed + 1;
        continue;
      }
      require_started(output.error());
      if (output.error().how == Death::How::interrupted) {
        total.finished = false;
        return;
      }
      const std::uint64_t died = progress.case_number();
      total.failures.push_back({fault_at(died), disagreement_of(output.error(), progress.step())});
      total.runs += died - first + 1;
      first = died + 1;
    }
  }

 private:
  [[nodiscard]] sim::PlannedFault fault_at(std::uint64_t run) const { return fault_of(pair_, run / 2, run % 2 == 1); }

  std::string run_in_child(SharedProgress& progress, std::uint64_t first) const {
    FaultSweepResult result;
    std::optional<Disagreement> failed;
    std::uint64_t run = first;
    for (;; ++run) {
      if (options_.stopped && options_.stopped()) {
        result.finished = false;
        break;
      }
      progress.set_case(run);
      Swept swept = run_with(options_.judge, recovery_, fault_at(run),
                             [&progress](std::uint64_t step) { progress.set_step(step); });
      result.operations += swept.operations;
      ++result.runs;
      if (swept.disagreement) {
        failed = std::move(swept.disagreement);
        break;
      }
      if (!swept.struck) break;  // there is no such call any more
      ++result.struck;
    }
    Packer packer;
    packer.put(result.runs);
    packer.put(result.struck);
    packer.put(result.operations);
    packer.put(result.finished);
    packer.put(run);
    packer.put(failed.has_value());
    if (failed) put(packer, *failed);
    return packer.take();
  }

  // Returns the run that failed, the last of those that the child made.
  std::optional<std::uint64_t> take(const std::string& output, FaultSweepResult& total) const {
    FaultSweepResult part;
    std::uint64_t run = 0;
    std::optional<Disagreement> failed;
    Unpacker unpacker(output);
    unpacker.get(part.runs);
    unpacker.get(part.struck);
    unpacker.get(part.operations);
    unpacker.get(part.finished);
    unpacker.get(run);
    bool has_failed = false;
    unpacker.get(has_failed);
    if (has_failed) get(unpacker, failed.emplace());
    if (!unpacker.ok()) throw std::runtime_error("a child process returned half a result");
    total.runs += part.runs;
    total.struck += part.struck;
    total.operations += part.operations;
    total.finished = total.finished && part.finished;
    if (!failed) return std::nullopt;
    total.failures.push_back({fault_at(run), std::move(*failed)});
    return run;
  }

  [[nodiscard]] static Disagreement disagreement_of(const Death& death, std::uint64_t step) {
    Disagreement disagreement;
    disagreement.property = death.how == Death::How::by_stalling ? "hang" : "crash";
    disagreement.step = step;
    disagreement.expected = "the program goes on";
    disagreement.found = death.text();
    return disagreement;
  }

  const Recovery& recovery_;
  Pair pair_;
  const FaultSweepOptions& options_;
};

}  // namespace

traces::Program with_fault(traces::Program program, const sim::PlannedFault& fault) {
  program.header.faults.insert(program.header.faults.begin(), fault);
  return program;
}

FaultSweepResult sweep_faults(const traces::Program& program, const FaultSweepOptions& options) {
  const Recovery recovery = with_recovery(program);
  SharedProgress progress;
  FaultSweepResult total;
  for (const Pair& pair : all_pairs()) {
    if (!total.finished || total.failures.size() >= options.most_failures) break;
    PairSweep(recovery, pair, options).run(progress, total);
  }
  return total;
}

}  // namespace taintgraph::props
