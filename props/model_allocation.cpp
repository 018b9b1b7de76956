// The model's operations on whole buffers and on the device.
#include <algorithm>

#include "props/model.hpp"

namespace taintgraph::props {

using traces::Outcome;

namespace {

constexpr reference::Cause kNeverWritten{.error = "never_written", .recovery = gpu::FaultRecovery::none};

}  // namespace

Prediction Model::alloc(Step& step) {
  const traces::Operation& operation = step.operation;
  if (state_.memory.named(operation.buffer) != 0) return with(Outcome::rejected, {});
  if (state_.poison != 0) {
    state_.memory.allocate_nothing(step.ordinal, operation.buffer, operation.size, state_.poison);
    return refuse({});
  }
  std::optional<Trouble> stopped = trouble(step, Reach::perhaps);
  if (!stopped && may_lack_room(operation)) {
    const bool cannot_be = operation.size > device_.memory_bytes;
    if (cannot_be || ask(step)) stopped = Trouble{reference::cause_of(gpu::FaultKind::out_of_memory), {}};
  }
  if (stopped) {
    state_.memory.allocate_nothing(step.ordinal, operation.buffer, operation.size, step.ordinal);
    return fail(step, *stopped);
  }
  leave_behind(step);
  state_.memory.allocate(step.ordinal, operation.buffer, operation.size);
  if (device_.init == traces::InitialState::unwritten) {
    state_.failures.add(step.ordinal, kNeverWritten);
    state_.memory.claim(Ranges{{step.ordinal, 0, operation.size}}, step.ordinal);
  }
  return {};
}

// Whether the pool may find no room for the buffer that the operation makes or moves.
bool Model::may_lack_room(const traces::Operation& operation) const {
  if (operation.kind == traces::OpKind::alloc) return over_half(operation.size);
  if (operation.kind != traces::OpKind::relocate) return false;
  const Ordinal moved = state_.memory.named(operation.buffer);
  return moved != 0 && over_half(state_.memory.at(moved).size);
}

bool Model::over_half(std::uint64_t more_bytes) const {
  if (state_.order.hangs()) return true;  // what is freed may be in use for ever
  const std::uint64_t half = device_.memory_bytes / 2;
  std::uint64_t live = 0;
  for (const reference::Buffer& buffer : state_.memory.buffers()) {
    if (buffer.reason == 0) live += buffer.size;
  }
  return live > half || more_bytes > half - live;
}

Prediction Model::free(Step& step) {
  if (state_.memory.named(step.operation.buffer) == 0) return with(Outcome::rejected, {});
  state_.memory.drop_handle(step.operation.buffer);
  return {};
}

Prediction Model::relocate(Step& step) {
  if (!is_stream(step.operation.stream)) return with(Outcome::rejected, {});
  const Ordinal buffer = state_.memory.named(step.operation.buffer);
  if (buffer == 0 || state_.memory.at(buffer).reason != 0) return with(Outcome::rejected, {});
  find_held(held_);
  if (std::binary_search(held_.begin(), held_.end(), buffer)) return with(Outcome::rejected, {});
  if (state_.poison != 0) return refuse({});
  if (state_.windows.size() == device_.streams) return with(Outcome::rejected, {});  // no stream is left to copy on
  const std::uint32_t stream = open_stream(step.operation.stream);
  const bool has_bytes = state_.memory.at(buffer).size > 0;
  if (step.verdict.leaves_behind && !step.verdict.leaves_behind->apart) step.verdict.leaves_behind->streams = {stream};
  std::optional<Trouble> stopped = surfacing(step, Reach::perhaps);
  if (!stopped) stopped = stalling(step, {});
  if (!stopped) stopped = own_trouble(step);
  if (stopped) {
    const bool copied = stopped->strike.call == gpu::Call::cuMemcpyDtoDAsync || threw(*stopped);
    Prediction failed = fail(step, *stopped);
    const bool doubtful = step.verdict.elsewhere;
    if (doubtful) state_.order_open = true;
    if (has_bytes && (copied || doubtful)) {
      const reference::Holds holds = doubtful ? reference::Holds::perhaps : reference::Holds::surely;
      state_.order.relocate(stream, step.ordinal, buffer, false, holds);
    }
    return failed;
  }
  if (may_lack_room(step.operation)) {
    if (ask(step)) return fail(step, {reference::cause_of(gpu::FaultKind::out_of_memory), {}});
  }
  if (has_bytes) {
    const reference::Range whole{buffer, 0, state_.memory.at(buffer).size};
    state_.order.relocate(stream, step.ordinal, buffer, true);
    follow(stream, {whole}, {});
    follow_to_new_memory(stream, whole);
  }
  leave_behind(step);
  return {};  // bytes and claims move along (B4); where to is nobody's business
}

// A stream that does not capture: the one wanted, or the first.
std::uint32_t Model::open_stream(std::uint32_t wanted) const {
  std::uint32_t stream = wanted;
  if (capturing(wanted)) stream = 0;
  while (capturing(stream) && stream + 1 < device_.streams) ++stream;
  return stream;
}

Prediction Model::cleanup(Step& step) {
  if (state_.poison != 0) return {};
  if (const std::optional<Trouble> stopped = trouble(step, Reach::perhaps)) return fail(step, *stopped);
  return {};
}

Prediction Model::reset(Step& step) {
  const Ordinal poison = state_.poison;
  if (poison == 0) return with(Outcome::rejected, {});
  bool possible = state_.failures.at(poison).cause.recovery == gpu::FaultRecovery::context;
  if (state_.recovery_open) {
    if (ask(step)) possible = !possible;
  }
  if (!possible) return with(Outcome::failed, {poison});
  state_.windows.clear();
  state_.graphs.clear();
  std::optional<reference::Strike> fatal = step.verdict.fails;
  if (!fatal && step.verdict.may_fail && ask(step)) fatal = step.verdict.may_fail;
  if (fatal) {  // there is no new context, and no way back to the old one
    const reference::Cause met = reference::cause_of(fatal->kind);
    state_.recovery_open = state_.recovery_open || met.recovery == gpu::FaultRecovery::process;
    return with(Outcome::failed, {poison});
  }
  state_.pending.clear();
  state_.order = {};
  state_.order_open = false;
  state_.may_owe = false;
  state_.memory.lose_all(poison);
  state_.poison = 0;
  return {};
}

Prediction Model::check(Step& step) {
  if (!step.operation.annotations || !step.operation.annotations->check) return {};
  const traces::Check& asserted = *step.operation.annotations->check;
  bool resolved = true;
  for (const traces::Ref& ref : asserted.clean) resolved = resolved && state_.memory.resolve(ref).has_value();
  for (const auto& [ref, root] : asserted.claimed) resolved = resolved && state_.memory.resolve(ref).has_value();
  return with(resolved ? Outcome::ok : Outcome::rejected, {});
}

}  // namespace taintgraph::props
