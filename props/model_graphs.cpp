#include "props/model_graphs.hpp"

#include <algorithm>

#include "props/model_kernels.hpp"

namespace taintgraph::props::reference {
namespace {

bool holds(const std::vector<Range>& ranges, Ordinal buffer, std::uint64_t byte) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const Range& each) { return each.buffer == buffer && each.begin <= byte && byte < each.end; });
}

// The failure of the lowest byte of `range` that is claimed and not in `written`; zero if there is none.
Ordinal first_claim_outside(const Range& range, const std::vector<Range>& written, const Memory& memory) {
  if (range.empty()) return 0;
  const Buffer& buffer = memory.at(range.buffer);
  if (buffer.reason != 0) return buffer.reason;
  for (const Claim& claim : buffer.claims.meeting(range.begin, range.end)) {
    const std::uint64_t end = std::min(claim.end, range.end);
    for (std::uint64_t i = std::max(claim.begin, range.begin); i < end; ++i) {
      if (!holds(written, range.buffer, i)) return claim.failure;
    }
  }
  return 0;
}

void run(const Node& node, Memory& memory) {
  if (node.fault) return memory.forget_values(node.writes);
  if (node.kernel.empty()) return memory.set_values(node.writes[0], node.host_bytes);
  std::vector<std::span<const Value>> reads;
  reads.reserve(node.reads.size());
  for (const Range& read : node.reads) reads.push_back(memory.values(read));
  // Several writes are of kernels that read nothing.
  for (const Range& write : node.writes) compute(node.kernel, reads, node.scalar, memory.values_to_set(write));
}

// Runs the node, then puts back what lies beyond the first `bytes_done` bytes of its write set.
void run_first_bytes(const Node& node, std::uint64_t bytes_done, Memory& memory) {
  std::vector<Values> before;
  for (const Range& write : node.writes) {
    const std::span<const Value> values = memory.values(write);
    before.emplace_back(values.begin(), values.end());
  }
  run(node, memory);
  for (std::size_t i = 0; i < node.writes.size(); ++i) {
    Range undone = node.writes[i];
    const std::uint64_t done = std::min(bytes_done, undone.size());
    bytes_done -= done;
    undone.begin += done;
    memory.set_values(undone, std::span(before[i]).subspan(done));
  }
}

}  // namespace

std::vector<Range> written_by(Nodes graph) {
  std::vector<Range> ranges;
  for (const Node& node : graph) ranges.insert(ranges.end(), node.writes.begin(), node.writes.end());
  return ranges;
}

std::vector<Range> read_by(Nodes graph) {
  std::vector<Range> ranges;
  for (const Node& node : graph) ranges.insert(ranges.end(), node.reads.begin(), node.reads.end());
  return ranges;
}

void claim_written(Nodes graph, Ordinal failure, Memory& memory) {
  for (const Node& node : graph) memory.claim(node.writes, failure);
}

void add_held(Nodes graph, std::vector<Ordinal>& held) {
  for (const Node& node : graph) {
    for (const auto* ranges : {&node.reads, &node.writes}) {
      for (const Range& range : *ranges) {
        const bool is_new = held.empty() || held.back() != range.buffer;
        if (is_new) held.push_back(range.buffer);
      }
    }
  }
}

std::vector<ClaimedInput> claimed_inputs(Nodes graph, const Memory& memory) {
  std::vector<ClaimedInput> inputs;
  std::vector<Range> written;  // by earlier nodes
  for (const Node& node : graph) {
    for (const Range& read : node.reads) {
      const Ordinal failure = first_claim_outside(read, written, memory);
      if (failure != 0) inputs.push_back({read, failure});
    }
    for (const Range& write : node.writes) {
      if (memory.unallocated(write)) inputs.push_back({write, memory.at(write.buffer).reason});
    }
    if (graph.size() > 1) written.insert(written.end(), node.writes.begin(), node.writes.end());
  }
  return inputs;
}

void run(Nodes graph, Memory& memory) {
  for (const Node& node : graph) run(node, memory);
}

void run_partly(Nodes graph, const Strike& strike, Memory& memory) {
  const bool one_node = graph.size() == 1;
  if (strike.effect == Effect::nothing) return;
  if (strike.effect == Effect::everything) return run(graph, memory);
  if (strike.effect == Effect::first_bytes && one_node) return run_first_bytes(graph[0], strike.bytes_done, memory);
  memory.forget_values(written_by(graph));
}

}  // namespace taintgraph::props::reference
