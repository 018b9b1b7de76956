// Changes a program on the level of its operations: leaves some out, repeats them, exchanges them, puts freshly drawn
// ones between them, changes one in some respect, or changes the device.
//
// What comes out need not be a good trace file yet: a buffer may have lost its reservation.
#pragma once

#include "props/random.hpp"
#include "traces/program.hpp"

namespace taintgraph::props {

// One change, small or large.
void mutate_program(Random& random, traces::Program& program);

// A program to begin with, where there is none: the generator's, of some ten operations.
[[nodiscard]] traces::Program draw_small_program(Random& random);

}  // namespace taintgraph::props
