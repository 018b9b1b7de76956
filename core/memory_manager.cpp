#include "core/memory_manager.hpp"

#include <utility>

namespace taintgraph::core {

MemoryManager::MemoryManager(const PoolOptions& options, Storage& storage, StreamTable& streams, ErrorGraph& graph)
    : pool_(options, graph), storage_(storage), streams_(streams) {}

DeviceResult<SliceId> MemoryManager::reserve(std::uint64_t size_bytes, bool from_new_page) {
  if (!from_new_page) {
    sweep();
    if (const SliceId slice = pool_.take(size_bytes); slice != SliceId::none) return slice;
    if (!pool_.retired().empty()) {
      if (auto polled = poll_retired(); !polled) return tl::unexpected(std::move(polled.error()));
      if (const SliceId slice = pool_.take(size_bytes); slice != SliceId::none) return slice;
    }
  }
  auto slice = new_page(pool_.page_bytes(size_bytes), size_bytes);
  if (slice || slice.error().recovery != Recovery::retry) return slice;
  return reserve_again(size_bytes, from_new_page);
}

// Out of memory is the last word only once nothing can be done about it.
DeviceResult<SliceId> MemoryManager::reserve_again(std::uint64_t size_bytes, bool from_new_page) {
  while (!pool_.retired().empty()) {
    const SliceId oldest = pool_.retired().front();
    if (auto waited = streams_.wait_until_done(pool_.at(oldest).usage); !waited) {
      if (waited.error().sticky) return tl::unexpected(std::move(waited.error()));
      break;  // its memory stays retired; what is free already may do
    }
    sweep();
  }
  if (!from_new_page)
    if (const SliceId slice = pool_.take(size_bytes); slice != SliceId::none) return slice;
  if (auto given = give_back(pool_.take_empty_pages(false)); !given && given.error().sticky)
    return tl::unexpected(std::move(given.error()));
  auto slice = new_page(pool_.page_bytes(size_bytes), size_bytes);
  if (slice || slice.error().recovery != Recovery::retry) return slice;
  // A page of the usual size may be too much where one of just this size is not.
  const std::uint64_t least = pool_.slice_bytes(size_bytes);
  return least < pool_.page_bytes(size_bytes) ? new_page(least, size_bytes) : std::move(slice);
}

DeviceResult<SliceId> MemoryManager::new_page(std::uint64_t page_bytes, std::uint64_t size_bytes) {
  auto address = storage_.reserve(page_bytes);
  if (!address) return tl::unexpected(std::move(address.error()));
  return pool_.take_from_new_page(*address, page_bytes, size_bytes);
}

void MemoryManager::sweep() {
  const std::vector<SliceId>& retired = pool_.retired();
  for (std::size_t i = 0; i < retired.size();) {
    if (streams_.done(pool_.at(retired[i]).usage)) {
      pool_.free(retired[i]);  // takes it off the list
    } else {
      ++i;
    }
  }
}

// An error that is not sticky only means that nothing is known yet: the memory stays retired.
DeviceResult<void> MemoryManager::poll_retired() {
  for (const SliceId slice : pool_.retired())
    if (auto polled = streams_.poll(pool_.at(slice).usage); !polled && polled.error().sticky) return polled;
  sweep();
  return {};
}

DeviceResult<void> MemoryManager::cleanup(CleanupMode mode) {
  DeviceResult<void> polled = poll_retired();
  auto given = give_back(pool_.take_empty_pages(mode == CleanupMode::periodic));
  return polled ? given : polled;
}

DeviceResult<void> MemoryManager::release_all() { return give_back(pool_.take_all_pages()); }

DeviceResult<void> MemoryManager::give_back(const std::vector<DeviceAddress>& pages) {
  DeviceResult<void> first;
  for (const DeviceAddress page : pages) {
    auto given = storage_.give_back(page);
    if (!given && first) first = std::move(given);
  }
  return first;
}

}  // namespace taintgraph::core
