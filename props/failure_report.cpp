#include "props/failure_report.hpp"

#include <algorithm>
#include <chrono>
#include <ostream>

#include "traces/writer.hpp"

namespace taintgraph::props {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kFailed = 1;
constexpr int kInconclusive = 2;
constexpr int kNotDeterministic = 3;
constexpr int kInternalError = 70;
constexpr std::chrono::seconds kShrinkTime{120};  // runs of a slow program must not hold up the report for ever
constexpr std::size_t kOperationsShown = 20;

std::size_t needed_operations(const Disagreement& disagreement, const traces::Program& program) {
  if (disagreement.step == 0) return program.operations.size();
  return static_cast<std::size_t>(std::min<std::uint64_t>(disagreement.step, program.operations.size()));
}

}  // namespace

int FailureReport::make(const CaseFailure& failure, const GraphRenderer& render,
                        const std::function<bool()>& interrupted) {
  Subject subject{campaign_.program(failure.case_number),
                  *failure.verdict.disagreement,
                  Campaign::validates(failure.case_number),
                  {}};
  out_ << "case " << failure.case_number << " failed, of " << subject.program.operations.size() << " operations\n";
  tell(subject.disagreement);
  const FailureFolder folder(options_.out, seed_);
  if (!folder.error().empty()) {
    err_ << "taintgraph fuzz: " << folder.error() << '\n';
    return kInternalError;
  }
  wrote(folder, "trace.jsonl",
        folder.write_program("trace.jsonl", subject.program, subject.disagreement.step, campaign_));
  subject.record = {.seed = seed_,
                    .case_number = failure.case_number,
                    .operations_option = options_.operations,
                    .disagreement = subject.disagreement,
                    .operations = subject.program.operations.size(),
                    .shrunk_operations = subject.program.operations.size(),
                    .command = command(failure.case_number)};
  int status = kFailed;
  if (failure.verdict.hung) {
    status = kInconclusive;  // shrinking would sit through every hang again
  } else if (!fails_again(subject)) {
    status = kNotDeterministic;
  } else {
    shrink_and_write(subject, folder, render, interrupted);
  }
  wrote(folder, "run.json", folder.write_record(subject.record));
  out_ << "reproduce: " << subject.record.command << std::endl;
  return status;
}

bool FailureReport::fails_again(const Subject& subject) {
  const Verdict again = campaign_.check_alone(subject.program, subject.validate);
  const bool same = again.disagreement && again.disagreement->same_failure(subject.disagreement) &&
                    again.disagreement->step == subject.disagreement.step;
  if (same) return true;
  out_ << "the same case run again did not fail in the same way\n";
  if (again.disagreement) tell(*again.disagreement);
  return false;
}

void FailureReport::shrink_and_write(Subject& subject, const FailureFolder& folder, const GraphRenderer& render,
                                     const std::function<bool()>& interrupted) {
  out_ << "shrinking" << std::endl;
  const Shrunk shrunk = shrink_subject(subject, interrupted);
  out_ << "shrunk to " << shrunk.program.operations.size() << " operations in " << shrunk.runs << " runs"
       << (shrunk.finished ? "" : ", stopped early") << '\n';
  tell_program(shrunk.program);
  const Verdict last = campaign_.check_alone(shrunk.program, subject.validate);
  if (last.disagreement) tell(*last.disagreement);
  const std::uint64_t step = shrunk.program.operations.size();
  wrote(folder, "shrunk.jsonl", folder.write_program("shrunk.jsonl", shrunk.program, step, campaign_));
  wrote(folder, "graph.svg", folder.write_graph(shrunk.program, step, render, campaign_));
  out_ << "replay:    taintgraph replay " << folder.path() << "/shrunk.jsonl\n";
  subject.record.shrunk_operations = step;
  subject.record.shrink_runs = shrunk.runs;
  subject.record.shrink_finished = shrunk.finished;
}

Shrunk FailureReport::shrink_subject(const Subject& subject, const std::function<bool()>& interrupted) {
  const FailureTest test = [&](const traces::Program& candidate) -> std::optional<std::size_t> {
    const Verdict verdict = campaign_.check_alone(candidate, subject.validate);
    if (!verdict.disagreement || !verdict.disagreement->same_failure(subject.disagreement)) return std::nullopt;
    return needed_operations(*verdict.disagreement, candidate);
  };
  const Clock::time_point deadline = Clock::now() + kShrinkTime;
  ShrinkOptions options;
  options.interrupted = [&] { return interrupted() || Clock::now() >= deadline; };
  return shrink(subject.program, needed_operations(subject.disagreement, subject.program), test, options);
}

void FailureReport::tell(const Disagreement& disagreement) {
  out_ << "  property:  " << disagreement.property << '\n' << "  step:      " << disagreement.step << '\n';
  if (!disagreement.operation.empty()) out_ << "  operation: " << disagreement.operation << '\n';
  out_ << "  expected:  " << disagreement.expected << '\n' << "  found:     " << disagreement.found << std::endl;
}

void FailureReport::tell_program(const traces::Program& program) {
  out_ << "  " << traces::header_line(program.header) << '\n';
  const std::size_t shown = std::min(program.operations.size(), kOperationsShown);
  for (std::size_t i = 0; i < shown; ++i) {
    out_ << "  " << traces::operation_line(program.operations[i], program.names) << '\n';
  }
  if (shown < program.operations.size()) out_ << "  and " << program.operations.size() - shown << " more\n";
}

void FailureReport::wrote(const FailureFolder& folder, const std::string& name,
                          const tl::expected<void, std::string>& result) {
  if (result) {
    out_ << "wrote " << folder.path() << '/' << name << '\n';
  } else {
    err_ << "taintgraph fuzz: " << result.error() << '\n';
  }
}

std::string FailureReport::command(std::uint64_t case_number) const {
  return "taintgraph fuzz --seed " + std::to_string(seed_) + " --cases " + std::to_string(case_number) + ".." +
         std::to_string(case_number + 1) + " --ops " + std::to_string(options_.operations) +
         (options_.backend == traces::Backend::cuda ? " --backend cuda --device " + std::to_string(options_.device)
                                                    : std::string());
}

}  // namespace taintgraph::props
