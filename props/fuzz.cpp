#include "props/fuzz.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ostream>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "props/ci_reports.hpp"
#include "props/conform/conformance.hpp"
#include "props/enumeration.hpp"
#include "props/exit_status.hpp"
#include "props/failure_report.hpp"
#include "props/hardware_form.hpp"
#include "props/progress_line.hpp"
#include "props/regressions.hpp"
#include "props/run_report.hpp"
#include "props/signature.hpp"
#include "props/summary_json.hpp"
#include "props/sweep.hpp"
#include "traces/interrupt.hpp"

namespace taintgraph::props {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

std::uint64_t fresh_seed() {
  // Not std::random_device, which ties a program that carries its own libstdc++ to the newest C libraries.
  std::uint64_t seed = 0;
  if (::getentropy(&seed, sizeof seed) != 0) throw std::runtime_error("no randomness for a seed; give one with --seed");
  return seed;
}

bool on_hardware(const FuzzOptions& options) { return options.backend == traces::Backend::cuda; }

// A driver reserves more address space than a limit would leave it, and the time at which an error shows is its own.
CampaignOptions campaign_options(const FuzzOptions& options) {
  CampaignOptions result;
  result.seed = options.seed ? *options.seed : fresh_seed();
  result.generator.operations = options.operations;
  result.limits = options.limits;
  if (!on_hardware(options)) return result;
  result.limits.memory_bytes = 0;
  result.form = give_hardware_form;
  result.twice = false;
  return result;
}

RunEnd end_of(SweepResult::End end) {
  switch (end) {
    case SweepResult::End::out_of_time:
      return RunEnd::out_of_time;
    case SweepResult::End::stopped_by_failure:
      return RunEnd::stopped_by_failure;
    case SweepResult::End::interrupted:
      return RunEnd::interrupted;
    case SweepResult::End::all_run:
      break;
  }
  return RunEnd::all_run;
}

class FuzzRun {
 public:
  FuzzRun(const FuzzOptions& options, const Judge& judge, std::ostream& out, std::ostream& err)
      : options_(options),
        out_(out),
        err_(err),
        start_(Clock::now()),
        campaign_(going_on(campaign_options(options)), judge) {
    summary_.version = options.version;
    summary_.seed = campaign_.seed();
    summary_.operations_option = options.operations;
    summary_.first_case = options.time ? 0 : options.first_case;
    if (!options.time) summary_.end_case = options.end_case;
    summary_.shard = options.shard;
    summary_.backend = on_hardware(options) ? "cuda" : "sim";
    report_.command = "fuzz";
    report_.out = options.out;
    report_.json = options.json;
    report_.junit = options.junit;
    report_.quiet = options.quiet;
    report_.annotate = options.annotate;
    if (options.keep_summary) report_.summary = options.out + "/" + summary_file_name(options.shard);
  }

  int run(const GraphRenderer& render) {
    if (const std::string why = unwritable(report_); !why.empty()) return refuse(why, kInternalError);
    if (!options_.known.empty()) {
      auto known = load_known_signatures(options_.known);
      if (!known) return refuse(known.error(), kUsage);
      known_ = std::move(*known);
    }
    out_ << "seed " << summary_.seed << ": " << cases_text(summary_);
    if (options_.time) out_ << " for " << seconds_text(*options_.time);
    out_ << ", about " << options_.operations << " operations each" << std::endl;
    if (!options_.regressions.empty() && !on_hardware(options_)) {
      auto replayed = replay_regressions(options_.regressions, campaign_, traces::InterruptGuard::interrupted);
      if (!replayed) return refuse(replayed.error(), kUsage);
      summary_.regressions = replayed->traces;
      summary_.failed_regressions = std::move(replayed->failed);
      tell_regressions();
    }
    if (summary_.failed_regressions.empty() || options_.keep_going) {
      run_cases(render);
    } else {
      summary_.end = RunEnd::stopped_by_failure;
    }
    return close();
  }

 private:
  int refuse(const std::string& why, int status) {
    err_ << "taintgraph fuzz: " << why << '\n';
    return status;
  }

  CampaignOptions going_on(CampaignOptions options) {
    options.goes_on = [this](const std::string& signature) {
      return options_.keep_going || known_.count(signature) > 0;
    };
    return options;
  }

