#include "core/buffer_table.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace taintgraph::core {
namespace {

// Slots that there is room for from the first one on.
constexpr std::size_t kFirstSlots = 16;

}  // namespace

Handle BufferTable::create(std::uint64_t size_bytes, Correlation correlation) {
  auto control = std::make_unique<internal::BufferControl>();
  if (free_slots_.empty()) {
    if (free_slots_.capacity() <= buffers_.size()) {
      const std::size_t slots = std::max(2 * buffers_.size(), kFirstSlots);
      buffers_.reserve(slots);
      free_slots_.reserve(slots);
    }
    buffers_.push_back(std::make_unique<Buffer>());
    free_slots_.push_back(static_cast<std::uint32_t>(buffers_.size() - 1));
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();

  Buffer& fresh = *buffers_[slot];
  fresh = Buffer{.id = BufferId(slot, fresh.id.generation() + 1),
                 .size_bytes = size_bytes,
                 .slice = SliceId::none,
                 .reason = FailureId(),
                 .correlation = correlation,
                 .holds = 0,
                 .owned = true,
                 .live = true};
  ++live_;
  control->id = fresh.id;
  control->size_bytes = size_bytes;
  control->queue = drops_;
  return Handle(control.release());
}

void BufferTable::erase(BufferId id) {
  Buffer* const gone = find_held(id);
  TAINTGRAPH_CHECK(gone, "erase: a live buffer");
  gone->live = false;
  gone->slice = SliceId::none;
  gone->reason = FailureId();
  --live_;
  // A slot whose generations are used up is never used again: an id must not come back (R4).
  if (id.generation() != UINT32_MAX) free_slots_.push_back(id.slot());
}

}  // namespace taintgraph::core
