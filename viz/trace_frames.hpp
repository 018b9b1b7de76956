// The moments of a trace worth drawing: what its failure graph is after one operation, and how it came to be so.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "traces/program.hpp"
#include "viz/html.hpp"

namespace taintgraph::viz {

// Runs `program` up to operation `at` (its last if none is given) and returns the frames, oldest first; the last one is
// the state after `at`. With `steps`, there is one frame for every operation after which the picture, drawn with those
// options, is another one: the newest kMaxFrames of them, from among the last traces::kFilmedOperations. Without, there
// is one frame. Requires: `at` is not beyond the program's end. Throws std::runtime_error if the simulated device
// cannot be made.
[[nodiscard]] std::vector<HtmlFrame> run_to(const traces::Program& program, std::optional<std::uint64_t> at,
                                            const std::optional<DotOptions>& steps = {});

}  // namespace taintgraph::viz
