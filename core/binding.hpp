// A WeakBinding says which bytes of which buffer an operation means. It owns nothing: when the buffer is gone the
// binding is stale, and an operation that is given it is rejected (R4).
//
// The owning relatives, Handle (a buffer) and Binding (a buffer and a byte range), are in handle.hpp.
#pragma once

#include "core/byte_range.hpp"
#include "core/ids.hpp"

namespace taintgraph::core {

struct WeakBinding {
  BufferId buffer;
  ByteRange range;

  friend constexpr bool operator==(const WeakBinding&, const WeakBinding&) = default;
};

}  // namespace taintgraph::core
