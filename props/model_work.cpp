// The model's operations on bytes.
#include <algorithm>
#include <utility>

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

}  // namespace

Prediction Model::write(Step& step) {
  const traces::Operation& operation = step.operation;
  reference::Node& node = new_node();
  const bool resolved = state_.memory.resolve(operation.writes, node.writes);
  if (!resolved || node.writes.size() != 1 || !is_stream(operation.stream)) return with(Outcome::rejected, {});
  const reference::Range range = node.writes.front();
  if (operation.has_bytes && operation.bytes.size() != range.size()) return with(Outcome::rejected, {});

  if (state_.poison != 0) return refuse(node.writes);
  if (capturing(operation.stream)) return with(Outcome::rejected, {});
  if (range.empty()) return {};
  if (state_.memory.unallocated(range)) return with(Outcome::unwritten, {state_.memory.first_claim(range)});
  // A long one goes in pieces, the later of which may have to wait for what the first has caused.
  if (step.verdict.leaves_behind && range.size() > kStagedAtOnce && !step.verdict.may_fail) {
    step.verdict.may_fail = reference::Strike{step.verdict.leaves_behind->kind, reference::Effect::unknown, 0};
  }
  if (operation.has_bytes) {
    node.host_bytes.assign(operation.bytes.begin(), operation.bytes.end());
  } else {
    node.host_bytes.assign(range.size(), operation.fill);
  }
  return submit(step, {&node, 1});
}

Prediction Model::launch(Step& step) {
  const traces::Operation& operation = step.operation;
  reference::Node& node = new_node();
  const bool resolved =
      state_.memory.resolve(operation.reads, node.reads) && state_.memory.resolve(operation.writes, node.writes);
  if (!resolved || !is_stream(operation.stream)) return with(Outcome::rejected, {});
  node.kernel = gpu::kernel_catalog()[operation.kernel].name;
  node.scalar = operation.scalar;
  if (!reference::fits(node.kernel, node.reads, node.writes, node.scalar)) return with(Outcome::rejected, {});

  if (state_.poison != 0) return refuse(node.writes);
  if (const std::optional<gpu::FaultKind> kind = reference::fault_of(node.kernel)) {
    node.fault = {*kind, false, device_.surfacing == traces::Surfacing::documented, {operation.stream}, {}, {}};
  }
  if (capturing(operation.stream)) return record(step, std::move(node));
  return submit(step, {&node, 1});
}

Prediction Model::copy(Step& step) {
  const traces::Operation& operation = step.operation;
  reference::Node& node = new_node();
  const bool resolved =
      state_.memory.resolve(operation.reads, node.reads) && state_.memory.resolve(operation.writes, node.writes);
  if (!resolved || !is_stream(operation.stream)) return with(Outcome::rejected, {});
  node.kernel = "copy";
  if (!reference::fits(node.kernel, node.reads, node.writes, 0)) return with(Outcome::rejected, {});

  if (state_.poison != 0) return refuse(node.writes);
  if (capturing(operation.stream)) return record(step, std::move(node));
  if (all_empty(node.writes)) return {};
  return submit(step, {&node, 1});
}

reference::Node& Model::new_node() {
  node_.kernel = {};
  node_.reads.clear();
  node_.writes.clear();
  node_.scalar = 0;
  node_.host_bytes.clear();
  node_.fault.reset();
  return node_;
}