  void tell_regressions() {
    if (summary_.failed_regressions.empty()) {
      out_ << "regressions: " << summary_.regressions << " traces hold" << std::endl;
      return;
    }
    for (const RegressionFailure& each : summary_.failed_regressions) {
      out_ << "regression " << each.path << " fails\n";
      tell(out_, each.disagreement);
    }
  }

  void run_cases(const GraphRenderer& render) {
    const CaseDeal deal(summary_.first_case, summary_.end_case, summary_.shard);
    SweepResult result = sweep(deal);
    summary_.end = end_of(result.end);
    summary_.totals = result.totals;
    report_failures(result.failures, render);
    const bool all_seen = summary_.end == RunEnd::all_run || summary_.end == RunEnd::out_of_time;
    // Floors are of programs as they are drawn.
    if (all_seen && !on_hardware(options_)) summary_.low_features = low_features_of(summary_);
  }

  SweepResult sweep(const CaseDeal& deal) {
    ProgressLine progress(err_, {.cases = cases_wanted(summary_), .time = options_.time});
    SweepOptions options;
    options.workers =
        static_cast<std::size_t>(std::min<std::uint64_t>(options_.jobs, std::max<std::uint64_t>(1, deal.size())));
    options.interrupted = traces::InterruptGuard::interrupted;
    options.show_progress = [&progress](const Totals& totals) { progress.show(totals); };
    if (options_.time) options.out_of_time = [this] { return Clock::now() - start_ >= *options_.time; };
    return Sweep(campaign_, deal, std::move(options)).run();
  }

  void report_failures(const FailureGroups& failures, const GraphRenderer& render) {
    std::size_t reported = 0;
    for (const FailureGroup* group : failures.in_order()) {
      FailureSummary& failure = summary_.failures.emplace_back();
      failure.signature = signature_of(group->disagreement);
      failure.known = known_.count(failure.signature) > 0;
      failure.status = status_of(group->disagreement);
      failure.cases = group->cases;
      failure.first_case = group->first_case;
      failure.shortest_case = group->shortest_case;
      failure.disagreement = group->disagreement;
      if (!failure.known && reported < kMostReported) report(++reported, *group, render, failure);
    }
  }

  void report(std::size_t number, const FailureGroup& group, const GraphRenderer& render, FailureSummary& failure) {
    FailureReport report(options_, summary_.seed, campaign_, out_, err_);
    const ReportedFailure reported = report.make(number, group, render, traces::InterruptGuard::interrupted);
    report_.unwritten = report_.unwritten || !reported.written;
    failure.status = reported.status;
    failure.folder = std::to_string(summary_.seed) + (number > 1 ? "/" + std::to_string(number) : "");
    failure.shrunk_operations = reported.record.shrunk_operations;
    failure.command = reported.record.command;
  }

  int close() {
    summary_.status = status_of(summary_);
    const auto took = std::chrono::duration_cast<milliseconds>(Clock::now() - start_);
    summary_.milliseconds = static_cast<std::uint64_t>(took.count());
    return report_run(summary_, report_, out_, err_);
  }

  const FuzzOptions& options_;
  std::ostream& out_;
  std::ostream& err_;
  Clock::time_point start_;
  traces::InterruptGuard guard_;
  Campaign campaign_;
  std::set<std::string> known_;
  RunSummary summary_;
  RunReportOptions report_;
};

}  // namespace

int fuzz(const FuzzOptions& options, const Judge& judge, std::ostream& out, std::ostream& err,
         const GraphRenderer& render) {
  return FuzzRun(options, judge, out, err).run(render);
}

int fuzz_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err, const FuzzHost& host) {
  FuzzCommandLine line = parse_fuzz_command_line(argc, argv, out, err);
  if (line.exit_status) return *line.exit_status;
  line.options.version = host.version;
  line.options.annotate = on_github();
  if (on_hardware(line.options)) {
    // Asked in a child: a process that has touched a real driver cannot have children that use it.
    if (const auto machine = look_at(real_rig(line.options.device)); !machine) {
      err << "taintgraph fuzz: no GPU to run on: " << machine.error() << '\n';
      return kNoGpu;
    }
  }
  const Judge judge = [&line](const traces::Program& program, CheckOptions options) {
    options.session.backend = line.options.backend;
    options.session.device = line.options.device;
    return check(program, options);
  };
  if (line.options.enumerate) return enumerate(line.options, judge, out, err, host.render);
  return fuzz(line.options, judge, out, err, host.render);
}

}  // namespace taintgraph::props
