// Gives one operation a fault, takes it away, or changes when and how it strikes: beyond what the generator draws, any
// failure that a trace may put on it.
#pragma once

#include "props/random.hpp"
#include "traces/operation.hpp"

namespace taintgraph::props {

// False, and nothing changed, if no fault may stand on an operation of this kind.
bool mutate_fault(Random& random, traces::Operation& operation);

}  // namespace taintgraph::props
