#include "props/model_faults.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace taintgraph::props::reference {
namespace {

using gpu::Call;
using gpu::FaultKind;
using gpu::FaultWhen;
using traces::Operation;
using traces::OpKind;

enum class Bearing : std::uint8_t { fails, harmless, open };

// Ordering by events has a way out, waiting on the host, so none of these decides anything alone.
bool is_event_call(Call call) {
  constexpr Call calls[] = {Call::cuEventCreate, Call::cuEventDestroy,     Call::cuEventRecord,
                            Call::cuEventQuery,  Call::cuEventSynchronize, Call::cuStreamWaitEvent};
  return std::find(std::begin(calls), std::end(calls), call) != std::end(calls);
}

// Of these, the ones that put one stream behind another.
bool orders(Call call) { return call == Call::cuEventRecord || call == Call::cuStreamWaitEvent; }

bool is_compile_call(Call call) {
  constexpr Call calls[] = {Call::cuDeviceGetAttribute, Call::nvrtcCreateProgram, Call::nvrtcCompileProgram,
                            Call::nvrtcGetPTXSize,      Call::nvrtcGetPTX,        Call::cuModuleLoadData,
                            Call::cuModuleGetFunction,  Call::cuFuncLoad};
  return std::find(std::begin(calls), std::end(calls), call) != std::end(calls);
}

bool is_about_a_stream(Call call) {
  constexpr Call calls[] = {Call::cuStreamDestroy,     Call::cuStreamSynchronize,  Call::cuStreamQuery,
                            Call::cuStreamWaitEvent,   Call::cuStreamBeginCapture, Call::cuStreamEndCapture,
                            Call::cuStreamIsCapturing, Call::cuEventRecord,        Call::cuMemAllocAsync,
                            Call::cuMemFreeAsync,      Call::cuMemcpyHtoDAsync,    Call::cuMemcpyDtoHAsync,
                            Call::cuMemcpyDtoDAsync,   Call::cuLaunchKernel,       Call::cuGraphLaunch};
  return std::find(std::begin(calls), std::end(calls), call) != std::end(calls);
}

constexpr bool reserves_memory(Call call) { return call == Call::cuMemAlloc || call == Call::cuMemAllocAsync; }

// A fault that befalls the context at one of these finds none, or the one that is about to go.
bool makes_the_context(Call call) {
  constexpr Call calls[] = {Call::cuInit,      Call::cuDeviceGet,  Call::cuDevicePrimaryCtxRetain,
                            Call::cuCtxCreate, Call::cuCtxDestroy, Call::cuDevicePrimaryCtxRelease};
  return std::find(std::begin(calls), std::end(calls), call) != std::end(calls);
}

// Made of what the old context leaves, where not every call has that context's own answer.
bool takes_down(Call call) {
  constexpr Call calls[] = {Call::cuCtxDestroy,       Call::cuGraphDestroy,      Call::cuGraphExecDestroy,
                            Call::cuStreamEndCapture, Call::cuStreamIsCapturing, Call::cuStreamDestroy,
                            Call::cuEventDestroy,     Call::cuMemFree,           Call::cuMemFreeAsync,
                            Call::cuMemFreeHost,      Call::cuModuleUnload};
  return std::find(std::begin(calls), std::end(calls), call) != std::end(calls);
}

// The calls that are an operation's very work: it cannot be done without them.
constexpr bool is_work_call(OpKind kind, Call call) {
  switch (kind) {
    case OpKind::alloc:
      return reserves_memory(call);
    case OpKind::relocate:
      return reserves_memory(call) || call == Call::cuMemcpyDtoDAsync;
    case OpKind::write:
      return call == Call::cuMemcpyHtoDAsync;
    case OpKind::launch:
      return call == Call::cuLaunchKernel;
    case OpKind::copy:
      return call == Call::cuMemcpyDtoDAsync;
    case OpKind::read:
      return call == Call::cuMemcpyDtoHAsync;
    case OpKind::capture_begin:
      return call == Call::cuStreamBeginCapture;
    case OpKind::capture_end:
      return call == Call::cuStreamEndCapture || call == Call::cuGraphInstantiate;
    case OpKind::replay:
      return call == Call::cuGraphLaunch;
    default:
      return false;
  }
}

bool submits_or_waits(OpKind kind) {
  return kind == OpKind::write || kind == OpKind::launch || kind == OpKind::copy || kind == OpKind::read ||
         kind == OpKind::sync || kind == OpKind::wait || kind == OpKind::replay;
}

Bearing bearing(OpKind kind, Call call, bool owing) {
  if (call == Call::none) return Bearing::fails;  // host code of the operation threw
  if (may_come_first(kind, call, owing)) return Bearing::open;
  if (is_work_call(kind, call)) return Bearing::fails;
  // Compiling and loading, the table of its operands: a launch needs all of it.
  if (kind == OpKind::launch && !is_event_call(call)) return Bearing::fails;
  if (kind == OpKind::capture_begin) return Bearing::fails;  // so does a window, of a stream that is in none
  const bool waits = call == Call::cuStreamSynchronize || call == Call::cuStreamQuery;
  if (waits && submits_or_waits(kind)) return Bearing::fails;
  // A graph that cannot be given back whole is not made, or not dropped, without saying so.
  if (kind == OpKind::capture_end && call == Call::cuGraphDestroy) return Bearing::fails;
  if (kind == OpKind::destroy) return Bearing::fails;
  // A cleanup that cannot learn what streams are done with, or give a page back, says so; all other work finds another
  // way than by events.
  const bool gives_back = call == Call::cuMemFree || call == Call::cuMemFreeAsync;
  if (kind == OpKind::cleanup && (is_event_call(call) || gives_back)) return Bearing::fails;
  if (is_event_call(call)) return Bearing::harmless;
  return Bearing::open;
}

Effect effect_of(const Operation& operation, const sim::FiredFault& fired) {
  if (fired.kind == FaultKind::host_exception) return Effect::unknown;  // before its submission or after it
  if (!is_work_call(operation.kind, fired.call)) {
    return is_compile_call(fired.call) ? Effect::nothing : Effect::unknown;
  }
  // A long write goes in pieces: a planned fault may strike any of them, and one that is done is not all.
  const bool after = fired.when == FaultWhen::after;
  if (operation.kind == OpKind::write && (after || !fired.planned.empty())) return Effect::unknown;
  if (after) return Effect::everything;
  return fired.bytes_done == 0 ? Effect::nothing : Effect::first_bytes;
}

Strike strike_of(const Operation& operation, const sim::FiredFault& fired) {
  return Strike{fired.kind, effect_of(operation, fired), fired.bytes_done, fired.call, fired.when};
}

constexpr Call first_work_call(OpKind kind) {
  for (std::size_t i = 1; i < gpu::kCallCount; ++i) {
    if (is_work_call(kind, static_cast<Call>(i))) return static_cast<Call>(i);
  }
  return Call::cuStreamSynchronize;
}

constexpr std::array<Call, traces::kOpKindCount> own_calls() {
  std::array<Call, traces::kOpKindCount> calls{};
  for (std::size_t i = 0; i < calls.size(); ++i) calls[i] = first_work_call(static_cast<OpKind>(i));
  return calls;
}

// The call that an operation's own fault strikes, where the log does not say.
Call own_call(OpKind kind) {
  constexpr std::array<Call, traces::kOpKindCount> calls = own_calls();
  return calls[static_cast<std::size_t>(kind)];
}

sim::FiredFault assumed(const Operation& operation) {
  const sim::Fault& fault = *operation.fault;
  sim::FiredFault fired;
  fired.kind = fault.kind;
  fired.when = fault.when.value_or(gpu::row(fault.kind).when);
  fired.call = own_call(operation.kind);
  if (fired.when == FaultWhen::async) fired.call = Call::none;  // whichever does not wait for itself
  fired.bytes_done = fault.bytes_done;
  fired.surface_after_calls = fault.surface_after_calls;
  return fired;
}

AsyncFault async_of(const Operation& operation, const sim::FiredFault& fired, bool documented) {
  // Memory is reserved and given back in the order of a stream of the device's own.
  const bool apart = fired.call == Call::cuMemAllocAsync || fired.call == Call::cuMemFreeAsync;
  AsyncFault fault;
  fault.kind = fired.kind;
  fault.doubtful = makes_the_context(fired.call);
  fault.late = documented || fired.surface_after_calls.has_value();
  if (!apart) fault.streams = {operation.stream};
  fault.apart = apart;
  return fault;
}

// Whether a reservation that a planned fault refused is given up. One refusal for want of memory is healed by the
// retry; more are not, and any other refusal is final. Assumed: nothing but the plan makes the retry fail, and no third
// try is made.
class Reservations {
 public:
  // What fails the reservation, if it is given up with this.
  [[nodiscard]] std::optional<Strike> refused(const Strike& strike) {
    if (gpu::row(strike.kind).recovery != gpu::FaultRecovery::retry) return strike;
    if (first_) return first_;
    first_ = strike;
    return std::nullopt;
  }

