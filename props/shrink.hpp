// Makes a failing program small: the one shrinker for the fuzz engine, for RapidCheck and for traces given by hand.
//
// It works on plain programs and knows neither runtime nor model; what "fails the same way" means is the caller's test.
// First whole groups of operations are dropped, then chunks from large to small, then each operation is simplified. The
// result fails the test, always: the last program that did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "traces/program.hpp"

namespace taintgraph::props {

// Runs a program. If it fails in the way looked for: how many of its operations that took (the rest is cut off), at
// most all of them. Otherwise nothing.
using FailureTest = std::function<std::optional<std::size_t>(const traces::Program&)>;

struct ShrinkOptions {
  std::uint64_t max_runs = 3000;      // of the test
  std::function<bool()> interrupted;  // asked before each run; may be empty
};

struct Shrunk {
  traces::Program program;
  std::uint64_t runs = 0;  // of the test
  bool finished = false;   // nothing left to try; false if the runs ended or it was interrupted
};

// Requires: `program` fails the test, and `needed` is what the test said of it.
[[nodiscard]] Shrunk shrink(const traces::Program& program, std::size_t needed, const FailureTest& test,
                            const ShrinkOptions& options);

}  // namespace taintgraph::props
