// Joins the summaries of shards into the one that a single run over all their cases would have given.
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "props/run_summary.hpp"

namespace taintgraph::props {

// In whatever order they come. Folders of failures are taken as they are; of shards that met the same failure, the one
// that shrunk it furthest gives it. The error says why they are not the shards of one run: one is missing, there twice,
// or of another run (another seed, range, number of operations, program or driver).
[[nodiscard]] tl::expected<RunSummary, std::string> join(std::vector<RunSummary> shards);

}  // namespace taintgraph::props
