// The buffers of one runtime, found by id. An id outlives its buffer as a stale id: it is recognised, never reused
// (R4).
//
// A buffer with memory has a slice. One whose reservation failed, or that was lost in a reset, is *unallocated*: it has
// no slice but a reason, which it carries like an allocation carries a claim (W5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/handle.hpp"
#include "core/slice.hpp"

namespace taintgraph::core {

struct Buffer {
  BufferId id;
  std::uint64_t size_bytes = 0;
  SliceId slice = SliceId::none;  // none: unallocated, or of size 0
  FailureId reason;               // of an unallocated one
  Correlation correlation{};      // of its allocation
  std::uint32_t holds = 0;        // by recordings and graphs, each recorded range counting (G3)
  bool owned = false;             // by a handle; without one, only what holds it may still use it
  bool live = false;

  [[nodiscard]] bool unallocated() const { return static_cast<bool>(reason); }
};

class BufferTable {
 public:
  BufferTable() : drops_(std::make_shared<DropQueue>()) {}
  ~BufferTable() { drops_->close(); }
  BufferTable(const BufferTable&) = delete;
  BufferTable& operator=(const BufferTable&) = delete;

  // A new buffer, without memory yet, and its first owner.
  [[nodiscard]] Handle create(std::uint64_t size_bytes, Correlation correlation);

  // nullptr if the id is stale or never was one, or the buffer has no owner any more: a program may not use what it has
  // freed, whoever else still holds it. The pointer is good until the buffer is erased.
  [[nodiscard]] Buffer* find(BufferId id) {
    Buffer* const found = find_held(id);
    return found && found->owned ? found : nullptr;
  }
  // The same for whoever holds the buffer.
  [[nodiscard]] const Buffer* find_held(BufferId id) const { return const_cast<BufferTable*>(this)->find_held(id); }
  [[nodiscard]] Buffer* find_held(BufferId id) {
    if (id.slot() >= buffers_.size()) return nullptr;
    Buffer& found = *buffers_[id.slot()];
    return found.live && found.id == id ? &found : nullptr;
  }
  [[nodiscard]] const Buffer* find(BufferId id) const { return const_cast<BufferTable*>(this)->find(id); }

  // True if the handle was made by this table: an id means nothing to another.
  [[nodiscard]] bool owns(const Handle& handle) const { return handle.queue() == drops_.get(); }

  // Forgets a buffer; its id is stale from now on. Requires: it is in the table.
  void erase(BufferId id);

  // Calls visit(Buffer&) for each buffer whose last owner is gone, oldest drop first. The visitor erases it, or it
  // stays for those who hold it.
  template <class Visit>
  void drain_dropped(Visit&& visit) {
    drops_->drain([&](BufferId id) {
      Buffer* const dropped = find(id);
      if (!dropped) return;
      dropped->owned = false;
      visit(*dropped);
    });
  }
  [[nodiscard]] bool any_dropped() const { return !drops_->empty(); }

  [[nodiscard]] std::size_t size() const { return live_; }
  template <class Visit>
  void for_each(Visit&& visit) {
    for (const auto& each : buffers_)
      if (each->live) visit(*each);
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const auto& each : buffers_)
      if (each->live) visit(std::as_const(*each));
  }

 private:
  std::shared_ptr<DropQueue> drops_;
  std::vector<std::unique_ptr<Buffer>> buffers_;  // by slot; buffers stay where they are
  std::vector<std::uint32_t> free_slots_;
  std::size_t live_ = 0;
};

}  // namespace taintgraph::core
