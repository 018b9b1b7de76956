// A program without what it says of itself: names, notes, expectations, assertions, the order in which its work once
// ran, its end. Such words are about one program only, and are wrong of every other that is made from it.
//
// The faults that are on record as having struck single calls stay: they are part of what happens.
#pragma once

#include "traces/program.hpp"

namespace taintgraph::props {

// A `check` stays, and asserts nothing.
void make_bare(traces::Program& program);

}  // namespace taintgraph::props
