#include "core/drop_queue.hpp"

#include <utility>

namespace taintgraph::core {

DropQueue::~DropQueue() {
  drain([](BufferId) {});
}

void DropQueue::push(internal::BufferControl* control) {
  // The control block may hold the last reference to this queue; it must outlive the lock.
  const std::shared_ptr<DropQueue> alive = std::move(control->queue);
  const std::lock_guard lock(mutex_);
  if (closed_) {
    delete control;
    return;
  }
  control->next = nullptr;
  (tail_ ? tail_->next : head_) = control;
  tail_ = control;
  waiting_.store(true, std::memory_order_release);
}

internal::BufferControl* DropQueue::take() {
  const std::lock_guard lock(mutex_);
  tail_ = nullptr;
  waiting_.store(false, std::memory_order_release);
  return std::exchange(head_, nullptr);
}

void DropQueue::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  drain([](BufferId) {});
}

}  // namespace taintgraph::core
