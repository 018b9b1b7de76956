#include "core/memory_manager.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "core/check.hpp"

namespace taintgraph::core {

MemoryManager::MemoryManager(const PoolOptions& options, Storage& storage, StreamTable& streams, ErrorGraph& graph)
    : pool_(options, graph), limit_bytes_(options.limit_bytes), storage_(storage), streams_(streams) {}

// What the storage has is its own to say where it is to be asked in any case.
std::uint64_t MemoryManager::most_bytes(ReserveFrom from) const {
  return from == ReserveFrom::new_page ? limit_bytes_ : std::min(limit_bytes_, storage_.capacity_bytes());
}

DeviceResult<SliceId> MemoryManager::reserve(std::uint64_t size_bytes, ReserveFrom from) {
  const std::uint64_t most = most_bytes(from);
  if (pool_.slice_bytes(size_bytes) > most) return tl::unexpected(never_fits(size_bytes, most));
  if (from == ReserveFrom::pool) {
    if (const SliceId slice = pool_.take(size_bytes); slice != SliceId::none) return slice;
    if (!pool_.retired().empty()) {
      // An error that is not sticky leaves memory retired and nothing else undone: a new page serves as well.
      if (auto polled = poll_retired(); !polled && polled.error().sticky)
        return tl::unexpected(std::move(polled.error()));
      if (const SliceId slice = pool_.take(size_bytes); slice != SliceId::none) return slice;
    }
  }
  auto slice = new_page(pool_.page_bytes(size_bytes), size_bytes);
  if (slice || slice.error().recovery != Recovery::retry) return slice;
  return reserve_again(size_bytes, from);
}

// Out of memory is the last word only once nothing can be done about it.
DeviceResult<SliceId> MemoryManager::reserve_again(std::uint64_t size_bytes, ReserveFrom from) {
  // Memory that cannot be waited for stays retired; what other streams used, or what is free already, may do. One
  // deadline bounds all of it, however many streams hang.
  const Deadline deadline = streams_.deadline_of_patience();
  for (const SliceId slice : pool_.retired()) {
    auto waited = streams_.wait_until_done(pool_.at(slice).usage, deadline);
    if (!waited && waited.error().sticky) return tl::unexpected(std::move(waited.error()));
  }
  sweep();
  if (from == ReserveFrom::pool)
    if (const SliceId slice = pool_.take(size_bytes); slice != SliceId::none) return slice;
  DeviceResult<void> made_room = give_back(pool_.take_empty_pages(EmptyPages::all));
  if (made_room || !made_room.error().sticky) keep_gravest(made_room, storage_.settle());
  if (!made_room && made_room.error().sticky) return tl::unexpected(std::move(made_room.error()));
  auto slice = new_page(pool_.slice_bytes(size_bytes), size_bytes);  // one try, and no byte more than is needed
  if (!slice && slice.error().recovery == Recovery::retry && slice.error().detail.empty())
    slice.error().detail = std::to_string(size_bytes) + " bytes do not fit now, with " +
                           std::to_string(pool_.reserved_bytes()) + " in pages that hold buffers";
  if (!slice && !made_room) add_detail(slice.error(), "having made room", made_room.error());
  return slice;
}

DeviceResult<SliceId> MemoryManager::new_page(std::uint64_t page_bytes, std::uint64_t size_bytes) {
  if (page_bytes > limit_bytes_ - pool_.reserved_bytes()) return tl::unexpected(over_limit(page_bytes, limit_bytes_));
  auto address = storage_.reserve(page_bytes);
  if (!address) return tl::unexpected(std::move(address.error()));
  TAINTGRAPH_CHECK(*address != DeviceAddress::null, "no memory is reserved at address zero");
  try {
    return pool_.take_from_new_page(*address, page_bytes, size_bytes);
  } catch (const std::bad_alloc&) {
    static_cast<void>(storage_.give_back(*address));  // never used; the host's lack of memory is what is reported
    throw;
  }
}

void MemoryManager::sweep() {
  pool_.free_retired([this](const Slice& slice) { return streams_.done(slice.usage); });
}

DeviceResult<void> MemoryManager::poll_retired() {
  DeviceResult<void> gravest;
  streams_.begin_poll();
  for (const SliceId slice : pool_.retired()) keep_gravest(gravest, streams_.poll(pool_.at(slice).usage));
  sweep();
  return gravest;
}

DeviceResult<void> MemoryManager::cleanup(CleanupMode mode) {
  DeviceResult<void> gravest = poll_retired();
  keep_gravest(gravest,
               give_back(pool_.take_empty_pages(mode == CleanupMode::periodic ? EmptyPages::idle : EmptyPages::all)));
  return gravest;
}

DeviceResult<void> MemoryManager::release_all(Pages pages) {
  if (pages == Pages::given_back) return give_back(pool_.take_all_pages());
  pool_.forget_all_pages();
  return {};
}

DeviceResult<void> MemoryManager::give_back(const std::vector<DeviceAddress>& pages) {
  DeviceResult<void> gravest;
  bool out_of_memory = false;
  for (const DeviceAddress page : pages) {
    try {
      keep_gravest(gravest, storage_.give_back(page));
    } catch (const std::bad_alloc&) {
      out_of_memory = true;  // the other pages are nobody's either, and go back all the same
    }
  }
  if (out_of_memory && (gravest || !gravest.error().sticky)) throw std::bad_alloc();
  return gravest;
}

}  // namespace taintgraph::core
