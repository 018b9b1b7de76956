// What memory holds before anybody wrote it: bytes that are drawn from the seed, differ from one allocation to the next
// and look like nothing, so that a stale read is seen as wrong bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "sim/seeded_draw.hpp"

namespace taintgraph::sim {

// Fills `bytes`, which lie at `offset` of the allocation numbered `serial`. Requires: offset is a multiple of 8.
inline void fill_with_garbage(std::span<std::byte> bytes, std::uint64_t seed, Draw purpose, std::uint64_t serial,
                              std::uint64_t offset) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  const std::uint64_t base = draw(seed, purpose, serial) + offset;
  std::size_t at = 0;
  for (; at + kWord <= bytes.size(); at += kWord) {
    const std::uint64_t word = spread(base + at);
    std::memcpy(bytes.data() + at, &word, kWord);
  }
  if (at == bytes.size()) return;
  const std::uint64_t word = spread(base + at);
  std::memcpy(bytes.data() + at, &word, bytes.size() - at);
}

}  // namespace taintgraph::sim
