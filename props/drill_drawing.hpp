// Draws programs that drill one thing: claims cut into hundreds of fragments, more skips of one failure than it keeps
// records of, graphs replayed while they still run.
//
// Programs drawn blindly do come there, but late: each of these needs many operations of one sort in a row, and its
// boundaries (a block of claims, the last record, the replay before) only show when it is pressed for a while.
#pragma once

#include <cstdint>

#include "props/random.hpp"
#include "traces/program.hpp"

namespace taintgraph::props {

// About `operations` long. Buffers and graphs have the names that all drawn programs use.
[[nodiscard]] traces::Program draw_drill(Random& random, std::uint64_t operations);

}  // namespace taintgraph::props
