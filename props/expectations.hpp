// Writes the model's predictions into a program as `expect`, so that it can be judged later by a replay that has no
// model.
#pragma once

#include <span>

#include "props/prediction.hpp"
#include "traces/program.hpp"

namespace taintgraph::props {

// `predictions`: of the first operations, in order; the rest get none. What a prediction leaves open is not expected.
[[nodiscard]] traces::Program with_expectations(traces::Program program, std::span<const Prediction> predictions);

}  // namespace taintgraph::props
