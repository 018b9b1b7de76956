// Runtime: capture and replay (G1-G3).
#include <algorithm>
#include <map>
#include <utility>

#include "core/internal/submit.hpp"
#include "core/runtime.hpp"

namespace taintgraph::core {
namespace {

// Ranges that a graph has written so far, to tell what it reads before writing (G2).
class Written {
 public:
  // O(log n) amortised.
  void add(const WeakBinding& range) {
    if (range.range.empty()) return;
    std::uint64_t begin = range.range.begin;
    std::uint64_t end = range.range.end;
    auto next = ranges_.upper_bound({range.buffer, begin});
    if (next != ranges_.begin()) {
      const auto before = std::prev(next);
      if (before->first.first == range.buffer && before->second >= begin) {
        begin = before->first.second;
        end = std::max(end, before->second);
        ranges_.erase(before);
      }
    }
    while (next != ranges_.end() && next->first.first == range.buffer && next->first.second <= end) {
      end = std::max(end, next->second);
      next = ranges_.erase(next);
    }
    ranges_.emplace_hint(next, Start{range.buffer, begin}, end);
  }

  // The lowest part of `range` at or after `from` that is not among them; empty if there is none. O(log n).
  [[nodiscard]] ByteRange next_gap(const WeakBinding& range, std::uint64_t from) const {
    std::uint64_t begin = from;
    auto next = ranges_.upper_bound({range.buffer, begin});
    if (next != ranges_.begin()) {
      const auto before = std::prev(next);
      if (before->first.first == range.buffer) begin = std::max(begin, before->second);
    }
    if (begin >= range.range.end) return {};
    const bool another = next != ranges_.end() && next->first.first == range.buffer;
    return {begin, another ? std::min(range.range.end, next->first.second) : range.range.end};
  }

 private:
  using Start = std::pair<BufferId, std::uint64_t>;
  std::map<Start, std::uint64_t> ranges_;  // to their ends; no two of a buffer overlap or touch
};

}  // namespace

// What a window or a graph held, to be let go once the device has been told: at the latest when this goes out of scope,
// whether the device answered or threw.
struct Runtime::LetGo {
  ~LetGo() { now(); }
  void now() { runtime.let_go(std::exchange(nodes, {})); }

