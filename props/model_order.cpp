#include "props/model_order.hpp"

#include <algorithm>

namespace taintgraph::props::reference {
namespace {

// Every buffer of which there are bytes among `ranges`, mostly once.
void append(std::vector<Ordinal>& to, const std::vector<Range>& ranges) {
  for (const Range& range : ranges) {
    const bool is_new = to.empty() || to.back() != range.buffer;
    if (!range.empty() && is_new) to.push_back(range.buffer);
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

void Order::order(StreamNumber stream, const std::vector<Ordinal>& reads, const std::vector<Ordinal>& writes) {
  for (const Ordinal read : reads) after(stream, usage_[read].writer);
  for (const Ordinal write : writes) {
    const Usage& usage = usage_[write];
    after(stream, usage.writer);
    for (const Mark& reader : usage.readers) after(stream, reader);
  }
}

Order::Mark Order::queue(StreamNumber stream, Ordinal operation, const std::vector<Ordinal>& reads,
                         const std::vector<Ordinal>& writes) {
  row(stream).queued.push_back(operation);
  const Mark mark{stream, row(stream).queued.size()};
  for (const Ordinal read : reads) {
    std::vector<Mark>& readers = usage_[read].readers;
    const auto own =
        std::find_if(readers.begin(), readers.end(), [=](const Mark& each) { return each.stream == stream; });
    if (own != readers.end()) {
      *own = mark;
    } else {
      readers.push_back(mark);
    }
  }
  for (const Ordinal write : writes) usage_[write] = Usage{mark, {}};
  return mark;
}

void Order::work(StreamNumber stream, Ordinal operation, Nodes graph) {
  std::vector<Ordinal> reads;
  std::vector<Ordinal> writes;
  for (const Node& node : graph) append(reads, node.reads);
  for (const Node& node : graph) append(writes, node.writes);
  order(stream, reads, writes);
  queue(stream, operation, reads, writes);
}

void Order::replay(StreamNumber stream, Ordinal operation, Nodes graph, traces::NameId name) {
  work(stream, operation, graph);
  after(stream, replays_[name]);
  replays_[name] = Mark{stream, row(stream).queued.size()};
}

void Order::relocate(StreamNumber stream, Ordinal operation, Ordinal buffer, bool moved) {
  order(stream, {buffer}, {});
  const Mark mark = queue(stream, operation, {buffer}, {});
  if (moved) usage_[buffer] = Usage{mark, {}};  // nobody has used the new memory before
}

void Order::proved(const std::vector<StreamNumber>& streams) {
  for (const StreamNumber stream : streams) {
    Row& waited = row(stream);
    waited.proven = waited.queued.size();
    waited.going = Going::on;
    for (StreamNumber other = 0; other < waited.put_behind.size(); ++other)
      rows_[other].proven = std::max(rows_[other].proven, waited.put_behind[other]);
  }
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