// Work that is to run now: a host write, a launch, a copy, a replay.
Prediction Model::submit(Step& step, reference::Nodes graph, std::optional<traces::NameId> replayed) {
  std::vector<reference::ClaimedInput> inputs = reference::claimed_inputs(graph, state_.memory);
  if (!inputs.empty()) return skip(step, graph, std::move(inputs));

  std::optional<Trouble> stopped = surfacing(step, Reach::submits);
  if (!stopped) stopped = stalling(step, graph);
  if (!stopped) stopped = own_trouble(step);
  const bool in_order = !stopped || !step.verdict.elsewhere;
  if (in_order && !state_.pending.empty())
    follow(step.operation.stream, reference::read_by(graph), reference::written_by(graph));
  if (stopped) {
    reference::Effect& effect = stopped->strike.effect;
    // Its own fault did not fire, so the call that this strikes was not made.
    if (step.verdict.assumed && effect != reference::Effect::unknown) effect = reference::Effect::nothing;
    reference::run_partly(graph, stopped->strike, state_.memory);
    reference::claim_written(graph, step.ordinal, state_.memory);
    const bool hung_before = state_.order.hangs();
    Prediction prediction = fail(step, *stopped);
    queue_failed(step, graph, replayed);
    const bool everything = effect == reference::Effect::everything;
    const bool doubtful = effect == reference::Effect::unknown;
    if ((everything || doubtful) && state_.poison == 0)
      leave_faults_of(graph, step.operation.stream, doubtful || hung_before);
    const bool happened = everything || threw(*stopped);
    if (happened && hangs(graph)) state_.order.never_ends(step.operation.stream);
    return prediction;
  }
  queue(step, graph, replayed, reference::Holds::surely);
  reference::run(graph, state_.memory);
  reference::claim_written(graph, 0, state_.memory);
  if (step.verdict.leaves_behind) {
    step.verdict.leaves_behind->reads = reference::read_by(graph);
    step.verdict.leaves_behind->writes = reference::written_by(graph);
    state_.memory.forget_values(step.verdict.leaves_behind->writes);
  }
  const bool stuck = state_.order.hangs(step.operation.stream);
  const bool may_be_stuck = state_.order.may_hang(step.operation.stream) || (stuck && may_be_no_work(graph));
  if (may_be_stuck && step.verdict.leaves_behind) step.verdict.leaves_behind->doubtful = true;
  if (stuck && !may_be_stuck && step.verdict.behind_runs) {
    step.left_behind = true;  // work that never runs never faults
  } else {
    leave_behind(step);
  }
  const bool ended = step.verdict.leaves_behind && step.verdict.behind_runs;  // by the fault that it carries
  if (!ended && hangs(graph)) state_.order.never_ends(step.operation.stream);
  // Work has one error: the one that it was given, or that of its kernel.
  if (!step.verdict.work_behind && !stuck) leave_faults_of(graph, step.operation.stream, may_be_stuck);
  return {};
}

// A graph of copies of nothing, or of nothing at all: there is no work then, and its error is of the call.
bool Model::may_be_no_work(reference::Nodes graph) {
  return std::all_of(graph.begin(), graph.end(), [](const reference::Node& node) {
    return node.kernel == "copy" && all_empty(node.reads) && all_empty(node.writes);
  });
}

bool Model::hangs(reference::Nodes graph) {
  for (const reference::Node& node : graph) {
    if (node.fault) return false;  // the device is gone before anything behind it
    if (reference::never_ends(node.kernel)) return true;
  }
  return false;
}

