// `fuzz --enumerate`: every small program (small_programs.hpp), with every single fault that it can meet
// (every_fault.hpp), in every order in which the device can run it (order_search.hpp), each judged like any other.
#pragma once

#include <iosfwd>

#include "props/determinism.hpp"
#include "props/failure_folder.hpp"
#include "props/fuzz_options.hpp"

namespace taintgraph::props {

// Runs them all on options.jobs workers and says what they came to; the last line of `out` begins with PASSED if the
// status is 0 and with FAILED otherwise. A program that fails is shrunk with the fault that it takes, and written to
// the folder `enumerate` in options.out; without options.keep_going it is the last.
//
// Returns 0 all held; 1 a property failed; 2 interrupted, or a hang; 3 a failure does not come again; 70 if a file
// could not be written.
[[nodiscard]] int enumerate(const FuzzOptions& options, const Judge& judge, std::ostream& out, std::ostream& err,
                            const GraphRenderer& render);

}  // namespace taintgraph::props
