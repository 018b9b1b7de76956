#include "core/memory_manager.hpp"

#include <new>
#include <utility>

namespace taintgraph::core {

MemoryManager::MemoryManager(const PoolOptions& options, Storage& storage, StreamTable& streams, ErrorGraph& graph)
    : pool_(options, graph), storage_(storage), streams_(streams) {}

DeviceResult<SliceId> MemoryManager::reserve(std::uint64_t size_bytes, ReserveFrom from) {
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
  while (!pool_.retired().empty()) {
    const SliceId oldest = pool_.retired().front();
    if (auto waited = streams_.wait_until_done(pool_.at(oldest).usage); !waited) {
      if (waited.error().sticky) return tl::unexpected(std::move(waited.error()));
      break;  // its memory stays retired; what is free already may do
    }
    sweep();
  }
  if (from == ReserveFrom::pool)
    if (const SliceId slice = pool_.take(size_bytes); slice != SliceId::none) return slice;
  if (auto given = give_back(pool_.take_empty_pages(EmptyPages::all)); !given && given.error().sticky)
    return tl::unexpected(std::move(given.error()));
  return new_page(pool_.slice_bytes(size_bytes), size_bytes);  // one try, and no byte more than is needed
}

DeviceResult<SliceId> MemoryManager::new_page(std::uint64_t page_bytes, std::uint64_t size_bytes) {
  auto address = storage_.reserve(page_bytes);
  if (!address) return tl::unexpected(std::move(address.error()));
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
  const std::vector<DeviceAddress> all = pool_.take_all_pages();
  return pages == Pages::given_back ? give_back(all) : DeviceResult<void>{};
}

DeviceResult<void> MemoryManager::give_back(const std::vector<DeviceAddress>& pages) {
  DeviceResult<void> gravest;
  for (const DeviceAddress page : pages) keep_gravest(gravest, storage_.give_back(page));
  return gravest;
}

}  // namespace taintgraph::core
