// The traces of bugs once found, replayed before anything new is looked for.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "props/campaign.hpp"
#include "props/run_summary.hpp"

namespace taintgraph::props {

struct RegressionRun {
  std::uint64_t traces = 0;
  std::vector<RegressionFailure> failed;
};

// Every *.jsonl of the folder, by name: judged by the campaign's judge, validated and run twice, then held to what it
// expects, each in a child. The error says which file cannot be read and why; nothing has run then.
[[nodiscard]] tl::expected<RegressionRun, std::string> replay_regressions(const std::string& folder, Campaign& campaign,
                                                                          const std::function<bool()>& interrupted);

}  // namespace taintgraph::props
