// The model's captures and graphs (G1-G3).
#include <algorithm>

#include "props/model.hpp"

namespace taintgraph::props {

using traces::Outcome;

Prediction Model::capture_begin(Step& step) {
  const std::uint32_t stream = step.operation.stream;
  if (!is_stream(stream) || capturing(stream)) return with(Outcome::rejected, {});
  if (state_.poison != 0) return refuse({});
  if (const std::optional<Trouble> stopped = trouble(step, Reach::perhaps)) return fail(step, *stopped);
  leave_behind(step);
  state_.windows.emplace(stream, reference::Window{});
  return {};
}

// A launch or copy on a capturing stream. It claims nothing whatever becomes of it, and it is not asked whether what it
// reads is claimed: that is judged when it is replayed.
Prediction Model::record(Step& step, reference::Node node) {
  reference::Window& window = state_.windows.at(step.operation.stream);
  const bool makes_calls = step.operation.kind == traces::OpKind::launch || !node.writes.front().empty();
  if (makes_calls) {
    if (const std::optional<Trouble> stopped = trouble(step, Reach::submits)) {
      if (!window.doomed) window.doomed = {step.ordinal, stopped->cause.error};
      return fail(step, *stopped);
    }
    if (step.verdict.leaves_behind) node.fault = step.verdict.leaves_behind;  // strikes at each replay
    step.left_behind = true;
  }
  window.recorded.push_back(std::move(node));
  return {};
}

Prediction Model::capture_end(Step& step) {
  const traces::Operation& operation = step.operation;
  if (!is_stream(operation.stream) || !capturing(operation.stream)) return with(Outcome::rejected, {});
  if (state_.graphs.count(operation.graph) != 0) return with(Outcome::rejected, {});  // the window stays open

  const reference::Window window = std::move(state_.windows.at(operation.stream));
  state_.windows.erase(operation.stream);
  if (state_.poison != 0) return refuse({});

  const std::optional<Trouble> stopped = trouble(step, Reach::perhaps);
  Prediction prediction;
  if (stopped) prediction = fail(step, *stopped);
  if (!stopped) leave_behind(step);
  if (window.doomed && !(stopped && stopped->surfaced)) {
    prediction = with(Outcome::failed, {window.doomed->operation});
    prediction.error = window.doomed->error;
  }
  if (prediction.outcome == Outcome::ok) state_.graphs.emplace(operation.graph, window.recorded);
  return prediction;
}

Prediction Model::replay(Step& step) {
  const traces::Operation& operation = step.operation;
  const auto graph = state_.graphs.find(operation.graph);
  if (graph == state_.graphs.end() || !is_stream(operation.stream)) return with(Outcome::rejected, {});
  if (state_.poison != 0) return refuse(reference::written_by(graph->second));
  if (capturing(operation.stream)) return with(Outcome::rejected, {});
  return submit(step, graph->second);
}

Prediction Model::destroy(Step& step) {
  return with(state_.graphs.erase(step.operation.graph) != 0 ? Outcome::ok : Outcome::rejected, {});
}

}  // namespace taintgraph::props
