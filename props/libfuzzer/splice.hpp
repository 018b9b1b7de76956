// Operations of one program put into another. Handles are names, and so is everything else that operations share, so
// splicing is naming: which of the other program's buffers and graphs are to be whose.
#pragma once

#include <cstddef>

#include "props/random.hpp"
#include "traces/program.hpp"

namespace taintgraph::props {

// Puts operations [begin, end) of `from` into `into`, before operation `at`. Each buffer and each graph keeps its name
// or, by a draw, stands for one that `into` mentions: the same one wherever it occurs. An id that `into` has already is
// dropped.
// Requires: begin <= end <= from's operations, at <= into's operations.
void splice(Random& random, traces::Program& into, std::size_t at, const traces::Program& from, std::size_t begin,
            std::size_t end);

}  // namespace taintgraph::props
