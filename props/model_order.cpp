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

void Order::wait(StreamNumber stream, StreamNumber on) {
  if (stream == on) return;
  const Row waited = rows_[on];
  std::map<StreamNumber, std::uint64_t>& behind = rows_[stream].put_behind;
  for (const auto& [other, place] : waited.put_behind) behind[other] = std::max(behind[other], place);
  behind[on] = waited.queued.size();
  rows_[stream].going = std::max(rows_[stream].going, waited.going);
}

// Nothing has to be done for work that is proved, or that the stream was put behind before.
void Order::after(StreamNumber stream, Mark mark) {
  if (mark.stream == stream || mark.place <= rows_[mark.stream].proven) return;
  if (mark.place <= rows_[stream].put_behind[mark.stream]) return;
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
  rows_[stream].queued.push_back(operation);
  const Mark mark{stream, rows_[stream].queued.size()};
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
  replays_[name] = Mark{stream, rows_[stream].queued.size()};
}

void Order::relocate(StreamNumber stream, Ordinal operation, Ordinal buffer, bool moved) {
  order(stream, {buffer}, {});
  const Mark mark = queue(stream, operation, {buffer}, {});
  if (moved) usage_[buffer] = Usage{mark, {}};  // nobody has used the new memory before
}

void Order::proved(const std::vector<StreamNumber>& streams) {
  for (const StreamNumber stream : streams) {
    const Row& row = rows_[stream];
    rows_[stream].proven = row.queued.size();
    rows_[stream].going = Going::on;
    for (const auto& [other, place] : row.put_behind) rows_[other].proven = std::max(rows_[other].proven, place);
  }
}

void Order::never_ends(StreamNumber stream) { rows_[stream].going = Going::never; }

void Order::doubt(StreamNumber stream, bool hung_before) {
  if (!hung_before) rows_[stream].going = Going::perhaps;
}

Order::Going Order::state_of(StreamNumber stream) const {
  const auto found = rows_.find(stream);
  return found == rows_.end() ? Going::on : found->second.going;
}

bool Order::hangs() const {
  return std::any_of(rows_.begin(), rows_.end(), [](const auto& each) { return each.second.going != Going::on; });
}

bool Order::idle(StreamNumber stream) const {
  const auto found = rows_.find(stream);
  if (found == rows_.end()) return true;
  const auto is_proved = [this](const auto& behind) {
    const auto other = rows_.find(behind.first);
    return other == rows_.end() || behind.second <= other->second.proven;
  };
  if (found->second.going != Going::on) return false;
  const auto& behind = found->second.put_behind;
  return found->second.queued.size() == found->second.proven && std::all_of(behind.begin(), behind.end(), is_proved);
}

Suspects Order::suspects() const {
  std::set<Ordinal> newest;  // an operation queues one piece of work
  Suspects result;
  for (const auto& [stream, row] : rows_) {
    const std::uint64_t unproven = row.queued.size() - row.proven;
    const std::uint64_t listed = std::min<std::uint64_t>(unproven, kSuspectsOfStream);
    newest.insert(row.queued.end() - static_cast<std::ptrdiff_t>(listed), row.queued.end());
    result.dropped += unproven - listed;
  }
  result.newest.assign(newest.begin(), newest.end());
  return result;
}

}  // namespace taintgraph::props::reference
