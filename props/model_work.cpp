// The model's operations on bytes.
#include <algorithm>

#include "gpu/kernel_info.hpp"
#include "props/model.hpp"
#include "props/model_kernels.hpp"

namespace taintgraph::props {

using traces::Outcome;

namespace {

constexpr std::uint64_t kStagedAtOnce = 1024;  // bytes of a host write: see traces::SessionOptions

bool all_empty(const std::vector<reference::Range>& ranges) {
  return std::all_of(ranges.begin(), ranges.end(), [](const reference::Range& each) { return each.empty(); });
}

// Each failure once, in order of first appearance.
void add_new(std::vector<reference::Ordinal>& roots, const std::vector<reference::Ordinal>& found) {
  for (const reference::Ordinal each : found) {
    if (std::find(roots.begin(), roots.end(), each) == roots.end()) roots.push_back(each);
  }
}

reference::Values host_bytes(const traces::Operation& write, std::uint64_t length) {
  if (!write.has_bytes) return reference::Values(length, write.fill);
  return reference::Values(write.bytes.begin(), write.bytes.end());
}

}  // namespace

Prediction Model::write(Step& step) {
  const traces::Operation& operation = step.operation;
  const std::optional<Ranges> to = state_.memory.resolve(operation.writes);
  if (!to || to->size() != 1 || !is_stream(operation.stream)) return with(Outcome::rejected, {});
  const reference::Range range = to->front();
  if (operation.has_bytes && operation.bytes.size() != range.size()) return with(Outcome::rejected, {});

  if (state_.poison != 0) return refuse(*to);
  if (capturing(operation.stream)) return with(Outcome::rejected, {});
  if (range.empty()) return {};
  if (state_.memory.unallocated(range)) return with(Outcome::unwritten, {state_.memory.first_claim(range)});
  // A long one goes in pieces, the later of which may have to wait for what the first has caused.
  if (step.verdict.leaves_behind && range.size() > kStagedAtOnce && !step.verdict.may_fail) {
    step.verdict.may_fail = reference::Strike{step.verdict.leaves_behind->kind, reference::Effect::unknown, 0};
  }
  return submit(step, {reference::Node{.writes = *to, .host_bytes = host_bytes(operation, range.size())}});
}

Prediction Model::launch(Step& step) {
  const traces::Operation& operation = step.operation;
  const std::optional<Ranges> reads = state_.memory.resolve(operation.reads);
  const std::optional<Ranges> writes = state_.memory.resolve(operation.writes);
  const std::string_view kernel = gpu::kernel_catalog()[operation.kernel].name;
  if (!reads || !writes || !is_stream(operation.stream)) return with(Outcome::rejected, {});
  if (!reference::fits(kernel, *reads, *writes, operation.scalar)) return with(Outcome::rejected, {});

  if (state_.poison != 0) return refuse(*writes);
  reference::Node node{.kernel = kernel, .reads = *reads, .writes = *writes, .scalar = operation.scalar};
  if (const std::optional<gpu::FaultKind> kind = reference::fault_of(kernel)) {
    node.fault = {*kind, false, device_.surfacing == traces::Surfacing::documented, {operation.stream}, {}, {}};
  }
  if (capturing(operation.stream)) return record(step, std::move(node));
  return submit(step, {node});
}

Prediction Model::copy(Step& step) {
  const traces::Operation& operation = step.operation;
  const std::optional<Ranges> from = state_.memory.resolve(operation.reads);
  const std::optional<Ranges> to = state_.memory.resolve(operation.writes);
  if (!from || !to || !is_stream(operation.stream)) return with(Outcome::rejected, {});
  if (!reference::fits("copy", *from, *to, 0)) return with(Outcome::rejected, {});

  if (state_.poison != 0) return refuse(*to);
  reference::Node node{.kernel = "copy", .reads = *from, .writes = *to};
  if (capturing(operation.stream)) return record(step, std::move(node));
  if (all_empty(*to)) return {};
  return submit(step, {node});
}

// Work that is to run now: a host write, a launch, a copy, a replay.
Prediction Model::submit(Step& step, const reference::Graph& graph, std::optional<traces::NameId> replayed) {
  const std::vector<reference::ClaimedInput> inputs = reference::claimed_inputs(graph, state_.memory);
  if (!inputs.empty()) return skip(step, graph, inputs);

  const Ranges reads = reference::read_by(graph);
  const Ranges writes = reference::written_by(graph);
  follow(step, reads, writes);
  if (const std::optional<Trouble> stopped = trouble(step, Reach::submits)) {
    reference::run_partly(graph, stopped->strike, state_.memory);
    const bool doubtful = stopped->strike.effect == reference::Effect::unknown;
    if (doubtful || stopped->strike.effect == reference::Effect::everything) {
      leave_faults_of(graph, step.operation.stream, doubtful);
    }
    state_.memory.claim(writes, step.ordinal);
    Prediction prediction = fail(step, *stopped);
    if (step.verdict.elsewhere) state_.order_open = true;
    queue(step, graph, replayed);
    return prediction;
  }
  queue(step, graph, replayed);
  reference::run(graph, state_.memory);
  if (step.verdict.leaves_behind) state_.memory.forget_values(writes);
  state_.memory.release(writes);
  if (step.verdict.leaves_behind) {
    step.verdict.leaves_behind->reads = reads;
    step.verdict.leaves_behind->writes = writes;
  }
  leave_behind(step);
  // Work has one error: the one that it was given, or that of its kernel.
  if (!step.verdict.work_behind) leave_faults_of(graph, step.operation.stream, false);
  return {};
}

// The device is gone before the node after a faulting one runs.
void Model::leave_faults_of(const reference::Graph& graph, std::uint32_t stream, bool doubtful) {
  const auto node =
      std::find_if(graph.begin(), graph.end(), [](const reference::Node& each) { return each.fault.has_value(); });
  if (node == graph.end()) return;
  reference::AsyncFault left = *node->fault;
  left.doubtful = doubtful;
  left.streams = {stream};
  left.reads = reference::read_by(graph);
  left.writes = reference::written_by(graph);
  leave_behind(std::move(left));
}

// Failed work is queued too, as far as anybody knows, unless putting it in order was what failed.
void Model::queue(Step& step, const reference::Graph& graph, std::optional<traces::NameId> replayed) {
  const std::uint32_t stream = step.operation.stream;
  if (replayed) {
    state_.order.replay(stream, step.ordinal, graph, *replayed);
  } else {
    state_.order.work(stream, step.ordinal, graph);
  }
}

Prediction Model::skip(Step& step, const reference::Graph& graph, const std::vector<reference::ClaimedInput>& inputs) {
  const bool replay = step.operation.kind == traces::OpKind::replay;
  reference::Skip record{step.ordinal, replay ? std::string_view() : graph.front().kernel, inputs, {}};
  for (const reference::Range& write : reference::written_by(graph)) {
    if (!state_.memory.unallocated(write)) record.outputs.push_back(write);
  }
  const Ordinal root = inputs.front().failure;
  state_.memory.claim(record.outputs, root);
  state_.failures.record(root, std::move(record));
  return with(Outcome::skipped, {root});
}

Prediction Model::read(Step& step) {
  const traces::Operation& operation = step.operation;
  const std::optional<Ranges> from = state_.memory.resolve(operation.reads);
  if (!from || !is_stream(operation.stream)) return with(Outcome::rejected, {});

  std::vector<Ordinal> roots;
  for (const reference::Range& range : *from) add_new(roots, state_.memory.claims(range));
  if (state_.poison != 0) {  // the bytes' own failures, and P last
    roots.erase(std::remove(roots.begin(), roots.end(), state_.poison), roots.end());
    roots.push_back(state_.poison);
    return with(Outcome::poisoned, roots);
  }
  if (capturing(operation.stream)) return with(Outcome::rejected, {});
  if (!roots.empty()) return unwritten(*from, std::move(roots));
  if (all_empty(*from)) return {};
  follow(step, *from, {});
  if (const std::optional<Trouble> stopped = trouble(step, Reach::waits_for_stream)) {
    Prediction failed = fail(step, *stopped);
    if (step.verdict.elsewhere) state_.order_open = true;
    queue(step, {reference::Node{.reads = *from}}, std::nullopt);
    if (threw(*stopped)) proved(operation.stream);
    return failed;
  }
  queue(step, {reference::Node{.reads = *from}}, std::nullopt);
  proved(operation.stream);
  leave_behind(step);
  Prediction prediction;
  for (const reference::Range& range : *from) {
    const reference::Values values = state_.memory.values(range);
    prediction.bytes.insert(prediction.bytes.end(), values.begin(), values.end());
  }
  return prediction;
}

Prediction Model::unwritten(const Ranges& ranges, std::vector<Ordinal> roots) const {
  const Ordinal root = roots.front();
  Prediction prediction = with(Outcome::unwritten, std::move(roots));
  for (const reference::Range& range : ranges) {
    const std::vector<Ordinal> claims = state_.memory.claims(range);
    if (std::find(claims.begin(), claims.end(), root) == claims.end()) continue;
    for (reference::Skip& skip : state_.failures.chain(root, range)) {  // none leads to an unallocated buffer
      prediction.via.push_back(skip.operation);
      prediction.hops.push_back(std::move(skip));
    }
    break;
  }
  return prediction;
}

Prediction Model::trust(Step& step) {
  const std::optional<Ranges> to = state_.memory.resolve(step.operation.writes);
  if (!to || to->size() != 1) return with(Outcome::rejected, {});
  const reference::Range range = to->front();
  if (state_.memory.unallocated(range)) return with(Outcome::unwritten, {state_.memory.first_claim(range)});
  state_.memory.release(*to);
  return {};
}

Prediction Model::sync(Step& step) {
  const traces::Operation& operation = step.operation;
  if (operation.has_stream && !is_stream(operation.stream)) return with(Outcome::rejected, {});
  if (state_.poison != 0) return refuse({});
  const bool captured = operation.has_stream ? capturing(operation.stream) : !state_.windows.empty();
  if (captured) return with(Outcome::rejected, {});
  const Reach reach = operation.has_stream ? Reach::waits_for_stream : Reach::waits_for_all;
  const std::optional<std::uint32_t> stream = operation.has_stream ? std::optional(operation.stream) : std::nullopt;
  if (const std::optional<Trouble> stopped = trouble(step, reach)) {
    Prediction failed = fail(step, *stopped);
    if (threw(*stopped)) proved(stream);
    return failed;
  }
  proved(stream);
  leave_behind(step);
  return {};
}

Prediction Model::wait(Step& step) {
  const traces::Operation& operation = step.operation;
  if (!is_stream(operation.stream) || !is_stream(operation.on)) return with(Outcome::rejected, {});
  if (state_.poison != 0) return refuse({});
  if (capturing(operation.stream) || capturing(operation.on)) return with(Outcome::rejected, {});
  if (operation.stream == operation.on) return {};
  if (const std::optional<Trouble> stopped = trouble(step, Reach::submits)) {
    Prediction failed = fail(step, *stopped);
    if (threw(*stopped)) state_.order.wait(operation.stream, operation.on);
    return failed;
  }
  state_.order.wait(operation.stream, operation.on);
  for (reference::AsyncFault& fault : state_.pending) {
    if (fault.streams.count(operation.on) != 0) fault.streams.insert(operation.stream);
  }
  leave_behind(step);
  return {};
}

}  // namespace taintgraph::props
