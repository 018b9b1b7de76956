// The subcommand `shrink`: a trace that fails, made as small as it goes while it fails in the same way.
#pragma once

#include <iosfwd>

#include "props/determinism.hpp"

namespace taintgraph::props {

// argv[0] is the subcommand's name. A trace fails if an expectation of its own does not hold, or else if runtime and
// model disagree over it. Of the expectations only the one that failed is kept; for a disagreement the result expects
// what the model says. The trace goes to `out` or to a file, what is said about it to `err`.
//
// Returns 0 if it was made as small as it goes; 2 if that was interrupted (the smallest so far is written all the
// same); 3 if the failure does not come again; 64 for a bad command line or trace, or one that does not fail; 70 if the
// result cannot be written.
[[nodiscard]] int shrink_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

// The same with `judge` in the model's place.
[[nodiscard]] int shrink_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err,
                                 const Judge& judge);

}  // namespace taintgraph::props
