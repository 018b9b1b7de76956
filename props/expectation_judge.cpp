#include "props/expectation_judge.hpp"

#include <new>
#include <string>
#include <utility>

#include "traces/replayer.hpp"
#include "traces/writer.hpp"

namespace taintgraph::props {
namespace {

using traces::Mismatch;

class ExpectationRun {
 public:
  ExpectationRun(const traces::Program& program, const CheckOptions& options) : program_(program), options_(options) {}

  CheckedRun run() {
    traces::SessionOptions session;
    session.validate = true;
    session.keep_history = options_.keep_snapshot;
    traces::Replayer replayer(
        program_.header, program_.names, session,
        [this](const traces::Operation& operation, const traces::StepResult& result, std::vector<Mismatch> found) {
          if (found.empty()) return;
          if (found.front().what == "outcome" && !result.error.empty())
            found.front().found.append(" (").append(result.error).append(")");
          disagree(found.front(), &operation);
        });
    for (const traces::Operation& operation : program_.operations) {
      ++run_.operations;
      if (options_.before_step) options_.before_step(run_.operations);
      replayer.execute(operation);
      if (options_.keep_trail) run_.trail.push_back(replayer.session().fingerprint());
      if (run_.disagreement) break;
    }
    run_.fingerprint = replayer.session().fingerprint();
    if (options_.keep_snapshot) run_.snapshot = replayer.session().snapshot();
    if (!run_.disagreement) end(replayer);
    return std::move(run_);
  }

 private:
  void end(traces::Replayer& replayer) {
    if (program_.end) replayer.compare_end(*program_.end);
    replayer.finish();
    if (!replayer.whole_run().empty()) disagree(replayer.whole_run().front(), nullptr);
  }

  // `operation`: null at the end.
  void disagree(const Mismatch& mismatch, const traces::Operation* operation) {
    Disagreement& disagreement = run_.disagreement.emplace();
    disagreement.property = "expect " + mismatch.what;
    disagreement.step = run_.operations + (operation == nullptr ? 1 : 0);
    disagreement.expected = mismatch.expected;
    disagreement.found = mismatch.found;
    if (operation == nullptr) return;
    disagreement.kind = operation->kind;
    disagreement.operation = traces::operation_line(*operation, program_.names);
  }

  const traces::Program& program_;
  const CheckOptions& options_;
  CheckedRun run_;
};

}  // namespace

CheckedRun judge_expectations(const traces::Program& program, const CheckOptions& options) {
  return ExpectationRun(program, options).run();
}

}  // namespace taintgraph::props
