// What the operations of the model have in common: which failure they meet, in the order of checks that the trace
// format gives, and what each outcome leaves behind.
#include <algorithm>
#include <utility>

#include "props/model.hpp"

namespace taintgraph::props {

using traces::Outcome;

std::optional<Prediction> Model::wait_in_vain(Step& step, std::optional<std::uint32_t> stream) {
  bool hangs = false;
  bool idle = true;
  bool doubtful = false;
  bool some_end = false;  // in any case
  for (std::uint32_t i = stream.value_or(0); i < (stream ? *stream + 1 : device_.streams); ++i) {
    const bool is_idle = state_.order.idle(i);
    hangs = hangs || state_.order.hangs(i);
    doubtful = doubtful || state_.order.may_hang(i);
    idle = idle && is_idle;
    some_end = some_end || is_idle || (!step.operation.deadline && !state_.order.hangs(i) && !state_.order.may_hang(i));
  }
  if (meets_an_error(step, some_end)) return std::nullopt;
  const bool slow = step.operation.deadline && !idle;
  if (!hangs && !step.gave_up && !((slow || doubtful) && ask(step))) return std::nullopt;
  if (step.verdict.may_fail && ask(step)) {  // of the wait for any of them
    step.verdict.fails = std::exchange(step.verdict.may_fail, std::nullopt);
    return std::nullopt;
  }
  if (step.verdict.leaves_behind && !step.verdict.assumed) leave_behind(step);  // by a wait for another stream
  Prediction given_up = with(Outcome::timeout, {});
  given_up.error = "timeout";
  return given_up;
}

// An error counts for more than a wait given up, and a fault that fired has made one. The operation's own, which the
// log does not show, strikes the first wait that comes to its end.
bool Model::meets_an_error(const Step& step, bool some_end) {
  const std::optional<reference::Strike>& strike = step.verdict.fails;
  if (!strike || strike->kind == gpu::FaultKind::host_exception) return false;
  if (step.verdict.assumed) return some_end && strike->call == gpu::Call::cuStreamSynchronize;
  return strike->call != gpu::Call::cuStreamBeginCapture;  // which stands behind the wait
}

// What hangs may be in the way of work that goes on: of its order where an event fails, and of staging memory. Its
// stream may come after what hangs only for the sake of this very work.
std::optional<Model::Trouble> Model::stalling(Step& step, reference::Nodes graph) {
  if (!state_.order.hangs()) return std::nullopt;
  if (step.verdict.unordered && ask(step)) {
    state_.order.doubt(open_stream(step.operation.stream));
    Trouble trouble{reference::cause_of(step.verdict.unordered->kind), *step.verdict.unordered};
    if (step.verdict.unordered_open) trouble.cause.error = {};
    return trouble;
  }
  constexpr std::size_t kOperandsInlined = 16;
  const traces::Operation& operation = step.operation;
  const std::size_t operands = operation.reads.size() + operation.writes.size();
  const bool wide = operation.kind == traces::OpKind::launch && operands > kOperandsInlined;
  if (!wide && operation.kind != traces::OpKind::write) return std::nullopt;
  reference::Order order = state_.order;
  order.work(operation.stream, step.ordinal, graph);
  if (!order.hangs(operation.stream) && !order.may_hang(operation.stream)) return std::nullopt;
  if (!ask(step)) return std::nullopt;
  Trouble full{{}, {}};
  full.cause.error = "timeout";
  full.strike.effect = reference::Effect::unknown;
  return full;
}

bool Model::threw(const Trouble& trouble) {
  return !trouble.surfaced && trouble.strike.kind == gpu::FaultKind::host_exception;
}

// An earlier asynchronous fault comes before the operation's own; the operation's own before its work.
std::optional<Model::Trouble> Model::trouble(Step& step, Reach reach) {
  if (std::optional<Trouble> surfaced = surfacing(step, reach)) return surfaced;
  return own_trouble(step);
}

std::optional<Model::Trouble> Model::own_trouble(Step& step) {
  std::optional<reference::Strike> strike = step.verdict.fails;
  const bool lost = strike && !step.verdict.assumed && gpu::row(strike->kind).sticky;  // which nothing hides (D1)
  if (step.verdict.may_fail && !lost && ask(step)) strike = step.verdict.may_fail;
  if (!strike) return std::nullopt;
  return Trouble{reference::cause_of(strike->kind), *strike};
}

// Work on bytes that a faulted stream uses is ordered after that use, and so after the fault.
void Model::follow(std::uint32_t stream, const Ranges& reads, const Ranges& writes) {
  const auto meet = [](const Ranges& some, const Ranges& others) {
    return std::any_of(some.begin(), some.end(), [&others](const reference::Range& range) {
      return std::any_of(others.begin(), others.end(),
                         [&range](const reference::Range& other) { return reference::overlap(range, other); });
    });
  };
  for (reference::AsyncFault& fault : state_.pending) {
    const bool meets = meet(reads, fault.writes) || meet(writes, fault.writes) || meet(writes, fault.reads);
    if (meets) fault.streams.insert(stream);
    if (fault.streams.count(stream) == 0) continue;
    fault.reads.insert(fault.reads.end(), reads.begin(), reads.end());
    fault.writes.insert(fault.writes.end(), writes.begin(), writes.end());
  }
}

// A relocation only reads the old memory, and nobody has used the new one before it: work that comes later is ordered
// after the relocation, and after a fault only if that is.
void Model::follow_to_new_memory(std::uint32_t stream, const reference::Range& moved) {
  const auto of_moved = [&moved](const reference::Range& range) { return range.buffer == moved.buffer; };
  for (reference::AsyncFault& fault : state_.pending) {
    fault.reads.erase(std::remove_if(fault.reads.begin(), fault.reads.end(), of_moved), fault.reads.end());
    fault.writes.erase(std::remove_if(fault.writes.begin(), fault.writes.end(), of_moved), fault.writes.end());
    if (fault.streams.count(stream) != 0) fault.writes.push_back(moved);
  }
}

std::optional<Model::Trouble> Model::surfacing(Step& step, Reach reach) {
  if (state_.pending.empty()) return std::nullopt;
  bool must = false;
  bool must_by_waiting = false;
  for (const reference::AsyncFault& fault : state_.pending) {
    if (fault.doubtful) continue;
    if (!fault.late) must = must || reach != Reach::perhaps;
    if (reach == Reach::waits_for_all && !fault.apart) must_by_waiting = true;
    if (reach == Reach::waits_for_stream && fault.streams.count(step.operation.stream) != 0) must_by_waiting = true;
  }
  // The compiler knows no context, and so nothing of what happened in one; and so do a few calls of the driver.
  const bool compiling = step.verdict.fails && (step.verdict.fails->kind == gpu::FaultKind::compile_error ||
                                                step.verdict.fails->call == gpu::Call::cuDeviceGetAttribute);
  if ((compiling || step.verdict.may_fail) && must) {
    must = false;
    must_by_waiting = true;
  }
  // An operation that fails by itself may never come to wait.
  const bool fails_by_itself = (step.verdict.fails && step.verdict.fails->kind != gpu::FaultKind::host_exception) ||
                               step.verdict.may_fail.has_value();
  // Nor does one that gives up.
  const bool gives_up = step.operation.deadline || state_.order.hangs();
  if (must_by_waiting && !must && (fails_by_itself || gives_up)) {
    if (ask(step)) {
      step.gave_up = !fails_by_itself;
      return std::nullopt;
    }
  } else if (!must && !must_by_waiting) {
    if (!ask(step)) return std::nullopt;
  }

  Trouble trouble{reference::cause_of(state_.pending.front().kind), {}};
  trouble.surfaced = true;
  const auto may_be_told_instead = [&trouble](gpu::FaultKind kind) {
    const reference::Cause other = reference::cause_of(kind);
    if (other.error != trouble.cause.error) trouble.cause.error = {};
    if (other.recovery != trouble.cause.recovery) trouble.recovery_open = true;
  };
  for (const reference::AsyncFault& fault : state_.pending) may_be_told_instead(fault.kind);
  const std::optional<reference::Strike>& own = step.verdict.fails;
  if (own && !step.verdict.assumed && gpu::row(own->kind).sticky) may_be_told_instead(own->kind);
  return trouble;
}

// Whether the device may hold a fault that wants another recovery than what it is known to be lost by.
bool Model::others_recover_otherwise(const Step& step, const reference::Cause& cause) const {
  const auto otherwise = [&cause](const reference::AsyncFault& fault) {
    return reference::cause_of(fault.kind).recovery != cause.recovery;
  };
  const reference::Verdict& verdict = step.verdict;
  return std::any_of(state_.pending.begin(), state_.pending.end(), otherwise) ||
         std::any_of(verdict.more_behind.begin(), verdict.more_behind.end(), otherwise) ||
         (verdict.leaves_behind && otherwise(*verdict.leaves_behind));
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
    state_.recovery_open = trouble.recovery_open || others_recover_otherwise(step, trouble.cause);
    state_.pending.clear();
  }
  return with(Outcome::failed, {step.ordinal});
}

