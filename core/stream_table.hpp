// What is known about the order of work between streams, and what it takes to make an order that is needed (W6).
//
// For each stream: how much was submitted, how much the host knows to be done, and how far into each other stream its
// later work is already ordered. Work that needs an order asks for it here, and an event is used only if the order is
// not there yet: work that stays on one stream never pays for one.
//
// It asks the Device for every event and wait; it never executes anything itself. Cost: O(streams) at an ordering that
// is not there yet, O(readers) otherwise. Allocates only when made.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/device.hpp"
#include "core/usage.hpp"

namespace taintgraph::core {

class StreamTable {
 public:
  // One row for each stream of `device`, which must outlive the table.
  explicit StreamTable(Device& device);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(rows_.size()); }
  [[nodiscard]] bool has(StreamIndex stream) const { return index(stream) < rows_.size(); }

  // Makes the next work of `stream` come after the last write of memory it will read, or after every use of memory it
  // will write. Errors: of the device; work must not be submitted then.
  [[nodiscard]] DeviceResult<void> before_read(StreamIndex stream, const Usage& usage);
  [[nodiscard]] DeviceResult<void> before_write(StreamIndex stream, const Usage& usage);

  // Makes the next work of `stream` come after a mark; nothing is to be done if it does already, or if the host knows
  // that the mark is reached. Errors: of the device.
  [[nodiscard]] DeviceResult<void> order_after(StreamIndex stream, Mark mark);

  // The mark of work about to be submitted to `stream`. Taken even if the device then reports an error, since the work
  // may have reached the stream all the same.
  [[nodiscard]] Mark take_mark(StreamIndex stream) { return {stream, ++row(stream).submitted}; }

  // A wait of the program for `stream` was good: everything submitted to it is done without an error, and so is what it
  // had waited for.
  void proved(StreamIndex stream);
  // How much of a stream's work the program's waits have proved. What else is known to be done is no part of it: that
  // depends on when the device was asked.
  [[nodiscard]] std::uint64_t proven(StreamIndex stream) const { return row(stream).proven; }

  // Orders `stream` after everything submitted to `on`, whether or not that is known already.
  [[nodiscard]] DeviceResult<void> order_after(StreamIndex stream, StreamIndex on);

  // Waits for the stream; on success its work is known to be done. Errors: of the device, which gives up at the
  // deadline.
  [[nodiscard]] DeviceResult<void> synchronize(StreamIndex stream, Deadline deadline = {});

  // True if the host knows that every use is done. Asks nobody.
  [[nodiscard]] bool done(const Usage& usage) const;
  // Asks the device, without blocking, about streams whose work is in `usage` and not known to be done: looks at the
  // fence set by an earlier round; if it is reached and stands before that work, sets one behind everything. A stream
  // has no more to tell in the round that begin_poll() began then. Errors: the gravest of the device.
  [[nodiscard]] DeviceResult<void> poll(const Usage& usage);
  void begin_poll();
  // Waits until every use is done. Errors: of the device, which gives up at the deadline.
  [[nodiscard]] DeviceResult<void> wait_until_done(const Usage& usage, Deadline deadline);
  // When the device's patience is over: for several waits that are to have one end.
  [[nodiscard]] Deadline deadline_of_patience() const;

  // Drops outstanding fences. Errors: the gravest of the device, after all are dropped.
  [[nodiscard]] DeviceResult<void> close();

  // Nothing is queued anywhere any more: the streams are new ones (D2).
  void forget();

  // CHECKs that no stream is known to be further than it was submitted.
  void validate() const;

 private:
  struct Row {
    std::uint64_t submitted = 0;
    std::uint64_t done = 0;         // known to the host
    std::uint64_t proven = 0;       // by the program's own waits
    bool asked = false;             // since begin_poll()
    FenceId fence = FenceId::none;  // at most one outstanding
  };
  using ByStream = std::span<std::uint64_t>;

  [[nodiscard]] Row& row(StreamIndex stream) { return rows_[index(stream)]; }
  [[nodiscard]] const Row& row(StreamIndex stream) const { return rows_[index(stream)]; }
  // Later work of the stream comes after that much of each.
  [[nodiscard]] ByStream order_of(StreamIndex stream) { return part_of(ordered_, stream); }
  // What the host will know of each once the stream's fence is reached.
  [[nodiscard]] ByStream news_of_fence(StreamIndex stream) { return part_of(at_fence_, stream); }
  [[nodiscard]] ByStream part_of(std::vector<std::uint64_t>& all, StreamIndex stream) {
    return ByStream(all).subspan(index(stream) * rows_.size(), rows_.size());
  }
  [[nodiscard]] DeviceResult<void> poll(Mark mark);
  void finished(StreamIndex stream);
  [[nodiscard]] DeviceResult<void> look_at_fence(StreamIndex stream);
  [[nodiscard]] bool done(Mark mark) const { return mark.sequence <= row(mark.stream).done; }

  Device& device_;
  std::vector<Row> rows_;
  std::vector<std::uint64_t> ordered_;   // order_of() each stream, one after the other
  std::vector<std::uint64_t> at_fence_;  // news_of_fence() likewise
};

}  // namespace taintgraph::core
