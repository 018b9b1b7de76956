// What the operations of the model have in common: which failure they meet, in the order of checks that the trace
// format gives, and what each outcome leaves behind.
#include <algorithm>

#include "props/model.hpp"

namespace taintgraph::props {

using traces::Outcome;

bool Model::threw(const Trouble& trouble) {
  return !trouble.surfaced && trouble.strike.kind == gpu::FaultKind::host_exception;
}

// An earlier asynchronous fault comes before the operation's own; the operation's own before its work.
std::optional<Model::Trouble> Model::trouble(Step& step, Reach reach) {
  if (std::optional<Trouble> surfaced = surfacing(step, reach)) return surfaced;
  std::optional<reference::Strike> strike = step.verdict.fails;
  if (step.verdict.may_fail) step.open = true;
  if (step.verdict.may_fail && step.take_other) strike = step.verdict.may_fail;
  if (!strike) return std::nullopt;
  return Trouble{reference::cause_of(strike->kind), *strike};
}

// Work on bytes that a faulted stream uses is ordered after that use, and so after the fault.
void Model::follow(Step& step, const Ranges& reads, const Ranges& writes) {
  const auto meet = [](const Ranges& some, const Ranges& others) {
    return std::any_of(some.begin(), some.end(), [&others](const reference::Range& range) {
      return std::any_of(others.begin(), others.end(),
                         [&range](const reference::Range& other) { return reference::overlap(range, other); });
    });
  };
  for (reference::AsyncFault& fault : state_.pending) {
    const bool meets = meet(reads, fault.writes) || meet(writes, fault.writes) || meet(writes, fault.reads);
    if (meets) fault.streams.insert(step.operation.stream);
    if (fault.streams.count(step.operation.stream) == 0) continue;
    fault.reads.insert(fault.reads.end(), reads.begin(), reads.end());
    fault.writes.insert(fault.writes.end(), writes.begin(), writes.end());
  }
}

std::optional<Model::Trouble> Model::surfacing(Step& step, Reach reach) {
  if (state_.pending.empty()) return std::nullopt;
  bool must = false;
  bool must_by_waiting = false;
  for (const reference::AsyncFault& fault : state_.pending) {
    if (fault.doubtful) continue;
    if (!fault.late) must = must || reach != Reach::perhaps;
    if (reach == Reach::waits_for_all) must_by_waiting = true;
    if (reach == Reach::waits_for_stream && fault.streams.count(step.operation.stream) != 0) must_by_waiting = true;
  }
  // The compiler knows no context, and so nothing of what happened in one; and so do a few calls of the driver.
  const bool compiling = step.verdict.fails && step.verdict.fails->kind == gpu::FaultKind::compile_error;
  if ((compiling || step.verdict.may_fail) && must) {
    must = false;
    must_by_waiting = true;
  }
  // An operation that fails by itself may never come to wait.
  const bool fails_by_itself = (step.verdict.fails && step.verdict.fails->kind != gpu::FaultKind::host_exception) ||
                               step.verdict.may_fail.has_value();
  if (must_by_waiting && !must && fails_by_itself) {
    step.open = true;
    if (step.take_other) return std::nullopt;
  } else if (!must && !must_by_waiting) {
    step.open = true;
    if (!step.take_other) return std::nullopt;
  }

  Trouble trouble{reference::cause_of(state_.pending.front().kind), {}};
  trouble.surfaced = true;
  for (const reference::AsyncFault& fault : state_.pending) {
    const reference::Cause other = reference::cause_of(fault.kind);
    if (other.error != trouble.cause.error) trouble.cause.error = {};
    if (other.recovery != trouble.cause.recovery) trouble.recovery_open = true;
  }
  return trouble;
}

// The operation is a failure of its own from now on, and the poison too if its cause is sticky (D1).
Prediction Model::fail(Step& step, const Trouble& trouble) {
  state_.failures.add(step.ordinal, trouble.cause);
  if (trouble.cause.sticky) {
    state_.poison = step.ordinal;
    if (state_.order_open) {
      state_.failures.suspect_anything(step.ordinal);
    } else {
      state_.failures.suspect(step.ordinal, state_.order.suspects());
    }
    state_.recovery_open = trouble.recovery_open;
    state_.pending.clear();
  }
  return with(Outcome::failed, {step.ordinal});
}

Prediction Model::refuse(const Ranges& writes) {
  state_.memory.claim(writes, state_.poison);
  return with(Outcome::poisoned, {state_.poison});
}

// A wait for one stream, or for all of them, was good.
void Model::proved(std::optional<std::uint32_t> stream) {
  if (stream) return state_.order.proved({*stream});
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < device_.streams; ++i) all.push_back(i);
  state_.order.proved(all);
  state_.order_open = false;
}

void Model::blame(Prediction& prediction) const {
  for (const Ordinal root : prediction.roots) {
    if (!state_.failures.has(root)) continue;
    const reference::Failure& failure = state_.failures.at(root);
    if (failure.suspects.newest.empty() && !failure.suspects_open) continue;
    prediction.suspects = failure.suspects.newest;
    prediction.suspects_dropped = failure.suspects.dropped;
    prediction.suspects_open = failure.suspects_open;
    return;
  }
}

void Model::leave_behind(Step& step) {
  step.left_behind = true;
  if (step.verdict.leaves_behind) leave_behind(*step.verdict.leaves_behind);
}

void Model::leave_behind(reference::AsyncFault fault) {
  for (const reference::AsyncFault& earlier : state_.pending) {
    for (const std::uint32_t stream : fault.streams) {
      fault.doubtful = fault.doubtful || earlier.streams.count(stream) != 0;
    }
  }
  state_.pending.push_back(std::move(fault));
}

Prediction Model::with(Outcome outcome, std::vector<Ordinal> roots) const {
  Prediction prediction;
  prediction.outcome = outcome;
  prediction.roots = std::move(roots);
  return prediction;
}

}  // namespace taintgraph::props
