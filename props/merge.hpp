// The subcommand `merge`: joins what the shards of a run left in their folders.
#pragma once

#include <iosfwd>

namespace taintgraph::props {

// argv[0] is the subcommand's name. Returns what one run over all the cases would have returned, or 64 if the folders
// do not hold all the shards of one run, each once; 70 if something could not be written.
[[nodiscard]] int merge_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

}  // namespace taintgraph::props
