// Runs a program and holds it to what it says of itself: `expect`, `check` and the closing fingerprint, with no model.
#pragma once

#include "props/checker.hpp"

namespace taintgraph::props {

// As check(), but the disagreement is the first expectation that does not hold, its property "expect" and what of it.
// Counts operations and fingerprint only.
[[nodiscard]] CheckedRun judge_expectations(const traces::Program& program, const CheckOptions& options);

}  // namespace taintgraph::props
