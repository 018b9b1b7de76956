// The subcommand `conform`: a real driver against the simulated one.
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>
#include <vector>

#include "props/conform/rig.hpp"

namespace taintgraph::props {

struct ConformOptions {
  int device = 0;
  std::vector<std::string> traces;
  std::string output;                       // of the transcript; empty: none
  std::string compare;                      // a kept transcript, in place of a real driver
  std::chrono::milliseconds limit{60'000};  // for one probe or trace
};

// argv[0] is "conform". Returns 0 if both drivers do what is expected; 1 if one does not; 64 usage or bad input; 70 an
// output that could not be written; 77 no GPU, when nothing is written: the simulated driver compared with itself would
// prove nothing.
[[nodiscard]] int conform_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

// The same once the command line is read. `real` stands for the real driver.
[[nodiscard]] int conform(const ConformOptions& options, const RigMaker& real, std::ostream& out, std::ostream& err);

}  // namespace taintgraph::props
