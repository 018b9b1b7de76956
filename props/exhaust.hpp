// The subcommand `exhaust`: fail every driver call of a trace in turn, see fault_sweep.hpp.
#pragma once

#include <iosfwd>

namespace taintgraph::props {

// argv[0] is "exhaust". Returns the exit code: 0 all held, 1 a property failed, 2 interrupted, 64 usage or bad input,
// 70 an output that could not be written.
[[nodiscard]] int exhaust_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

}  // namespace taintgraph::props