Prediction Model::refuse(std::span<const reference::Range> writes) {
  state_.memory.claim(writes, state_.poison);
  return with(Outcome::poisoned, {state_.poison});
}

// A wait for one stream, or for all of them, was good.
void Model::proved(std::optional<std::uint32_t> stream) {
  if (stream) return state_.order.proved(*stream);
  for (std::uint32_t i = 0; i < device_.streams; ++i) state_.order.proved(i);
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
  if (!step.verdict.leaves_behind) return;
  reference::AsyncFault left = *step.verdict.leaves_behind;
  left.doubtful = left.doubtful || state_.order.hangs();  // of work that may never run
  leave_behind(std::move(left));
}

// Work that comes after faulted work never runs. It may also come after it because of other bytes of one buffer.
void Model::leave_behind(reference::AsyncFault fault) {
  for (const reference::AsyncFault& earlier : state_.pending) {
    for (const std::uint32_t stream : fault.streams) {
      const bool put_behind = earlier.place != 0 && state_.order.may_come_after(stream, earlier.stream, earlier.place);
      fault.doubtful = fault.doubtful || put_behind || earlier.streams.count(stream) != 0;
    }
  }
  if (!fault.streams.empty()) {
    fault.stream = *fault.streams.begin();
    fault.place = state_.order.queued(fault.stream);
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
