#include "props/fuzz.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>

#include "props/campaign.hpp"
#include "props/conform/conformance.hpp"
#include "props/failure_report.hpp"
#include "props/fuzz_options.hpp"
#include "props/hardware_form.hpp"
#include "props/progress_line.hpp"
#include "traces/interrupt.hpp"
#include "traces/replayer.hpp"

namespace taintgraph::props {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kAllHeld = 0;
constexpr int kInconclusive = 2;
constexpr int kNoGpu = 77;

bool on_hardware(const FuzzOptions& options) { return options.backend == traces::Backend::cuda; }

std::uint64_t fresh_seed() {
  // Not std::random_device, which ties a program that carries its own libstdc++ to the newest C libraries.
  std::uint64_t seed = 0;
  if (::getentropy(&seed, sizeof seed) != 0) throw std::runtime_error("no randomness for a seed; give one with --seed");
  return seed;
}

class FuzzRun {
 public:
  FuzzRun(const FuzzOptions& options, const Judge& judge, std::ostream& out, std::ostream& err)
      : options_(options),
        seed_(options.seed ? *options.seed : fresh_seed()),
        out_(out),
        err_(err),
        start_(Clock::now()),
        campaign_({.seed = seed_,
                   .generator = {.operations = options.operations},
                   .stall_limit = options.stall_limit,
                   .stopped = [this] { return stopped(); },
                   .form = on_hardware(options) ? give_hardware_form : std::function<void(traces::Program&)>()},
                  judge) {}

  int run(const GraphRenderer& render) {
    announce();
    const std::optional<CaseFailure> failure = run_cases();
    int status = kAllHeld;
    if (failure) {
      FailureReport report(options_, seed_, campaign_, out_, err_);
      status = report.make(*failure, render, [] { return traces::InterruptGuard::interrupted(); });
    } else if (totals_.cases == 0) {
      err_ << "taintgraph fuzz: stopped before the first case ended\n";
      status = kInconclusive;
    } else if (!on_hardware(options_) && !floors_hold()) {  // floors are of programs as they are drawn
      status = kInconclusive;
    }
    close(status);
    return status;
  }

 private:
  [[nodiscard]] bool stopped() const {
    return traces::InterruptGuard::interrupted() || (options_.time && Clock::now() - start_ >= *options_.time);
  }

  void announce() {
    out_ << "seed " << seed_ << ": ";
    if (options_.time) {
      out_ << "cases from 0 for " << seconds_text(*options_.time);
    } else {
      out_ << "cases " << options_.first_case << ".." << options_.end_case;
    }
    out_ << ", about " << options_.operations << " operations each" << std::endl;
  }

  std::optional<CaseFailure> run_cases() {
    ProgressLine progress(err_);
    std::uint64_t next = options_.time ? 0 : options_.first_case;
    std::uint64_t batch = kFirstBatch;
    std::optional<CaseFailure> failure;
    while (!failure && !stopped() && (options_.time || next < options_.end_case)) {
      if (!options_.time) batch = std::min(batch, options_.end_case - next);
      const Clock::time_point before = Clock::now();
      const BatchResult result = campaign_.run(next, batch);
      totals_.add(result.totals);
      next += batch;
      if (result.failed) failure = CaseFailure{*result.failed, result.verdict};
      progress.show(totals_);
      batch = next_batch(batch, Clock::now() - before);
    }
    return failure;
  }

  // Long enough that a fork costs nothing beside it, short enough that progress moves and little is run again after a
  // crash. Results do not depend on it.
  static std::uint64_t next_batch(std::uint64_t batch, Clock::duration took) {
    if (took < milliseconds(100)) return std::min(batch * 2, kLargestBatch);
    if (took > milliseconds(400)) return std::max<std::uint64_t>(batch / 2, 1);
    return batch;
  }

  bool floors_hold() {
    const std::vector<Feature> low = below_floor(totals_.features, totals_.cases, options_.operations);
    for (const Feature feature : low) {
      const FeatureRow& row = feature_table()[static_cast<std::size_t>(feature)];
      err_ << "taintgraph fuzz: too little of a feature to be conclusive: " << row.name << ", seen "
           << totals_.features.of(feature) << " times in " << totals_.cases << " cases\n";
    }
    return low.empty();
  }

  void close(int status) {
    if (traces::InterruptGuard::interrupted()) out_ << "interrupted\n";
    if (!options_.quiet) show_coverage(out_, totals_);
    out_ << (status == kAllHeld ? "PASSED" : "FAILED") << " seed=" << seed_ << " cases=" << totals_.cases
         << " ops=" << totals_.operations << " faults=" << totals_.faults << " cells=" << totals_.cells.count() << '/'
         << cells_in_reach().size() << " fingerprint=" << traces::fingerprint_text(totals_.fingerprint)
         << " time=" << seconds_text(std::chrono::duration_cast<milliseconds>(Clock::now() - start_)) << std::endl;
  }

  static constexpr std::uint64_t kFirstBatch = 16;
  static constexpr std::uint64_t kLargestBatch = 1U << 14;

  const FuzzOptions& options_;
  std::uint64_t seed_;
  std::ostream& out_;
  std::ostream& err_;
  Clock::time_point start_;
  traces::InterruptGuard guard_;
  Campaign campaign_;
  Totals totals_;
};

}  // namespace

int fuzz(const FuzzOptions& options, const Judge& judge, std::ostream& out, std::ostream& err,
         const GraphRenderer& render) {
  return FuzzRun(options, judge, out, err).run(render);
}

int fuzz_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err, const GraphRenderer& render) {
  const FuzzCommandLine line = parse_fuzz_command_line(argc, argv, out, err);
  if (line.exit_status) return *line.exit_status;
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
  return fuzz(line.options, judge, out, err, render);
}

}  // namespace taintgraph::props
