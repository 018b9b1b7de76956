// The subcommand `fuzz`: generate, run, check, shrink. With --enumerate it is enumeration.hpp's business.
#pragma once

#include <iosfwd>
#include <string>

#include "props/campaign.hpp"
#include "props/failure_folder.hpp"
#include "props/fuzz_options.hpp"

namespace taintgraph::props {

// What the program around it lends. Without `render` a failure leaves no picture, and says so.
struct FuzzHost {
  GraphRenderer render;
  std::string version;  // of the program, with its commit
};

// argv[0] is the subcommand's name. Results go to `out`, progress and errors to `err`; the last line of `out` begins
// with PASSED if the status is 0, and with FAILED for every other that a run ends with, its reasons above it.
//
// Returns 0 all held; 1 a property failed; 2 inconclusive (a hang, interrupted, or a feature below its floor); 3 two
// runs of one case differ; 64 a bad command line, list of known signatures or regression trace; 70 if a child process
// cannot be started or a file not be written; 77 if a real driver is wanted and there is none.
[[nodiscard]] int fuzz_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err,
                               const FuzzHost& host);

// The same once the command line is read, judging programs by `judge`.
[[nodiscard]] int fuzz(const FuzzOptions& options, const Judge& judge, std::ostream& out, std::ostream& err,
                       const GraphRenderer& render);

}  // namespace taintgraph::props
