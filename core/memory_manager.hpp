// Gives buffers their memory: a Pool over a device's Storage, with streams taken into account.
//
// Memory whose buffer is gone is not handed out again before every stream that used it is done (W6). Running out of
// memory is reported only after deferred frees are finished, free pages are given back and the reservation was tried
// again.
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
  immediate,  // give back every page that is empty now
  periodic,   // only those that have been empty since the last periodic cleanup
};

class MemoryManager {
 public:
  // All three must outlive the manager.
  MemoryManager(const PoolOptions& options, Storage& storage, StreamTable& streams, ErrorGraph& graph);

  // Memory for `size_bytes` (zero has the size of one alignment unit), live, clean and not yet bound. With
  // `from_new_page` free memory is left alone and the storage is asked.
  // Errors: out of memory and whatever else the storage says; those of waiting for streams that are sticky.
  [[nodiscard]] DeviceResult<SliceId> reserve(std::uint64_t size_bytes, bool from_new_page = false);

  void bind(SliceId slice, BufferId buffer) { pool_.bind(slice, buffer); }

  // The buffer is gone: its memory becomes free once streams are done with it. Its claims stay for now (C4).
  // Requires: live.
  void retire(SliceId slice) { pool_.retire(slice); }
  void shed(SliceId slice) { pool_.shed(slice); }

  // Frees what every stream is known to be done with. Asks nobody.
  void sweep();

  // Gives empty pages back, having asked (without waiting) whether streams are done with retired memory.
  // Errors: the first of the device; the pages are gone from here all the same.
  [[nodiscard]] DeviceResult<void> cleanup(CleanupMode mode);

  // Gives every page back, live memory included, for teardown. Requires: no work is pending.
  [[nodiscard]] DeviceResult<void> release_all();

  [[nodiscard]] Slice& at(SliceId slice) { return pool_.at(slice); }
  [[nodiscard]] const Slice& at(SliceId slice) const { return pool_.at(slice); }
  [[nodiscard]] const Pool& pool() const { return pool_; }

 private:
  [[nodiscard]] DeviceResult<void> poll_retired();
  [[nodiscard]] DeviceResult<SliceId> reserve_again(std::uint64_t size_bytes, bool from_new_page);
  [[nodiscard]] DeviceResult<SliceId> new_page(std::uint64_t page_bytes, std::uint64_t size_bytes);
  [[nodiscard]] DeviceResult<void> give_back(const std::vector<DeviceAddress>& pages);

  Pool pool_;
  Storage& storage_;
  StreamTable& streams_;
};

}  // namespace taintgraph::core
