#include "props/failure_report.hpp"

#include <algorithm>
#include <chrono>
#include <ostream>

#include "props/exit_status.hpp"
#include "props/signature.hpp"
#include "traces/writer.hpp"

namespace taintgraph::props {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kShrinkTime{120};      // runs of a slow program must not hold up the report for ever
constexpr std::chrono::seconds kLaterShrinkTime{30};  // of a run's second failure and those behind it
constexpr std::size_t kOperationsShown = 20;

std::size_t needed_operations(const Disagreement& disagreement, const traces::Program& program) {
  if (disagreement.step == 0) return program.operations.size();
  return static_cast<std::size_t>(std::min<std::uint64_t>(disagreement.step, program.operations.size()));
}

// Whether a second run failed as the first did. A crash need not come at the same step of a shrunk program, but must in
// the same one.
bool same_failure(const Verdict& verdict, const std::string& signature) {
  return verdict.disagreement && signature_of(*verdict.disagreement) == signature;
}

}  // namespace

void tell(std::ostream& out, const Disagreement& disagreement) {
  out << "  property:  " << disagreement.property << '\n' << "  step:      " << disagreement.step << '\n';
  if (!disagreement.operation.empty()) out << "  operation: " << disagreement.operation << '\n';
  out << "  expected:  " << disagreement.expected << '\n' << "  found:     " << disagreement.found << std::endl;
}

ReportedFailure FailureReport::make(std::size_t number, const FailureGroup& group, const GraphRenderer& render,
                                    const std::function<bool()>& interrupted) {
  Subject subject;
  subject.number = number;
  subject.program = campaign_.program(group.shortest_case);
  subject.disagreement = group.disagreement;
  subject.signature = signature_of(group.disagreement);
  subject.scrutiny = campaign_.scrutiny_of(group.shortest_case);
  subject.record = {.seed = seed_,
                    .case_number = group.shortest_case,
                    .operations_option = options_.operations,
                    .disagreement = group.disagreement,
                    .signature = subject.signature,
                    .failing_cases = group.cases,
                    .first_case = group.first_case,
                    .operations = subject.program.operations.size(),
                    .shrunk_operations = subject.program.operations.size(),
                    .command = command(group.shortest_case)};
  begin(group, subject);
  const FailureFolder folder(options_.out, seed_, number);
  if (!folder.error().empty()) err_ << "taintgraph fuzz: " << folder.error() << '\n';
  wrote(folder, "trace.jsonl",
        folder.write_program("trace.jsonl", subject.program, last_step(subject, subject.disagreement.step), campaign_));
  int status = status_of(subject.disagreement);
  if (!fails_again(subject)) {
    if (status == kFailed) status = kNotDeterministic;
  } else {
    shrink_and_write(subject, folder, render, interrupted);
  }
  wrote(folder, "run.json", folder.write_record(subject.record));
  out_ << "reproduce: " << subject.record.command << std::endl;
  return {status, !unwritten_, std::move(subject.record)};
}

void FailureReport::begin(const FailureGroup& group, const Subject& subject) {
  out_ << "case " << group.shortest_case << " failed, of " << subject.program.operations.size() << " operations";
  if (group.cases > 1) {
    out_ << "; the shortest of " << group.cases << " cases that fail so, the first is case " << group.first_case;
  }
  out_ << '\n';
  tell(out_, subject.disagreement);
  out_ << "  signature: " << subject.signature << std::endl;
}

bool FailureReport::fails_again(const Subject& subject) {
  const Verdict again = campaign_.check_alone(subject.program, subject.scrutiny);
  if (same_failure(again, subject.signature) && again.disagreement->step == subject.disagreement.step) return true;
  out_ << "the same case run again did not fail in the same way\n";
  if (again.disagreement) tell(out_, *again.disagreement);
  return false;
}

void FailureReport::shrink_and_write(Subject& subject, const FailureFolder& folder, const GraphRenderer& render,
                                     const std::function<bool()>& interrupted) {
  out_ << "shrinking" << std::endl;
  const Shrunk shrunk = shrink_subject(subject, interrupted);
  out_ << "shrunk to " << shrunk.program.operations.size() << " operations in " << shrunk.runs << " runs"
       << (shrunk.finished ? "" : ", stopped early") << '\n';
  tell_program(shrunk.program);
  const Verdict last = campaign_.check_alone(shrunk.program, subject.scrutiny, shrinking_stall(subject));
  if (last.disagreement) tell(out_, *last.disagreement);
  subject.record.shrunk_operations = shrunk.program.operations.size();
  const std::uint64_t step = last_step(subject, subject.record.shrunk_operations);
  wrote(folder, "shrunk.jsonl", folder.write_program("shrunk.jsonl", shrunk.program, step, campaign_));
  wrote(folder, "graph.svg", folder.write_graph(shrunk.program, step, render, campaign_));
  out_ << "replay:    taintgraph replay " << folder.path() << "/shrunk.jsonl\n";
  subject.record.shrink_runs = shrunk.runs;
  subject.record.shrink_finished = shrunk.finished;
}

Shrunk FailureReport::shrink_subject(const Subject& subject, const std::function<bool()>& interrupted) {
  const FailureTest test = [&](const traces::Program& candidate) -> std::optional<std::size_t> {
    const Verdict verdict = campaign_.check_alone(candidate, subject.scrutiny, shrinking_stall(subject));
    if (!same_failure(verdict, subject.signature)) return std::nullopt;
    return needed_operations(*verdict.disagreement, candidate);
  };
  const Clock::time_point deadline = Clock::now() + (subject.number == 1 ? kShrinkTime : kLaterShrinkTime);
  ShrinkOptions options;
  options.interrupted = [&] { return interrupted() || Clock::now() >= deadline; };
  return shrink(subject.program, needed_operations(subject.disagreement, subject.program), test, options);
}

// The last step that is worth executing to see what it should have done: nobody waits for a hang again.
std::uint64_t FailureReport::last_step(const Subject& subject, std::uint64_t step) {
  return subject.disagreement.property == kHangProperty && step > 0 ? step - 1 : step;
}

// Every candidate that hangs is sat through, so the wait is cut to what still tells a hang from a slow machine.
std::optional<std::chrono::milliseconds> FailureReport::shrinking_stall(const Subject& subject) const {
  if (subject.disagreement.property != kHangProperty) return std::nullopt;
  constexpr std::chrono::milliseconds kLeast{200};
  return std::max<std::chrono::milliseconds>(campaign_.limits().stall / 10, kLeast);
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
    // A picture takes a program that need not be there.
    unwritten_ = unwritten_ || name != "graph.svg";
  }
}

std::string FailureReport::command(std::uint64_t case_number) const {
  if (options_.enumerate) return "taintgraph fuzz --enumerate --ops " + std::to_string(options_.operations);
  return "taintgraph fuzz --seed " + std::to_string(seed_) + " --cases " + std::to_string(case_number) + ".." +
         std::to_string(case_number + 1) + " --ops " + std::to_string(options_.operations) +
         (options_.backend == traces::Backend::cuda ? " --backend cuda --device " + std::to_string(options_.device)
                                                    : std::string());
}

}  // namespace taintgraph::props
