// What a drawn program must be on a real driver.
#pragma once

#include "traces/program.hpp"

namespace taintgraph::props {

// The same program without what hardware cannot do, or not at a time that the model knows: a call that leaves a part of
// its work done does none of it, and a kernel that faults for real becomes one that does nothing and is struck by the
// same error. So no real error outlives its case either, and a child process can go on with the next one.
void give_hardware_form(traces::Program& program);

}  // namespace taintgraph::props