  Runtime& runtime;
  std::vector<RecordedNode> nodes;
};

bool Runtime::captures(StreamIndex stream) const { return recordings_[index(stream)].has_value(); }

bool Runtime::captures_anywhere() const {
  return std::any_of(recordings_.begin(), recordings_.end(), [](const auto& each) { return each.has_value(); });
}

Status Runtime::capture_begin(const CaptureRequest& request) {
  drain_dropped();
  if (!streams_.has(request.stream)) return rejected(program_error::unknown_stream);
  if (captures(request.stream)) return rejected(program_error::capture_state);
  if (poison_) return poisoned();
  // Everything before the window is finished first: no event of ours may enter a capture, and so none is needed.
  if (auto waited = streams_.synchronize(request.stream); !waited)
    return failed_wait(std::move(waited.error()), request.correlation);
  streams_.proved(request.stream);
  if (auto begun = device_.begin_capture(request.stream); !begun)
    return failed(std::move(begun.error()), request.correlation);
  recordings_[index(request.stream)].emplace();
  try {
    run(request.host_code);
  } catch (...) {
    // The exception is what the caller hears of, but nothing hides the loss of the device (D1).
    if (auto closed = close_window(request.stream); !closed)
      static_cast<void>(failed_wait(std::move(closed.error()), request.correlation));
    throw;
  }
  return {};
}

// Submits recorded work to the device, which keeps it for later, and keeps what it declares. It holds its buffers from
// now on and changes no claim (G1).
//
// What it declares is written down first: once the device has recorded work, nothing may keep it from being known here.
template <class Submit>
Status Runtime::record(const Work& work, Submit&& submit) {
  Recording& recording = *recordings_[index(work.stream)];
  const auto doom = [&] {
    if (!recording.doom) recording.doom = Doom{torn_down(), work.correlation};
  };
  read_spans_.clear();
  write_spans_.clear();
  for (const Operand& input : reads_) read_spans_.push_back(recorded_span(input));
  for (const Operand& output : writes_) write_spans_.push_back(recorded_span(output));
  RecordedNode node;
  node.reads.reserve(reads_.size());
  node.writes.reserve(writes_.size());
  for (const Operand& input : reads_) node.reads.push_back({input.buffer->id, input.range});
  for (const Operand& output : writes_) node.writes.push_back({output.buffer->id, output.range});
  recording.nodes.push_back(std::move(node));
  DeviceResult<void> recorded;
  try {
    recorded = submit();
    if (recorded) run(work.host_code);
  } catch (...) {
    recording.nodes.pop_back();
    doom();
    throw;
  }
  if (!recorded) {
    recording.nodes.pop_back();
    const bool first = !recording.doom;
    doom();
    if (first) recording.doom->error = recorded.error();
    return failed(std::move(recorded.error()), work.correlation);
  }
  for (const Operand& input : reads_) ++input.buffer->holds;
  for (const Operand& output : writes_) ++output.buffer->holds;
  return {};
}

Status Runtime::record_launch(const Work& work, std::span<const std::uint64_t> scalars) {
  return record(work, [&] { return device_.launch(work.stream, {work.kernel, read_spans_, write_spans_, scalars}); });
}

// A kernel takes whatever address it is given until it runs; a copy is checked when it is recorded. Since it is never
// run where one side has no memory (W5), the other side then stands for both. One of nothing, or without any memory, is
// only written down.
Status Runtime::record_copy(const Work& work) {
  const bool from_memory = !reads_.front().buffer->unallocated();
  const bool to_memory = !writes_.front().buffer->unallocated();
  if (reads_.front().range.empty() || (!from_memory && !to_memory)) {
    return record(Work{work.kernel, work.stream, work.correlation, nullptr}, [] { return DeviceResult<void>{}; });
  }
  return record(work, [&] {
    return device_.copy(work.stream, to_memory ? write_spans_.front() : read_spans_.front(),
                        from_memory ? read_spans_.front() : write_spans_.front());
  });
}

// Of memory that was never reserved there is no address. A graph that names it is never run: each replay is skipped
// (W5).
DeviceSpan Runtime::recorded_span(const Operand& operand) const {
  if (operand.range.empty() || !operand.slice) return {DeviceAddress::null, operand.range.size()};
  return span_of(operand);
}

Captured Runtime::capture_end(const CaptureRequest& request) {
  drain_dropped();
  const auto refused = [](Status status) { return tl::unexpected(std::move(status.error())); };
  if (!streams_.has(request.stream)) return refused(rejected(program_error::unknown_stream));
  if (!captures(request.stream)) return refused(rejected(program_error::capture_state));
  // What may throw comes first: nobody could drop a graph of the device's that is not known here.
  std::map<GraphId, Graph> made_room;
  made_room.emplace(GraphId{graphs_made_ + 1}, Graph{});
  Recording recording = std::move(*recordings_[index(request.stream)]);
  recordings_[index(request.stream)].reset();
  LetGo nodes{*this, std::move(recording.nodes)};
  if (poison_) {
    static_cast<void>(device_.abandon_capture(request.stream));  // poisoned too, which is known
    nodes.now();
    return refused(poisoned());
  }
  if (recording.doom) {
    auto abandoned = device_.abandon_capture(request.stream);
    nodes.now();
    if (!abandoned && abandoned.error().sticky)
      return refused(failed(std::move(abandoned.error()), request.correlation));
    Error& doom = recording.doom->error;
    if (!abandoned) add_detail(doom, "ending the window", abandoned.error());
    return refused(failed(std::move(doom), recording.doom->correlation));
  }
  auto made = device_.end_capture(request.stream);
  if (!made) return refused(failed(std::move(made.error()), request.correlation));
  const GraphId id{++graphs_made_};
  auto room = made_room.extract(id);
  room.mapped() = Graph{*made, std::exchange(nodes.nodes, {}), {}};
  graphs_.insert(std::move(room));
  try {
    run(request.host_code);
  } catch (...) {
    static_cast<void>(destroy(id, request.correlation));
    throw;
  }
  return id;
}

Status Runtime::replay(const ReplayRequest& request) {
  drain_dropped();
  if (!streams_.has(request.stream)) return rejected(program_error::unknown_stream);
  const auto found = graphs_.find(request.graph);
  if (found == graphs_.end()) return rejected(program_error::unknown_graph);
  Graph& graph = found->second;
  gather_operands(graph);
  if (poison_) return refuse_poisoned_work();
  if (captures(request.stream)) return rejected(program_error::capture_state);

  const Work work{"graph replay", request.stream, request.correlation, request.host_code};
  std::vector<ClaimedInput> inputs = claimed_inputs(graph);
  if (!inputs.empty()) {
    claim_outputs(inputs.front().failure);
    return record_skip(work, std::move(inputs));
  }
  return submit(work, [&]() -> DeviceResult<void> {
    if (graph.last_replay.sequence > 0)
      if (auto ordered = streams_.order_after(request.stream, graph.last_replay); !ordered) return ordered;
    graph.last_replay = last_mark_;
    return device_.replay(request.stream, graph.device_graph);
  });
}

// All that the graph touches, as one operation's operands.
void Runtime::gather_operands(const Graph& graph) {
  reads_.clear();
  writes_.clear();
  const auto add = [this](const WeakBinding& binding, std::vector<Operand>& operands) {
    Buffer* const buffer = buffers_.find_held(binding.buffer);
    operands.push_back(
        {buffer, buffer->slice != SliceId::none ? &memory_.at(buffer->slice) : nullptr, binding.range, {}});
  };
  for (const RecordedNode& node : graph.nodes) {
    for (const WeakBinding& each : node.reads) add(each, reads_);
    for (const WeakBinding& each : node.writes) add(each, writes_);
  }
}

// Node by node: reads of bytes that no earlier node writes, then writes to memory that was never reserved (G2, W5).
std::vector<ClaimedInput> Runtime::claimed_inputs(const Graph& graph) const {
  std::vector<ClaimedInput> inputs;
  Written written;
  for (const RecordedNode& node : graph.nodes) {
    for (const WeakBinding& read : node.reads) {
      if (read.range.empty()) continue;
      const Buffer& buffer = *buffers_.find_held(read.buffer);
      if (buffer.unallocated()) {
        inputs.push_back({read, buffer.reason});
        continue;
      }
      const Taint& taint = memory_.at(buffer.slice).taint;
      FailureId claim;
      for (ByteRange gap = written.next_gap(read, read.range.begin); !claim && !gap.empty();
           gap = written.next_gap(read, gap.end))
        claim = taint.first(gap);
      if (claim) inputs.push_back({read, claim});
    }
    for (const WeakBinding& write : node.writes) {
      const Buffer& buffer = *buffers_.find_held(write.buffer);
      if (buffer.unallocated() && !write.range.empty()) inputs.push_back({write, buffer.reason});
    }
    for (const WeakBinding& write : node.writes) written.add(write);
  }
  return inputs;
}

Status Runtime::destroy(GraphId graph, Correlation correlation) {
  drain_dropped();
  const auto found = graphs_.find(graph);
  if (found == graphs_.end()) return rejected(program_error::unknown_graph);
  auto dropped = drop_graph(found);
  // What of the graph may still be running is left to its context; the program has nothing to do about it.
  if (dropped || poison_ || is_timeout(dropped.error())) return {};
  return failed(std::move(dropped.error()), correlation);
}

DeviceResult<void> Runtime::close_window(StreamIndex stream) {
  std::optional<Recording>& recording = recordings_[index(stream)];
  if (!recording) return {};
  const LetGo nodes{*this, std::move(recording->nodes)};
  recording.reset();
  return device_.abandon_capture(stream);
}

DeviceResult<void> Runtime::drop_graph(std::map<GraphId, Graph>::iterator graph) {
  const LetGo nodes{*this, std::move(graph->second.nodes)};
  const DeviceGraphId gone = graph->second.device_graph;
  graphs_.erase(graph);
  return device_.drop(gone);
}

void Runtime::let_go(const std::vector<RecordedNode>& nodes) {
  const auto drop = [this](const WeakBinding& binding) {
    Buffer* const buffer = buffers_.find_held(binding.buffer);
    if (--buffer->holds == 0 && !buffer->owned) release(*buffer);
  };
  for (const RecordedNode& node : nodes) {
    for (const WeakBinding& each : node.reads) drop(each);
    for (const WeakBinding& each : node.writes) drop(each);
  }
}

std::size_t Runtime::recorded() const {
  const auto open =
      std::count_if(recordings_.begin(), recordings_.end(), [](const auto& each) { return each.has_value(); });
  return graphs_.size() + static_cast<std::size_t>(open);
}

Status Runtime::drop_recorded_work(Correlation correlation) {
  drain_dropped();
  auto ended = end_recorded_work();
  if (ended || poison_ || is_timeout(ended.error())) return {};  // as of destroy()
  return failed(std::move(ended.error()), correlation);
}

// Windows and graphs end with the runtime, or with their context.
DeviceResult<void> Runtime::end_recorded_work() {
  DeviceResult<void> gravest;
  for (std::uint32_t i = 0; i < recordings_.size(); ++i) keep_gravest(gravest, close_window(StreamIndex{i}));
  while (!graphs_.empty()) keep_gravest(gravest, drop_graph(graphs_.begin()));
  return gravest;
}

}  // namespace taintgraph::core
