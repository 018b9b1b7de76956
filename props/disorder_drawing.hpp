// Draws programs that drill disorder: work that cannot be put in order behind a fault that has not surfaced or a hang,
// so that nobody knows for certain what came after it.
//
// An order is lost only where recording, waiting for the event and waiting for the stream all fail, and what then was
// behind what shows only when the loss comes to light; programs drawn blindly seldom bring all of it together.
#pragma once

#include <cstdint>

#include "props/random.hpp"
#include "traces/program.hpp"

namespace taintgraph::props {

// At most `operations` long. Buffers and graphs have the names that all drawn programs use.
[[nodiscard]] traces::Program draw_disorder(Random& random, std::uint64_t operations);

}  // namespace taintgraph::props
