// Draws programs that drill hangs: waits too short for work that is merely slow, work that never ends and what comes
// to stand behind it, and the loss of the device that ends it.
//
// What hangs stays so until a loss and a reset, in this order; programs drawn blindly seldom bring all of it together.
#pragma once

#include <cstdint>

#include "props/random.hpp"
#include "traces/program.hpp"

namespace taintgraph::props {

// At most `operations` long. Buffers and graphs have the names that all drawn programs use; not all that are used need
// be allocated.
[[nodiscard]] traces::Program draw_hang(Random& random, std::uint64_t operations);

}  // namespace taintgraph::props
