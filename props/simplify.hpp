// Simpler versions of one operation, of a header and of a whole program: the steps that the shrinker tries after it has
// dropped what it can.
//
// Every step leads to something strictly simpler in a fixed order (no fault before a fault, the whole buffer before a
// range, small numbers before large, `noop` before other kernels), so that no sequence of steps comes back to where it
// was. A step knows nothing of why a program fails: whoever takes it asks again.
#pragma once

#include <cstdint>
#include <vector>

#include "traces/program.hpp"

namespace taintgraph::props {

// Boldest first; empty if the operation cannot be made simpler.
[[nodiscard]] std::vector<traces::Operation> simpler_operations(const traces::Operation& operation);

// Boldest first: everything at its default, then one field at a time.
[[nodiscard]] std::vector<traces::Header> simpler_headers(const traces::Header& header);

// Steps that change many operations together, because lengths in one must go on fitting those in others: all buffers
// of one size and all ranges whole; distances between the edges of ranges shrunk to one byte each; one buffer smaller;
// and no ids.
[[nodiscard]] std::vector<traces::Program> simpler_programs(const traces::Program& program);

// The same program with its buffers named b0, b1 ... and its graphs g0, g1 ... in the order of their first use. Not
// simpler, only easier to read.
[[nodiscard]] traces::Program with_plain_names(const traces::Program& program);

}  // namespace taintgraph::props
