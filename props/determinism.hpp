// Runs a program twice and holds the second run against the first, step by step: equal seeds are to give equal runs.
#pragma once

#include "props/checker.hpp"

namespace taintgraph::props {

// What runs a program and says whether all held: check(), unless a test puts a failure in.
using Judge = std::function<CheckedRun(const traces::Program&, const CheckOptions&)>;

// The first run. Where the second one parts from it, that is the disagreement: the first step that differs is named.
// `make` is asked for the program each time, so that drawing it is held to the same.
[[nodiscard]] CheckedRun judge_twice(const Judge& judge, const std::function<traces::Program()>& make,
                                     const CheckOptions& options);

}  // namespace taintgraph::props
