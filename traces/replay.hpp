// The subcommand `replay`.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "traces/film.hpp"
#include "traces/snapshot.hpp"

namespace taintgraph::traces {

// Draws a snapshot; errors in words. Handed in, because this room may not look at the one that draws.
using SnapshotRenderer = std::function<tl::expected<std::string, std::string>(const Snapshot&)>;

struct ReplayRenderers {
  SnapshotRenderer svg;
  std::function<std::unique_ptr<Film>()> film;  // for a page
};

// argv[0] is "replay". Returns the exit code: 0 all held, 1 a mismatch or a finding, 2 interrupted, 64 usage or bad
// input, 70 an output that could not be written or a device that could not be made, 77 no GPU.
[[nodiscard]] int replay_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err,
                                 const ReplayRenderers& renderers);

}  // namespace taintgraph::traces
