#include "props/model_order.hpp"

#include <algorithm>

namespace taintgraph::props::reference {
namespace {

// Calls `visit` with every buffer that has bytes among these ranges of each node, mostly once.
template <class Visit>
void each_buffer(Nodes graph, std::vector<Range> Node::*ranges, Visit visit) {
  Ordinal last = 0;
  for (const Node& node : graph) {
    for (const Range& range : node.*ranges) {
      if (range.empty() || range.buffer == last) continue;
      last = range.buffer;
      visit(last);
    }
  }
}

}  // namespace

Order::Row& Order::row(StreamNumber stream) {
  if (stream >= rows_.size()) rows_.resize(std::size_t{stream} + 1);
  return rows_[stream];
}

std::uint64_t& Order::behind(Row& row, StreamNumber other) {
  if (other >= row.put_behind.size()) row.put_behind.resize(std::size_t{other} + 1);
  return row.put_behind[other];
}

void Order::wait(StreamNumber stream, StreamNumber on) {
  if (stream == on) return;
  rows_.resize(std::max(rows_.size(), std::size_t{std::max(stream, on)} + 1));  // so that both stay where they are
  const Row& waited = rows_[on];
  Row& waiting = rows_[stream];
  for (StreamNumber other = 0; other < waited.put_behind.size(); ++other)
    behind(waiting, other) = std::max(behind(waiting, other), waited.put_behind[other]);
  behind(waiting, on) = waited.queued.size();
  waiting.going = std::max(waiting.going, waited.going);
}

// Nothing has to be done for work that is proved, or that the stream was put behind before.
void Order::after(StreamNumber stream, Mark mark) {
  if (mark.stream == stream || mark.place <= row(mark.stream).proven) return;
  if (mark.place <= behind(row(stream), mark.stream)) return;
  wait(stream, mark.stream);
}

void Order::after_last_write(StreamNumber stream, Ordinal buffer) { after(stream, usage_[buffer].writer); }

void Order::after_every_use(StreamNumber stream, Ordinal buffer) {
  const Usage& usage = usage_[buffer];
  after(stream, usage.writer);
  for (const Mark& reader : usage.readers) after(stream, reader);
}

Order::Mark Order::queue(StreamNumber stream, Ordinal operation) {
  std::vector<Ordinal>& queued = row(stream).queued;
  if (queued.empty()) queued.reserve(kSuspectsOfStream);
  queued.push_back(operation);
  return {stream, queued.size()};
}

void Order::reads(Mark mark, Ordinal buffer) {
  std::vector<Mark>& readers = usage_[buffer].readers;
  const auto own =
      std::find_if(readers.begin(), readers.end(), [=](const Mark& each) { return each.stream == mark.stream; });
  if (own != readers.end()) {
    *own = mark;
  } else {
    readers.push_back(mark);
  }
}

void Order::writes(Mark mark, Ordinal buffer) {
  Usage& usage = usage_[buffer];
  usage.writer = mark;
  usage.readers.clear();
}

void Order::work(StreamNumber stream, Ordinal operation, Nodes graph) {
  each_buffer(graph, &Node::reads, [&](Ordinal buffer) { after_last_write(stream, buffer); });
  each_buffer(graph, &Node::writes, [&](Ordinal buffer) { after_every_use(stream, buffer); });
  const Mark mark = queue(stream, operation);
  each_buffer(graph, &Node::reads, [&](Ordinal buffer) { reads(mark, buffer); });
  each_buffer(graph, &Node::writes, [&](Ordinal buffer) { writes(mark, buffer); });
}

void Order::replay(StreamNumber stream, Ordinal operation, Nodes graph, traces::NameId name) {
  work(stream, operation, graph);
  after(stream, replays_[name]);
  replays_[name] = Mark{stream, row(stream).queued.size()};
}

void Order::relocate(StreamNumber stream, Ordinal operation, Ordinal buffer, bool moved) {
  after_last_write(stream, buffer);
  const Mark mark = queue(stream, operation);
  reads(mark, buffer);
  if (moved) writes(mark, buffer);  // nobody has used the new memory before
}

void Order::proved(StreamNumber stream) {
  Row& waited = row(stream);
  waited.proven = waited.queued.size();
  waited.going = Going::on;
  for (StreamNumber other = 0; other < waited.put_behind.size(); ++other)
    rows_[other].proven = std::max(rows_[other].proven, waited.put_behind[other]);
}

void Order::never_ends(StreamNumber stream) { row(stream).going = Going::never; }

void Order::doubt(StreamNumber stream, bool hung_before) {
  if (!hung_before) row(stream).going = Going::perhaps;
}

Order::Going Order::state_of(StreamNumber stream) const {
  return stream < rows_.size() ? rows_[stream].going : Going::on;
}

bool Order::hangs() const {
  return std::any_of(rows_.begin(), rows_.end(), [](const Row& each) { return each.going != Going::on; });
}

bool Order::idle(StreamNumber stream) const {
  if (stream >= rows_.size()) return true;
  const Row& asked = rows_[stream];
  if (asked.going != Going::on || asked.queued.size() != asked.proven) return false;
  for (StreamNumber other = 0; other < asked.put_behind.size(); ++other) {
    if (asked.put_behind[other] > rows_[other].proven) return false;
  }
  return true;
}

std::uint64_t Order::queued(StreamNumber stream) const {
  return stream < rows_.size() ? rows_[stream].queued.size() : 0;
}

bool Order::comes_after(StreamNumber stream, StreamNumber other, std::uint64_t place) const {
  if (stream >= rows_.size()) return false;
  const std::vector<std::uint64_t>& put_behind = rows_[stream].put_behind;
  return other < put_behind.size() && put_behind[other] >= place;
}

Suspects Order::suspects() const {
  std::set<Ordinal> newest;  // an operation queues one piece of work
  Suspects result;
  for (const Row& each : rows_) {
    const std::uint64_t unproven = each.queued.size() - each.proven;
    const std::uint64_t listed = std::min<std::uint64_t>(unproven, kSuspectsOfStream);
    newest.insert(each.queued.end() - static_cast<std::ptrdiff_t>(listed), each.queued.end());
    result.dropped += unproven - listed;
  }
  result.newest.assign(newest.begin(), newest.end());
  return result;
}

}  // namespace taintgraph::props::reference
