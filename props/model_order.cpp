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

std::uint64_t& Order::entry(Places& places, StreamNumber other) {
  if (other >= places.size()) places.resize(std::size_t{other} + 1);
  return places[other];
}

std::uint64_t Order::place_in(const Places& places, StreamNumber other) {
  return other < places.size() ? places[other] : 0;
}

void Order::add(Places& places, const Places& others) {
  for (StreamNumber other = 0; other < others.size(); ++other)
    entry(places, other) = std::max(entry(places, other), others[other]);
}

void Order::wait(StreamNumber stream, StreamNumber on, Holds holds) {
  if (stream == on) return;
  rows_.resize(std::max(rows_.size(), std::size_t{std::max(stream, on)} + 1));  // so that both stay where they are
  const Row& waited = rows_[on];
  Row& waiting = rows_[stream];
  const auto put = [&](Places& places) {
    add(places, waited.put_behind);
    entry(places, on) = waited.queued.size();
  };
  const bool surely = holds == Holds::surely;
  put(surely ? waiting.put_behind : waiting.perhaps_behind);
  if (holds == Holds::perhaps) put(waiting.perhaps_noted);
  if (holds != Holds::unnoted) add(waiting.perhaps_noted, waited.perhaps_noted);
  add(waiting.perhaps_behind, waited.perhaps_behind);
  waiting.going = std::max(waiting.going, std::min(waited.going, surely ? Going::never : Going::perhaps));
}

// Nothing has to be done for work that is proved, or that the stream was put behind before.
void Order::after(StreamNumber stream, Mark mark, Holds holds) {
  if (mark.stream == stream || mark.place <= row(mark.stream).proven) return;
  const Row& waiting = row(stream);
  if (mark.place <= place_in(waiting.put_behind, mark.stream)) return;
  const bool perhaps_done = mark.place <= row(mark.stream).perhaps_proven;
  const bool perhaps_put = mark.place <= place_in(waiting.perhaps_noted, mark.stream);
  const bool sure = holds == Holds::surely && mark.holds == Holds::surely && !perhaps_done && !perhaps_put;
  wait(stream, mark.stream, sure ? Holds::surely : Holds::perhaps);
}

void Order::after_every_write(StreamNumber stream, const Usage& usage, Holds holds) {
  after(stream, usage.writer, holds);
  for (const Mark& writer : usage.perhaps_writers) after(stream, writer, holds);
}

void Order::after_every_use(StreamNumber stream, const Usage& usage, Holds holds) {
  after_every_write(stream, usage, holds);
  for (const Mark& reader : usage.readers) after(stream, reader, holds);
}

Order::Mark Order::queue(StreamNumber stream, Ordinal operation, Holds holds) {
  std::vector<Ordinal>& queued = row(stream).queued;
  if (queued.empty()) queued.reserve(kSuspectsOfStream);
  queued.push_back(operation);
  return {stream, queued.size(), holds};
}

// A use that perhaps is none takes no other's place.
void Order::reads(Mark mark, Ordinal buffer) {
  std::vector<Mark>& readers = usage_[buffer].readers;
  const auto own = std::find_if(readers.begin(), readers.end(), [=](const Mark& each) {
    return each.stream == mark.stream && (mark.holds == Holds::surely || each.holds == Holds::perhaps);
  });
  if (own != readers.end()) {
    *own = mark;
  } else {
    readers.push_back(mark);
  }
}

// A write that perhaps is none has perhaps taken the place of what was noted until then.
void Order::write(Mark mark, Usage& usage) {
  if (mark.holds == Holds::perhaps) {
    usage.writer.holds = Holds::perhaps;
    for (Mark& reader : usage.readers) reader.holds = Holds::perhaps;
    return usage.perhaps_writers.push_back(mark);
  }
  usage.writer = mark;
  usage.perhaps_writers.clear();
  usage.readers.clear();
}

void Order::work(StreamNumber stream, Ordinal operation, Nodes graph, Holds holds) {
  each_buffer(graph, &Node::reads, [&](Ordinal buffer) { after_every_write(stream, usage_[buffer], holds); });
  each_buffer(graph, &Node::writes, [&](Ordinal buffer) { after_every_use(stream, usage_[buffer], holds); });
  const Mark mark = queue(stream, operation, holds);
  each_buffer(graph, &Node::reads, [&](Ordinal buffer) { reads(mark, buffer); });
  each_buffer(graph, &Node::writes, [&](Ordinal buffer) { write(mark, usage_[buffer]); });
}

void Order::replay(StreamNumber stream, Ordinal operation, Nodes graph, traces::NameId name, Holds holds) {
  work(stream, operation, graph, holds);
  Usage& usage = replays_[name];
  after_every_write(stream, usage, holds);
  write(Mark{stream, row(stream).queued.size(), holds}, usage);
}

void Order::relocate(StreamNumber stream, Ordinal operation, Ordinal buffer, bool moved, Holds holds) {
  after_every_write(stream, usage_[buffer], holds);
  const Mark mark = queue(stream, operation, holds);
  reads(mark, buffer);
  if (moved) write(mark, usage_[buffer]);  // nobody has used the new memory before
}

void Order::proved(StreamNumber stream) {
  Row& waited = row(stream);
  waited.proven = waited.queued.size();
  waited.going = Going::on;
  for (StreamNumber other = 0; other < waited.put_behind.size(); ++other)
    rows_[other].proven = std::max(rows_[other].proven, waited.put_behind[other]);
  for (StreamNumber other = 0; other < waited.perhaps_noted.size(); ++other)
    rows_[other].perhaps_proven = std::max(rows_[other].perhaps_proven, waited.perhaps_noted[other]);
}

void Order::never_ends(StreamNumber stream) { row(stream).going = Going::never; }

void Order::doubt(StreamNumber stream) { row(stream).going = std::max(row(stream).going, Going::perhaps); }

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
  for (StreamNumber other = 0; other < rows_.size(); ++other) {
    const std::uint64_t behind = std::max(place_in(asked.put_behind, other), place_in(asked.perhaps_behind, other));
    if (behind > rows_[other].proven) return false;
  }
  return true;
}

std::uint64_t Order::queued(StreamNumber stream) const {
  return stream < rows_.size() ? rows_[stream].queued.size() : 0;
}

bool Order::may_come_after(StreamNumber stream, StreamNumber other, std::uint64_t place) const {
  if (stream >= rows_.size()) return false;
  const Row& later = rows_[stream];
  return std::max(place_in(later.put_behind, other), place_in(later.perhaps_behind, other)) >= place;
}

Suspects Order::suspects() const {
  Suspects result;
  std::vector<Ordinal>& newest = result.newest;
  for (const Row& each : rows_) {
    const std::uint64_t unproven = each.queued.size() - each.proven;
    const std::uint64_t listed = std::min<std::uint64_t>(unproven, kSuspectsOfStream);
    newest.insert(newest.end(), each.queued.end() - static_cast<std::ptrdiff_t>(listed), each.queued.end());
    result.dropped += unproven - listed;
  }
  std::sort(newest.begin(), newest.end());  // no two are the same: an operation queues one piece of work
  return result;
}

}  // namespace taintgraph::props::reference
