// Owners of buffers.
//
// A Handle owns a buffer: the buffer lives while any copy of it does. A Binding is a Handle and a byte range, for
// whoever must keep bytes alive and not only name them (a view). Operations take neither: they take WeakBindings, which
// cost nothing and are checked.
//
// Copying, moving and dropping are thread safe, as with std::shared_ptr; a buffer whose last owner goes is freed by its
// runtime at the start of that runtime's next operation.
#pragma once

#include <utility>

#include "core/binding.hpp"
#include "core/drop_queue.hpp"

namespace taintgraph::core {

class Handle {
 public:
  Handle() = default;
  // Takes over the one owner that a new control block counts.
  explicit Handle(internal::BufferControl* control) : control_(control) {}
  Handle(const Handle& other) : control_(other.control_) {
    if (control_) control_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  Handle(Handle&& other) noexcept : control_(std::exchange(other.control_, nullptr)) {}
  Handle& operator=(Handle other) noexcept {
    std::swap(control_, other.control_);
    return *this;
  }
  ~Handle() { drop(); }

  // Gives up this ownership; the handle is empty afterwards.
  void drop() {
    internal::BufferControl* const control = std::exchange(control_, nullptr);
    if (control && control->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) control->queue->push(control);
  }

  [[nodiscard]] explicit operator bool() const { return control_ != nullptr; }
  // Of an empty handle: no id, which every operation rejects; and zero.
  [[nodiscard]] BufferId id() const { return control_ ? control_->id : BufferId(); }
  [[nodiscard]] std::uint64_t size_bytes() const { return control_ ? control_->size_bytes : 0; }

  // Whom the last owner tells; nullptr for an empty handle.
  [[nodiscard]] const DropQueue* queue() const { return control_ ? control_->queue.get() : nullptr; }

  [[nodiscard]] WeakBinding weak() const { return {id(), {0, size_bytes()}}; }
  [[nodiscard]] WeakBinding weak(ByteRange range) const { return {id(), range}; }

 private:
  internal::BufferControl* control_ = nullptr;
};

struct Binding {
  Handle handle;
  ByteRange range;

  [[nodiscard]] WeakBinding weak() const { return handle.weak(range); }
};

}  // namespace taintgraph::core
