// A list that only grows and whose elements never move: a std::deque whose blocks hold a power of two, so that finding
// an element is a shift and two loads whatever its size.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace taintgraph::core::internal {

template <class T>
class BlockList {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }

  // Requires: at < size().
  [[nodiscard]] T& operator[](std::size_t at) { return (*blocks_[at / kBlock])[at % kBlock]; }
  [[nodiscard]] const T& operator[](std::size_t at) const { return (*blocks_[at / kBlock])[at % kBlock]; }

  // Calls visit(index, element) for each, first to last. A visitor adds none.
  template <class Visit>
  void for_each(Visit&& visit) {
    std::size_t at = 0;
    for (const std::unique_ptr<Block>& block : blocks_)
      for (T *each = block->data(), *const end = each + std::min(kBlock, size_ - at); each != end;)
        visit(at++, *each++);
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    const_cast<BlockList*>(this)->for_each([&](std::size_t at, const T& each) { visit(at, each); });
  }

  // One more, default-constructed. Throws std::bad_alloc; nothing has changed then.
  T& add() {
    if (size_ == blocks_.size() * kBlock) blocks_.push_back(std::make_unique<Block>());
    return (*this)[size_++];
  }

 private:
  static constexpr std::size_t kBlock = 8;  // few: most lists stay short
  using Block = std::array<T, kBlock>;

  std::vector<std::unique_ptr<Block>> blocks_;
  std::size_t size_ = 0;
};

}  // namespace taintgraph::core::internal