 private:
  std::optional<Strike> first_;
};

class Judge {
 public:
  Judge(const Operation& operation, bool documented, bool owing, bool recorded, Verdict& verdict)
      : operation_(operation), documented_(documented), owing_(owing), recorded_(recorded), verdict_(verdict) {}

  void consider(const sim::FiredFault& fired) {
    const bool own = fired.planned.empty();
    if (operation_.kind == OpKind::reset) return consider_reset(fired);
    // A call that waits for faulted work returns the error.
    if (fired.when == FaultWhen::async) return waits_for(fired.call) ? note_awaited(fired) : leave_behind(fired, !own);

    const Strike strike = strike_of(operation_, fired);
    if (own) return fail(strike);
    const bool reserves = operation_.kind == OpKind::alloc || operation_.kind == OpKind::relocate;
    if (!reserves || !reserves_memory(fired.call)) return consider_planned(fired, strike);
    if (const std::optional<Strike> refused = reservations_.refused(strike)) fail(*refused);
  }

  // Once all faults are considered: the one that the operation is to wait for, if it gets that far.
  void conclude() {
    if (!awaited_) return;
    if (verdict_.fails) {
      leave_behind(*awaited_, !awaited_->planned.empty());
    } else {
      fail(strike_of(operation_, *awaited_));
    }
  }

