#include "props/checker.hpp"

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "props/comparison.hpp"
#include "traces/session.hpp"
#include "traces/writer.hpp"

namespace taintgraph::props {
namespace {

using traces::Operation;
using traces::Program;

class Checker {
 public:
  Checker(const Program& program, const CheckOptions& options)
      : program_(program), options_(options), observer_(program.names.size(), run_.features) {}

  CheckedRun run() {
    try {
      run_program();
    } catch (const std::bad_alloc&) {
      disagree("out of memory", "memory to spare", "the host had none left");
    } catch (const std::exception& exception) {
      // Everything that can go wrong has an error value; whatever is thrown this far up was not meant to be.
      disagree("exception", "none", exception.what());
    }
    return std::move(run_);
  }

 private:
  void run_program() {
    Model model(program_.header, program_.names);
    traces::SessionOptions session_options = options_.session;
    session_options.keep_reports = true;
    session_options.validate = true;
    session_options.keep_history = options_.keep_snapshot;
    traces::Session session(program_.header, program_.names, session_options);
    for (const Operation& operation : program_.operations) {
      step(operation, session, model);
      if (run_.disagreement) break;
    }
    run_.fingerprint = session.fingerprint();
    if (options_.keep_snapshot) run_.snapshot = session.snapshot();
    if (!run_.disagreement) end(session);
  }

  void step(const Operation& operation, traces::Session& session, Model& model) {
    const std::uint64_t ordinal = ++run_.operations;
    if (options_.before_step) options_.before_step(ordinal);
    FaultCell cell;
    cell.context = operation.kind == traces::OpKind::reset ? ContextState::renewing
                   : model.fault_pending()                 ? ContextState::pending
                   : renewed_                              ? ContextState::renewed
                                                           : ContextState::first;
    cell.capturing = model.capturing();
    const traces::StepResult found = session.execute(operation);
    if (options_.after_step) options_.after_step(ordinal, found);
    Prediction expected = model.predict(operation, ordinal, found.fired);
    run_.faults += found.fired.size();
    for (const sim::FiredFault& fault : found.fired) {
      cell.call = fault.call;
      cell.kind = fault.kind;
      run_.cells.hit(cell);
    }
    if (operation.kind == traces::OpKind::reset && found.outcome == traces::Outcome::ok) renewed_ = true;
    std::optional<Disagreement> difference = compare(operation, expected, found);
    while (difference && expected.outcome_open) {
      expected = model.otherwise();
      difference = compare(operation, expected, found);
    }
    if (difference) {
      disagree(std::move(*difference));
    } else {
      observer_.observe(operation, ordinal, found);
    }
    run_.shape.observe(found);
    if (options_.keep_trail) run_.trail.push_back(session.fingerprint());
    if (options_.keep_predictions) run_.predictions.push_back(expected);
  }

  void end(traces::Session& session) {
    const std::vector<std::string> left = session.finish();
    if (left.empty()) return;
    disagree("end: " + std::string(property_of_finding(left[0])), "nothing left over", left[0]);
    run_.disagreement->step = run_.operations + 1;
    run_.disagreement->kind = traces::OpKind::check;
    run_.disagreement->operation.clear();
  }

  void disagree(std::string property, std::string expected, std::string found) {
    Disagreement difference;
    difference.property = std::move(property);
    difference.expected = std::move(expected);
    difference.found = std::move(found);
    disagree(std::move(difference));
  }

  // At the operation that runs now.
  void disagree(Disagreement difference) {
    difference.step = run_.operations;
    if (difference.step > 0 && difference.step <= program_.operations.size()) {
      const Operation& operation = program_.operations[static_cast<std::size_t>(difference.step - 1)];
      difference.kind = operation.kind;
      difference.operation = traces::operation_line(operation, program_.names);
    }
    run_.disagreement = std::move(difference);
  }

  const Program& program_;
  const CheckOptions& options_;
  CheckedRun run_;
  bool renewed_ = false;      // the context is not the first
  FeatureObserver observer_;  // counts into run_
};

}  // namespace

CheckedRun check(const Program& program, const CheckOptions& options) { return Checker(program, options).run(); }

}  // namespace taintgraph::props
