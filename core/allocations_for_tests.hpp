// For tests: counts what a program allocates on the heap, aligned or not, and lets it run out.
//
// Replaces the global operators, so it is included in one file of a program and in no other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

// So far.
inline std::size_t allocations = 0;
// How many more succeed; negative: all.
inline std::int64_t allocations_left = -1;

inline void count_allocation() {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  ++allocations;
}

void* operator new(std::size_t size) {
  count_allocation();
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  count_allocation();
  const auto aligned = static_cast<std::size_t>(alignment);  // aligned_alloc takes whole multiples of it only
  if (void* memory = std::aligned_alloc(aligned, (size + aligned - 1) / aligned * aligned)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