  // The operation's own fault, where the log does not show it: the call that it strikes was not made. If a planned
  // fault could have stopped the operation before that call, it did.
  void consider_unseen(const sim::FiredFault& own) {
    if (verdict_.may_fail && !verdict_.fails) {
      fail(*verdict_.may_fail);
    } else {
      consider(own);
    }
  }

 private:
  // A read waits for its own copy, a launch that is recorded for that of its operands.
  [[nodiscard]] bool waits_for(Call call) const {
    return (operation_.kind == OpKind::read && call == Call::cuMemcpyDtoHAsync) ||
           (operation_.kind == OpKind::launch && recorded_ && call == Call::cuMemcpyHtoDAsync);
  }

  // What takes the old context down may say what it likes; without a new one the device stays as it is.
  void consider_reset(const sim::FiredFault& fired) {
    const bool in_the_new_one = fired.call == Call::cuStreamCreate || fired.call == Call::cuEventCreate ||
                                fired.call == Call::cuMemAllocHost || fired.call == Call::cuMemGetInfo;
    if (fired.when == FaultWhen::async) {
      leave_behind(fired, true, !in_the_new_one);
    } else if (takes_down(fired.call)) {
      if (gpu::row(fired.kind).sticky) verdict_.may_fail = strike_of(operation_, fired);
    } else if (may_come_first(OpKind::reset, fired.call, owing_)) {
      verdict_.may_fail = strike_of(operation_, fired);
    } else {
      fail(strike_of(operation_, fired));
    }
  }

  void consider_planned(const sim::FiredFault& fired, const Strike& strike) {
    const bool at_work =
        fired.call == Call::none || is_compile_call(fired.call) || is_work_call(operation_.kind, fired.call);
    if (!at_work) verdict_.elsewhere = true;
    // The loss of the device is never passed over, whichever call it is told by (D1).
    const Bearing meaning = bearing(operation_.kind, fired.call, owing_);
    const bool sticky = gpu::row(fired.kind).sticky;
    // Which context is current is asked only to save making it so.
    if (fired.call == Call::cuCtxGetCurrent && !sticky) return;
    // Whether a stream is in a window already is asked twice.
    const bool asks = fired.call == Call::cuStreamIsCapturing;
    if (asks && !sticky && !std::exchange(refused_to_say_, true)) return;
    // A window that is given up says that it is invalidated when it ends, which is all that is wanted.
    const bool only_says_so = fired.call == Call::cuStreamEndCapture && fired.kind == FaultKind::capture_invalidated;
    if (only_says_so && meaning == Bearing::open) return;
    if (meaning == Bearing::fails || sticky) return fail(strike);
    // A reservation that has failed is tried once more, from the beginning.
    const bool again = operation_.kind == OpKind::alloc || operation_.kind == OpKind::relocate;
    if (meaning == Bearing::open && !verdict_.may_fail && (again || !verdict_.fails)) verdict_.may_fail = strike;
    if (!orders(fired.call)) return;
    if (!verdict_.unordered) verdict_.unordered = strike;
    if (verdict_.unordered->kind != strike.kind) verdict_.unordered_open = true;
  }

