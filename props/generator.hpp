// Draws whole programs: from one seed and a case number, a device and some operations on it.
//
// Handles are stable: an operation names a buffer slot, "b0" to "b7", whether or not it is alive then, so every
// subsequence of a program is a program. What comes out of a seed and a number is the same everywhere and depends on
// nothing else. Drawing costs well under a microsecond an operation.
#pragma once

#include <cstdint>

#include "props/random.hpp"
#include "traces/program.hpp"

namespace taintgraph::props {

struct GeneratorOptions {
  std::uint32_t operations = 40;  // about so many a case: from half to one and a half times
};

[[nodiscard]] traces::Program generate(Random& random, const GeneratorOptions& options);

// The program of case `case_number` under `seed`.
[[nodiscard]] traces::Program generate(std::uint64_t seed, std::uint64_t case_number, const GeneratorOptions& options);

}  // namespace taintgraph::props
