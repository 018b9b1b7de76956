// Buffers whose last owner is gone, waiting for their runtime to notice.
//
// Owners may be dropped on any thread and at any time, even after the runtime is gone; the runtime itself is used by
// one caller at a time. So the last owner only leaves a note here, and the runtime drains the notes at the start of
// each operation (C4). Leaving a note allocates nothing: the note is the buffer's own control block.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "core/ids.hpp"

namespace taintgraph::core {

class DropQueue;

namespace internal {

// What the owners of one buffer share. Freed by whoever takes it out of the queue, or by the last owner if the queue is
// closed.
struct BufferControl {
  std::atomic<std::uint32_t> owners{1};
  BufferId id;
  std::uint64_t size_bytes = 0;
  std::shared_ptr<DropQueue> queue;
  BufferControl* next = nullptr;
};

}  // namespace internal

class DropQueue {
 public:
  DropQueue() = default;
  DropQueue(const DropQueue&) = delete;
  DropQueue& operator=(const DropQueue&) = delete;
  ~DropQueue();

  // Takes over `control`, whose last owner is gone. Thread safe.
  void push(internal::BufferControl* control);

  [[nodiscard]] bool empty() const { return !waiting_.load(std::memory_order_acquire); }

  // Calls visit(BufferId) for each dropped buffer, in the order in which they were dropped, and forgets them.
  template <class Visit>
  void drain(Visit&& visit) {
    if (empty()) return;
    for (internal::BufferControl* each = take(); each;) {
      const std::unique_ptr<internal::BufferControl> owned(each);
      each = owned->next;
      visit(owned->id);
    }
  }

  // The runtime is gone: from now on, what is pushed is freed at once.
  void close();

 private:
  internal::BufferControl* take();

  std::mutex mutex_;
  internal::BufferControl* head_ = nullptr;  // oldest first
  internal::BufferControl* tail_ = nullptr;
  std::atomic<bool> waiting_{false};
  bool closed_ = false;
};

}  // namespace taintgraph::core
