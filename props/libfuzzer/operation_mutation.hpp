// Changes one operation of a program in one respect: its stream, a buffer, a range, a size, what it writes, its kernel,
// its deadline, its fault. What comes out is an operation that a trace file may hold, though it may well be rejected
// when it runs.
#pragma once

#include <cstddef>

#include "props/random.hpp"
#include "traces/program.hpp"

namespace taintgraph::props {

// Changes operation `index` of `program`; now and then nothing, where what is drawn is what was there.
// Requires: there is such an operation.
void mutate_operation(Random& random, traces::Program& program, std::size_t index);

}  // namespace taintgraph::props
