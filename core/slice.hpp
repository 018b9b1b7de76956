// A slice: one contiguous piece of a page, and everything that belongs to those bytes rather than to whoever names
// them.
#pragma once

#include <cstdint>

#include "core/ids.hpp"
#include "core/taint.hpp"
#include "core/usage.hpp"

namespace taintgraph::core {

enum class SliceId : std::uint32_t { none = 0xFFFFFFFF };
enum class PageId : std::uint32_t { none = 0xFFFFFFFF };

enum class SliceState : std::uint8_t {
  tombstone,  // not a slice any more (coalesced away, or its page given back); the id waits to be used again
  free,       // nobody's, and every stream is done with it
  live,       // a buffer's
  retired,    // its buffer is gone, streams may still use it; claims may still be on it until it is shed (C4)
};

struct Slice {
  Taint taint;  // offsets relative to the slice
  Usage usage;
  std::uint64_t offset = 0;  // in its page, bytes
  std::uint64_t size_bytes = 0;
  PageId page = PageId::none;
  SliceId before = SliceId::none;  // neighbours in the page, by address
  SliceId after = SliceId::none;
  BufferId buffer;  // of a live one
  SliceState state = SliceState::tombstone;
};

}  // namespace taintgraph::core
