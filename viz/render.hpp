// The subcommand `render`: runs a trace up to one operation and draws the failure graph as it is then.
#pragma once

#include <iosfwd>

namespace taintgraph::viz {

// argv[0] is "render". Output is written whole or not at all. Returns the exit code: 0 drawn, 64 usage or bad input, 70
// an output that could not be written, `dot` missing or failing, or a device that could not be made.
[[nodiscard]] int render_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

}  // namespace taintgraph::viz
