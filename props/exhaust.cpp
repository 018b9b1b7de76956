#include "props/exhaust.hpp"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "props/exit_status.hpp"
#include "props/fault_sweep.hpp"
#include "props/recovery.hpp"
#include "traces/interrupt.hpp"
#include "traces/path_option.hpp"
#include "traces/reader.hpp"
#include "traces/writer.hpp"

namespace taintgraph::props {
namespace {

struct ExhaustOptions {
  std::vector<std::string> traces;
  std::string out = "taintgraph-failures";
  std::size_t most_failures = 1;
};

std::string name_of(const sim::PlannedFault& fault) {
  return std::string(gpu::to_string(*fault.call)) + " number " + std::to_string(fault.skip + 1) +
         (fault.persistent ? " and all later ones" : "") + ": " + std::string(gpu::row(fault.fault.kind).name);
}

class Exhaust {
 public:
  Exhaust(const ExhaustOptions& options, std::ostream& out, std::ostream& err)
      : options_(options), out_(out), err_(err) {}

  int run() {
    int status = kAllHeld;
    for (const std::string& path : options_.traces) {
      status = worse(status, run(path));
      if (traces::InterruptGuard::interrupted()) break;
    }
    out_ << options_.traces.size() << " traces, " << runs_ << " runs, " << struck_ << " faults, " << operations_
         << " operations, " << failures_ << " failures"
         << (traces::InterruptGuard::interrupted() ? ", interrupted" : "") << std::endl;
    if (status == kAllHeld && traces::InterruptGuard::interrupted()) return kInconclusive;
    return status;
  }

 private:
  int run(const std::string& path) {
    auto program = traces::load_program(path);
    if (!program) {
      for (const traces::Problem& problem : program.error()) err_ << to_string(problem, path) << '\n';
      return kUsage;
    }
    const traces::InterruptGuard guard;  // not before: a trace that never comes is given up the usual way
    FaultSweepOptions options;
    options.most_failures = options_.most_failures;
    options.stopped = [] { return traces::InterruptGuard::interrupted(); };
    const FaultSweepResult result = sweep_faults(*program, options);
    runs_ += result.runs;
    struck_ += result.struck;
    operations_ += result.operations;
    failures_ += result.failures.size();
    out_ << path << ": " << result.runs << " runs, " << result.struck << " faults, " << result.failures.size()
         << " failures" << std::endl;
    int status = result.failures.empty() ? kAllHeld : kFailed;
    for (const SweepFailure& failure : result.failures) status = worse(status, tell(path, *program, failure));
    return status;
  }

  int tell(const std::string& path, const traces::Program& program, const SweepFailure& failure) {
    const Disagreement& disagreement = failure.disagreement;
    out_ << "  fault:     " << name_of(failure.fault) << "\n  property:  " << disagreement.property
         << "\n  step:      " << disagreement.step << '\n';
    if (!disagreement.operation.empty()) out_ << "  operation: " << disagreement.operation << '\n';
    out_ << "  expected:  " << disagreement.expected << "\n  found:     " << disagreement.found << '\n';

    const std::string stem = std::filesystem::path(path).stem().string();
    const std::string file = options_.out + "/exhaust-" + (stem.empty() || stem == "-" ? "trace" : stem) + "-" +
                             std::string(gpu::to_string(*failure.fault.call)) + "-" +
                             std::to_string(failure.fault.skip + 1) + (failure.fault.persistent ? "-on-" : "-") +
                             std::string(gpu::row(failure.fault.fault.kind).name) + ".jsonl";
    std::error_code error;
    std::filesystem::create_directories(options_.out, error);  // what is wrong with it, writing will say
    std::ostringstream text;
    traces::write_program(text, with_fault(with_recovery(program).program, failure.fault));
    const auto written = traces::write_file_whole(file, text.str());
    if (!written) {
      err_ << "taintgraph: exhaust: " << written.error() << '\n';
      return kInternalError;
    }
    out_ << "  wrote " << file << '\n';
    return kAllHeld;
  }

  const ExhaustOptions& options_;
  std::ostream& out_;
  std::ostream& err_;
  std::uint64_t runs_ = 0;
  std::uint64_t struck_ = 0;
  std::uint64_t operations_ = 0;
  std::uint64_t failures_ = 0;
};

}  // namespace

int exhaust_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  ExhaustOptions options;
  CLI::App app("Fail every driver call of a trace in turn, with every kind that it may return, once and from then on.",
               "taintgraph exhaust");
  app.add_option("TRACE", options.traces, "trace files; - reads standard input")->required();
  app.add_option("--out", options.out, "where failures are written")->check(traces::not_empty())->capture_default_str();
  app.add_option("--failures", options.most_failures, "stop a trace after so many")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.footer(
      "A failure is a disagreement with the reference model, misuse of the driver, or something left behind after\n"
      "recovery. What a trace expects of itself holds without these faults only, so it is not looked at: that is\n"
      "what 'replay' is for.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error, out, err);
    err << "taintgraph: exhaust: " << error.what() << "; 'taintgraph exhaust --help' tells more\n";
    return kUsage;
  }
  return Exhaust(options, out, err).run();
}

}  // namespace taintgraph::props
