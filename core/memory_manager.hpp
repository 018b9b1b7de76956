// Gives buffers their memory: a Pool over a device's Storage, with streams taken into account.
//
// Memory whose buffer is gone is not handed out again before every stream that used it is done (W6). Running out of
// memory is reported only after deferred frees are finished, free pages are given back and the reservation was tried
// again. What could not be had even then (more than the storage has in all, or than the pool's limit) is refused at
// once.
//
// Pages that become empty are kept for the next reservation. They go back when memory runs out, or by cleanup().
//
// On its own it keeps claims on memory whose buffer is gone until that memory is shed, freed or bound again, and counts
// them as carried (C4); the runtime sheds them at once.
//
// Cost: O(log n) when a free slice fits; O(retired slices) when one has to be found among those.
#pragma once

#include <cstdint>

#include "core/device.hpp"
#include "core/pool.hpp"
#include "core/stream_table.hpp"

namespace taintgraph::core {

enum class CleanupMode : std::uint8_t {
  immediate,  // give back every page that is empty now: after a peak, or when others need the memory
  // Only those that have been empty since the last periodic cleanup, so that a caller who does this every so often
  // keeps the pages that it goes on using. An immediate cleanup in between, or a page's use, does not count as one.
  periodic,
};

// Where a reservation looks.
enum class ReserveFrom : std::uint8_t {
  pool,      // free memory first, the storage if there is none
  new_page,  // the storage, even where free memory would do
};

// What becomes of pages at the end.
enum class Pages : std::uint8_t {
  given_back,
  abandoned,  // work may still use them: they go with their context
};

class MemoryManager {
 public:
  // All three must outlive the manager.
  MemoryManager(const PoolOptions& options, Storage& storage, StreamTable& streams, ErrorGraph& graph);

  // Memory for `size_bytes` (zero has the size of one alignment unit), live, clean and not yet bound.
  // Errors: out of memory, with recovery `none` if it can never fit (no driver is asked then, unless a new page is what
  // the caller wants) and `retry` if it does not fit now; whatever else the storage says; of asking and waiting for
  // streams only what is sticky, since without them memory merely stays retired.
  [[nodiscard]] DeviceResult<SliceId> reserve(std::uint64_t size_bytes, ReserveFrom from = ReserveFrom::pool);

  void bind(SliceId slice, BufferId buffer) { pool_.bind(slice, buffer); }

  // The buffer is gone: its memory becomes free once streams are done with it. Its claims stay for now (C4).
  // Requires: live.
  void retire(SliceId slice) { pool_.retire(slice); }
  void shed(SliceId slice) { pool_.shed(slice); }

  // Frees what every stream is known to be done with. Asks nobody.
  void sweep();

  // Gives empty pages back, having asked (without waiting) whether streams are done with retired memory.
  // Errors: the gravest of the device; the pages are gone from here all the same.
  [[nodiscard]] DeviceResult<void> cleanup(CleanupMode mode);

  // Lets go of every page, live memory included, for teardown. Requires: no work is pending, if they are given back.
  [[nodiscard]] DeviceResult<void> release_all(Pages pages = Pages::given_back);

  [[nodiscard]] Slice& at(SliceId slice) { return pool_.at(slice); }
  [[nodiscard]] const Slice& at(SliceId slice) const { return pool_.at(slice); }
  [[nodiscard]] const Pool& pool() const { return pool_; }

 private:
  [[nodiscard]] DeviceResult<void> poll_retired();
  [[nodiscard]] std::uint64_t most_bytes(ReserveFrom from) const;
  [[nodiscard]] DeviceResult<SliceId> reserve_again(std::uint64_t size_bytes, ReserveFrom from);
  [[nodiscard]] DeviceResult<SliceId> new_page(std::uint64_t page_bytes, std::uint64_t size_bytes);
  [[nodiscard]] DeviceResult<void> give_back(const std::vector<DeviceAddress>& pages);

  Pool pool_;
  std::uint64_t limit_bytes_;
  Storage& storage_;
  StreamTable& streams_;
};

}  // namespace taintgraph::core
