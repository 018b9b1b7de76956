// The subcommand `fuzz`: generate, run, check, shrink.
#pragma once

#include <iosfwd>

#include "props/campaign.hpp"
#include "props/failure_folder.hpp"
#include "props/fuzz_options.hpp"

namespace taintgraph::props {

// argv[0] is the subcommand's name. Results go to `out`, progress and errors to `err`. Without `render` a failure
// leaves no picture, and says so.
//
// Returns 0 all held; 1 a property failed; 2 inconclusive (a hang, no time for a single case, or a feature below its
// floor); 3 a case that failed did not fail again; 64 a bad command line; 70 if a child process cannot be started; 77
// if a real driver is wanted and there is none.
[[nodiscard]] int fuzz_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err,
                               const GraphRenderer& render);

// The same once the command line is read, judging programs by `judge`.
[[nodiscard]] int fuzz(const FuzzOptions& options, const Judge& judge, std::ostream& out, std::ostream& err,
                       const GraphRenderer& render);

}  // namespace taintgraph::props
