// The model's captures and graphs (G1-G3).
#include <algorithm>

#include "props/model.hpp"

namespace taintgraph::props {

using traces::Outcome;

namespace {

// Whether a fault of a `capture_end` strikes only once the capture itself has ended well.
bool comes_after_the_end(gpu::FaultKind kind) {
  const bool instantiating =
      gpu::may_return(gpu::Call::cuGraphInstantiate, kind) && !gpu::may_return(gpu::Call::cuStreamEndCapture, kind);
  return instantiating || kind == gpu::FaultKind::host_exception;
}

}  // namespace

Prediction Model::capture_begin(Step& step) {
  const std::uint32_t stream = step.operation.stream;
  if (!is_stream(stream) || capturing(stream)) return with(Outcome::rejected, {});
  if (state_.poison != 0) return refuse({});
  // Its stream is waited for before the call that fails, unless the wait is that call: a bad wait proves nothing.
  const gpu::Call failing = step.verdict.fails ? step.verdict.fails->call : gpu::Call::cuStreamSynchronize;
  const bool may_precede_the_wait = reference::may_come_first(step.operation.kind, failing, state_.may_owe);
  const bool behind_the_wait =
      !may_precede_the_wait && failing != gpu::Call::cuStreamSynchronize && failing != gpu::Call::cuStreamQuery;
  if (const std::optional<Trouble> surfaced = surfacing(step, Reach::perhaps)) {
    if (behind_the_wait && !step.verdict.assumed) {
      proved(stream);
    } else if (may_pass_over(stream)) {
      state_.order_open = true;  // at the wait, or behind it
    }
    return fail(step, *surfaced);
  }
  if (const std::optional<Prediction> given_up = wait_in_vain(step, stream)) return *given_up;
  if (const std::optional<Trouble> stopped = own_trouble(step)) {
    if (behind_the_wait) proved(stream);
    if (step.verdict.may_fail || may_precede_the_wait) state_.order_open = true;
    return fail(step, *stopped);
  }
  proved(stream);
  leave_behind(step);
  state_.windows.emplace(stream, reference::Window{});
  return {};
}

// Whether a wait for the stream may be good though a fault is pending: none must show at once, and none is in the way.
bool Model::may_pass_over(std::uint32_t stream) const {
  return std::all_of(state_.pending.begin(), state_.pending.end(), [stream](const reference::AsyncFault& fault) {
    return fault.doubtful || (fault.late && fault.streams.count(stream) == 0);
  });
}

// A launch or copy on a capturing stream. It claims nothing whatever becomes of it, and it is not asked whether what it
// reads is claimed: that is judged when it is replayed.
Prediction Model::record(Step& step, reference::Node node) {
  reference::Window& window = state_.windows.at(step.operation.stream);
  // A copy of nothing, or between buffers that both have no memory, makes no call that could fail.
  const bool launches = step.operation.kind == traces::OpKind::launch;
  const bool makes_calls =
      launches || (!node.reads.front().empty() &&
                   !(state_.memory.unallocated(node.reads.front()) && state_.memory.unallocated(node.writes.front())));
  if (makes_calls) {
    doubt_what_is_left_behind(step, window);
    if (step.verdict.work_behind) step.left_behind = true;  // strikes at each replay, if there is one
    if (const std::optional<Trouble> stopped = trouble_recording(step, window)) {
      if (!window.doomed) window.doomed = {step.ordinal, stopped->cause.error};
      return fail(step, *stopped);
    }
    if (step.verdict.work_behind) node.fault = step.verdict.leaves_behind;
  }
  window.recorded.push_back(std::move(node));
  return {};
}

// A call that an invalidated capture refuses causes no fault on the device.
void Model::doubt_what_is_left_behind(Step& step, const reference::Window& window) {
  if (window.invalidated && step.verdict.leaves_behind) step.verdict.leaves_behind->doubtful = true;
}

// An invalidated capture refuses what follows: that is news to the first operation that meets it, and no more.
std::optional<Model::Trouble> Model::trouble_recording(Step& step, reference::Window& window) {
  std::optional<Trouble> stopped = trouble(step, Reach::submits);
  // The host's own code has its turn only after the driver has answered.
  const bool of_the_host = stopped && stopped->strike.kind == gpu::FaultKind::host_exception;
  if (window.invalidated && (!stopped || (of_the_host && !window.known_invalidated))) {
    constexpr gpu::FaultKind kInvalidated = gpu::FaultKind::capture_invalidated;
    stopped = Trouble{reference::cause_of(kInvalidated), {.kind = kInvalidated, .effect = {}, .bytes_done = 0}};
  }
  if (!stopped || stopped->surfaced || !reference::invalidates_captures(stopped->strike.kind)) return stopped;
  const bool is_news = !window.known_invalidated || stopped->strike.kind != gpu::FaultKind::capture_invalidated;
  window.invalidated = window.known_invalidated = true;
  if (is_news) return stopped;
  const std::optional<sim::Fault>& own = step.operation.fault;  // of the host's own code, which then has its turn
  if (!own || own->kind != gpu::FaultKind::host_exception) return std::nullopt;
  return Trouble{reference::cause_of(own->kind), {.kind = own->kind, .effect = {}, .bytes_done = 0}};
}

Prediction Model::capture_end(Step& step) {
  const traces::Operation& operation = step.operation;
  if (!is_stream(operation.stream) || !capturing(operation.stream)) return with(Outcome::rejected, {});
  if (state_.graphs.count(operation.graph) != 0) return with(Outcome::rejected, {});  // the window stays open

  reference::Window window = std::move(state_.windows.at(operation.stream));
  state_.windows.erase(operation.stream);
  if (state_.poison != 0) return refuse({});
  doubt_what_is_left_behind(step, window);

  std::optional<Trouble> stopped = trouble(step, Reach::perhaps);
  const bool after_the_end = stopped && !stopped->surfaced && comes_after_the_end(stopped->strike.kind);
  if (window.invalidated && (!stopped || after_the_end)) {
    stopped = Trouble{reference::cause_of(gpu::FaultKind::capture_invalidated), {}};
  }
  Prediction prediction;
  if (stopped) prediction = fail(step, *stopped);
  if (!stopped) leave_behind(step);
  if (window.doomed && !(stopped && stopped->cause.sticky)) {  // D1: nothing hides the loss of the device
    prediction = with(Outcome::failed, {window.doomed->operation});
    prediction.error = window.doomed->error;
  }
  if (prediction.outcome == Outcome::ok) state_.graphs.emplace(operation.graph, std::move(window.recorded));
  state_.order.forget_graph(operation.graph);
  return prediction;
}

Prediction Model::replay(Step& step) {
  const traces::Operation& operation = step.operation;
  const auto graph = state_.graphs.find(operation.graph);
  if (graph == state_.graphs.end() || !is_stream(operation.stream)) return with(Outcome::rejected, {});
  if (state_.poison != 0) return refuse(reference::written_by(graph->second));
  if (capturing(operation.stream)) return with(Outcome::rejected, {});
  return submit(step, graph->second, operation.graph);
}

Prediction Model::destroy(Step& step) {
  if (state_.graphs.erase(step.operation.graph) == 0) return with(Outcome::rejected, {});
  if (state_.poison != 0) return {};
  if (const std::optional<Trouble> stopped = trouble(step, Reach::perhaps))
    return fail(step, *stopped);  // gone even so
  return {};
}

}  // namespace taintgraph::props
