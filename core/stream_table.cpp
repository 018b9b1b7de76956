#include "core/stream_table.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"

namespace taintgraph::core {

StreamTable::StreamTable(Device& device)
    : device_(device),
      rows_(device.stream_count()),
      ordered_(rows_.size() * rows_.size()),
      at_fence_(rows_.size() * rows_.size()) {}

DeviceResult<void> StreamTable::before_read(StreamIndex stream, const Usage& usage) {
  return order_after(stream, usage.writer);
}

DeviceResult<void> StreamTable::before_write(StreamIndex stream, const Usage& usage) {
  if (auto ordered = order_after(stream, usage.writer); !ordered) return ordered;
  for (const Mark& reader : usage.readers)
    if (auto ordered = order_after(stream, reader); !ordered) return ordered;
  return {};
}

// What is known to be done only because the device was asked in time is ordered all the same: whether two streams are
// ordered follows from the program alone.
DeviceResult<void> StreamTable::order_after(StreamIndex stream, Mark mark) {
  if (mark.stream == stream || mark.sequence <= row(mark.stream).proven) return {};
  if (mark.sequence <= order_of(stream)[index(mark.stream)]) return {};
  return order_after(stream, mark.stream);
}

DeviceResult<void> StreamTable::order_after(StreamIndex stream, StreamIndex on) {
  if (stream == on) return {};
  if (auto ordered = device_.order_after(stream, on); !ordered) return ordered;
  // The event stands behind all of `on`'s work, and so behind whatever that was ordered after.
  const ByStream waiting = order_of(stream);
  const ByStream waited = order_of(on);
  for (std::size_t i = 0; i < waiting.size(); ++i) waiting[i] = std::max(waiting[i], waited[i]);
  waiting[index(on)] = row(on).submitted;
  return {};
}

void StreamTable::finished(StreamIndex stream) {
  Row& waited = row(stream);
  waited.done = waited.submitted;
  const ByStream before = order_of(stream);
  for (std::size_t i = 0; i < before.size(); ++i) rows_[i].done = std::max(rows_[i].done, before[i]);
}

void StreamTable::proved(StreamIndex stream) {
  finished(stream);
  Row& waited = row(stream);
  waited.proven = waited.submitted;
  const ByStream before = order_of(stream);
  for (std::size_t i = 0; i < before.size(); ++i) rows_[i].proven = std::max(rows_[i].proven, before[i]);
}

DeviceResult<void> StreamTable::synchronize(StreamIndex stream, Deadline deadline) {
  if (auto waited = device_.synchronize(stream, deadline); !waited) return waited;
  finished(stream);
  return {};
}

bool StreamTable::done(const Usage& usage) const {
  return done(usage.writer) &&
         std::all_of(usage.readers.begin(), usage.readers.end(), [&](const Mark& reader) { return done(reader); });
}

void StreamTable::begin_poll() {
  for (Row& each : rows_) each.asked = false;
}

DeviceResult<void> StreamTable::poll(const Usage& usage) {
  DeviceResult<void> gravest = poll(usage.writer);
  for (const Mark& reader : usage.readers) keep_gravest(gravest, poll(reader));
  return gravest;
}

// A fence set in an earlier round may stand before the mark; once it is reached, a new one stands behind everything.
DeviceResult<void> StreamTable::poll(Mark mark) {
  Row& asked = row(mark.stream);
  if (done(mark) || asked.asked) return {};
  if (asked.fence != FenceId::none) {
    if (auto looked = look_at_fence(mark.stream); !looked || asked.asked) return looked;
    if (done(mark)) return {};
  }
  auto fence = device_.fence(mark.stream);
  if (!fence) {
    asked.asked = true;
    return tl::unexpected(std::move(fence.error()));
  }
  asked.fence = *fence;
  const ByStream known = news_of_fence(mark.stream);
  const ByStream before = order_of(mark.stream);
  std::copy(before.begin(), before.end(), known.begin());
  known[index(mark.stream)] = asked.submitted;
  auto looked = look_at_fence(mark.stream);
  asked.asked = true;
  return looked;
}

// Takes the fence's news, or notes that there are none in this round.
DeviceResult<void> StreamTable::look_at_fence(StreamIndex stream) {
  Row& asked = row(stream);
  auto reached = device_.reached(asked.fence);
  asked.asked = !reached || !*reached;
  if (!reached) return tl::unexpected(std::move(reached.error()));
  if (!*reached) return {};
  const ByStream known = news_of_fence(stream);
  for (std::size_t i = 0; i < known.size(); ++i) rows_[i].done = std::max(rows_[i].done, known[i]);
  return device_.drop(std::exchange(asked.fence, FenceId::none));
}

Deadline StreamTable::deadline_of_patience() const { return device_.deadline_in(std::nullopt); }

DeviceResult<void> StreamTable::wait_until_done(const Usage& usage, Deadline deadline) {
  const auto wait = [&](Mark mark) -> DeviceResult<void> {
    return done(mark) ? DeviceResult<void>{} : synchronize(mark.stream, deadline);
  };
  if (auto waited = wait(usage.writer); !waited) return waited;
  for (const Mark& reader : usage.readers)
    if (auto waited = wait(reader); !waited) return waited;
  return {};
}

DeviceResult<void> StreamTable::close() {
  DeviceResult<void> gravest;
  for (Row& each : rows_)
    if (each.fence != FenceId::none) keep_gravest(gravest, device_.drop(std::exchange(each.fence, FenceId::none)));
  return gravest;
}

void StreamTable::forget() {
  std::fill(rows_.begin(), rows_.end(), Row{});
  std::fill(ordered_.begin(), ordered_.end(), 0);
  std::fill(at_fence_.begin(), at_fence_.end(), 0);
}

void StreamTable::validate() const {
  auto ordered = ordered_.begin();
  for (const Row& each : rows_) {
    TAINTGRAPH_CHECK(each.done <= each.submitted, "W6: nothing is done before it is submitted");
    TAINTGRAPH_CHECK(each.proven <= each.done, "what the program has waited for is done");
    for (const Row& on : rows_)
      TAINTGRAPH_CHECK(*ordered++ <= on.submitted, "W6: nothing is waited for before it is submitted");
  }
}

}  // namespace taintgraph::core