  // Of several failures the first, but one that loses the device before all. Where an event cannot be used the host
  // waits instead, and its wait is what counts.
  void fail(const Strike& strike) {
    const bool graver = verdict_.fails && gpu::row(strike.kind).sticky && !gpu::row(verdict_.fails->kind).sticky;
    const bool instead = verdict_.fails && operation_.kind == OpKind::wait && is_event_call(verdict_.fails->call);
    if (!verdict_.fails || graver || instead) verdict_.fails = strike;
  }

  void note_awaited(const sim::FiredFault& fired) {
    if (!awaited_) awaited_ = fired;
  }

  // The fault of its very work counts first, for it strikes when that runs; others strike at once.
  void leave_behind(const sim::FiredFault& fired, bool planned, bool doubtful = false) {
    if (planned) verdict_.planned_behind = true;
    const bool of_work = is_work_call(operation_.kind, fired.call);
    AsyncFault left = async_of(operation_, fired, documented_);
    left.doubtful = left.doubtful || doubtful;
    if (verdict_.leaves_behind && (!of_work || verdict_.behind_runs)) return verdict_.more_behind.push_back(left);
    if (verdict_.leaves_behind) verdict_.more_behind.push_back(*verdict_.leaves_behind);
    verdict_.leaves_behind = left;
    verdict_.work_behind = !planned || of_work;
    const bool submits = own_call(operation_.kind) != Call::cuStreamSynchronize && operation_.kind != OpKind::alloc;
    verdict_.behind_runs = of_work || (fired.call == Call::none && submits);
    if (fired.call == Call::cuMemAlloc) verdict_.behind_runs = false;
  }

  const Operation& operation_;
  bool documented_;
  bool owing_;
  bool recorded_;
  Verdict& verdict_;
  Reservations reservations_;
  std::optional<sim::FiredFault> awaited_;
  bool refused_to_say_ = false;  // whether the stream captures
};

}  // namespace

bool may_owe(std::span<const sim::FiredFault> fired) {
  return std::any_of(fired.begin(), fired.end(), [](const sim::FiredFault& each) {
    return each.call == Call::cuCtxSetCurrent || each.call == Call::cuStreamIsCapturing;
  });
}

bool may_come_first(OpKind kind, Call call, bool owing) {
  switch (call) {
    case Call::cuCtxGetCurrent:
    case Call::cuCtxSetCurrent:
    case Call::cuStreamIsCapturing:
      return true;
    case Call::cuStreamEndCapture:
    case Call::cuGraphDestroy:
    case Call::cuGraphExecDestroy:
    case Call::cuMemFree:
    case Call::cuMemFreeAsync:
      return owing && kind != OpKind::capture_end && kind != OpKind::destroy && kind != OpKind::cleanup &&
             kind != OpKind::reset;
    default:
      return false;
  }
}

Cause cause_of(FaultKind kind) {
  const gpu::FaultRow& row = gpu::row(kind);
  return Cause{row.name, row.recovery, row.sticky};
}

bool invalidates_captures(FaultKind kind) {
  return kind >= FaultKind::capture_unsupported && kind <= FaultKind::capture_wrong_thread;
}

bool invalidates_every_capture(std::span<const sim::FiredFault> fired) {
  return std::any_of(fired.begin(), fired.end(), [](const sim::FiredFault& each) {
    return each.when != FaultWhen::async && invalidates_captures(each.kind) && !is_about_a_stream(each.call);
  });
}

bool invalidates_what_it_ends(std::span<const sim::FiredFault> fired) {
  return std::any_of(fired.begin(), fired.end(), [](const sim::FiredFault& each) {
    const bool behind_the_end = each.call == Call::cuGraphInstantiate || each.call == Call::cuGraphDestroy ||
                                each.call == Call::cuGraphExecDestroy || each.call == Call::cuMemFree;
    return !behind_the_end && invalidates_every_capture({&each, 1});
  });
}

Verdict judge(const Operation& operation, std::span<const sim::FiredFault> fired, bool documented, bool owing,
              bool recorded) {
  Verdict verdict;
  Judge judge(operation, documented, owing, recorded, verdict);
  bool own_seen = false;
  for (const sim::FiredFault& each : fired) {
    const bool own = each.planned.empty();
    if (own && !operation.fault) continue;  // of recorded work, struck again by a replay
    own_seen = own_seen || own;
    judge.consider(each);
  }
  judge.conclude();
  // Where something else failed it first, its own fault has no turn.
  verdict.assumed = operation.fault && !own_seen && !verdict.fails;
  if (verdict.assumed) judge.consider_unseen(assumed(operation));
  return verdict;
}

}  // namespace taintgraph::props::reference
