// Draws programs that aim: at single cells of the coverage matrix, in a scene that is set for them.
//
// Most cells come up by themselves in programs drawn blindly; some calls are rare, in some contexts very rare. An aimed
// program brings the context into a state, opens a capture or not, and then makes one call after another fail.
#pragma once

#include <cstdint>

#include "props/random.hpp"
#include "traces/program.hpp"

namespace taintgraph::props {

// About `operations` long. Buffers and graphs have the names that all drawn programs use.
[[nodiscard]] traces::Program draw_aimed(Random& random, std::uint64_t operations);

}  // namespace taintgraph::props