// The device is gone before the node after a faulting one runs.
void Model::leave_faults_of(reference::Nodes graph, std::uint32_t stream, bool doubtful) {
  if (hangs(graph)) return;
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

void Model::queue(Step& step, reference::Nodes graph, std::optional<traces::NameId> replayed, reference::Holds holds) {
  const std::uint32_t stream = step.operation.stream;
  if (replayed) {
    state_.order.replay(stream, step.ordinal, graph, *replayed, holds);
  } else {
    state_.order.work(stream, step.ordinal, graph, holds);
  }
}

// Failed work is queued too, as far as anybody knows, unless putting it in order was what failed.
void Model::queue_failed(Step& step, reference::Nodes graph, std::optional<traces::NameId> replayed) {
  const bool doubtful = step.verdict.elsewhere;
  queue(step, graph, replayed, doubtful ? reference::Holds::perhaps : reference::Holds::surely);
  state_.order_open = state_.order_open || doubtful;
}

Prediction Model::skip(Step& step, reference::Nodes graph, std::vector<reference::ClaimedInput> inputs) {
  const bool replay = step.operation.kind == traces::OpKind::replay;
  const Ordinal root = inputs.front().failure;
  reference::Skip record{step.ordinal, replay ? std::string_view() : graph.front().kernel, std::move(inputs), {}};
  for (const reference::Node& node : graph) {
    for (const reference::Range& write : node.writes) {
      if (!state_.memory.unallocated(write)) record.outputs.push_back(write);
    }
  }
  state_.memory.claim(record.outputs, root);
  state_.failures.record(root, std::move(record));
  return with(Outcome::skipped, {root});
}

Prediction Model::read(Step& step) {
  const traces::Operation& operation = step.operation;
  reference::Node& node = new_node();
  const bool resolved = state_.memory.resolve(operation.reads, node.reads);
  if (!resolved || !is_stream(operation.stream)) return with(Outcome::rejected, {});

  std::vector<Ordinal> roots;
  for (const reference::Range& range : node.reads) add_new(roots, state_.memory.claims(range));
  if (state_.poison != 0) {  // the bytes' own failures, and P last
    roots.erase(std::remove(roots.begin(), roots.end(), state_.poison), roots.end());
    roots.push_back(state_.poison);
    return with(Outcome::poisoned, roots);
  }
  if (capturing(operation.stream)) return with(Outcome::rejected, {});
  if (!roots.empty()) return unwritten(node.reads, std::move(roots));
  if (all_empty(node.reads)) return {};
  std::vector<reference::AsyncFault> unordered;
  if (step.verdict.elsewhere) unordered = state_.pending;
  follow(operation.stream, node.reads, {});
  const reference::Nodes reading(&node, 1);
  std::optional<Trouble> stopped = surfacing(step, Reach::waits_for_stream);
  if (!stopped) stopped = stalling(step, reading);
  if (!stopped) stopped = own_trouble(step);
  // The copy that its own fault strikes is made before the wait, unless an earlier read left its own behind.
  const bool struck = stopped && !threw(*stopped) && stopped->strike.when != gpu::FaultWhen::async;
  const bool unseen = struck && !stopped->surfaced && step.verdict.assumed;
  if (state_.order.hangs()) {
    reference::Order order = state_.order;
    order.work(operation.stream, step.ordinal, reading);
    const bool given_up_on = order.hangs(operation.stream) && (!struck || (unseen && ask(step)));
    if (given_up_on || (order.may_hang(operation.stream) && (!struck || unseen) && ask(step))) {
      if (step.verdict.elsewhere) {
        state_.pending = std::move(unordered);
        state_.order.work(operation.stream, step.ordinal, reading, reference::Holds::perhaps);
      } else {
        state_.order = std::move(order);
      }
      Prediction given_up = with(Outcome::timeout, {});
      given_up.error = "timeout";
      return given_up;
    }
  }
  if (stopped) {
    if (step.verdict.elsewhere) state_.pending = std::move(unordered);
    Prediction failed = fail(step, *stopped);
    queue_failed(step, reading, std::nullopt);
    if (threw(*stopped)) proved(operation.stream);
    return failed;
  }
  queue(step, reading, std::nullopt, reference::Holds::surely);
  proved(operation.stream);
  leave_behind(step);
  Prediction prediction;
  for (const reference::Range& range : node.reads) {
    const std::span<const reference::Value> values = state_.memory.values(range);
    prediction.bytes.insert(prediction.bytes.end(), values.begin(), values.end());
  }
  return prediction;
}

Prediction Model::unwritten(std::span<const reference::Range> ranges, std::vector<Ordinal> roots) const {
  const Ordinal root = roots.front();
  Prediction prediction = with(Outcome::unwritten, std::move(roots));
  for (const reference::Range& range : ranges) {
    const std::vector<Ordinal> claims = state_.memory.claims(range);
    if (std::find(claims.begin(), claims.end(), root) == claims.end()) continue;
    prediction.hops = state_.failures.chain(root, range);  // none leads to an unallocated buffer
    for (const reference::Skip& skip : prediction.hops) prediction.via.push_back(skip.operation);
    break;
  }
  return prediction;
}

Prediction Model::trust(Step& step) {
  const std::vector<traces::Ref>& to = step.operation.writes;
  const std::optional<reference::Range> range = to.size() == 1 ? state_.memory.resolve(to.front()) : std::nullopt;
  if (!range) return with(Outcome::rejected, {});
  if (state_.memory.unallocated(*range)) return with(Outcome::unwritten, {state_.memory.first_claim(*range)});
  state_.memory.release({&*range, 1});
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
  if (const std::optional<Trouble> surfaced = surfacing(step, reach)) return fail(step, *surfaced);
  if (const std::optional<Prediction> given_up = wait_in_vain(step, stream)) return *given_up;
  if (const std::optional<Trouble> stopped = own_trouble(step)) {
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
  std::optional<Trouble> stopped = surfacing(step, Reach::submits);
  if (!stopped) stopped = stalling(step, {});
  if (!stopped) stopped = own_trouble(step);
  if (stopped) {
    Prediction failed = fail(step, *stopped);
    const bool perhaps_made = step.verdict.elsewhere || stopped->strike.when == gpu::FaultWhen::after;
    if (threw(*stopped)) {
      state_.order.wait(operation.stream, operation.on);
    } else if (perhaps_made) {
      state_.order.wait(operation.stream, operation.on, reference::Holds::unnoted);
    }
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
