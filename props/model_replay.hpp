// Replays a trace through the reference model alone, with no runtime and no driver, and compares with what the trace
// expects. This is how the model itself is checked: by traces whose answers were worked out by others, or by hand.
//
// Not checked, since the model knows nothing of them: `pages` and `bytes_in_use`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "traces/program.hpp"

namespace taintgraph::props {

// One line for each expectation that does not hold, in order; empty if all do. A fault of an operation's own is taken
// to fire once, at the first call that it strikes. Of an open answer the first one counts.
[[nodiscard]] std::vector<std::string> mismatches_of_model(const traces::Program& program);

// The same for a trace given as text: `device` is the header's device object, `operations` are lines. All mismatches in
// one string, empty if there are none. A text that is no good trace, or expects nothing, is a mismatch too.
[[nodiscard]] std::string mismatches_of_model(std::string_view operations, std::string_view device = "{}");

// How many expectations (a field each) the program states that mismatches_of_model() looks at.
[[nodiscard]] std::size_t expectations_in(const traces::Program& program);

}  // namespace taintgraph::props
