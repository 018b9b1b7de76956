// A run's summary in the forms that continuous integration reads: JUnit XML, and GitHub's workflow commands.
#pragma once

#include <string>
#include <string_view>

#include "props/run_summary.hpp"

namespace taintgraph::props {

// One test suite: a test case for the cases of the run, one for the regression traces, and one a failure. A known
// failure is skipped, a hang or a lack of features an error.
[[nodiscard]] std::string junit_text(const RunSummary& summary);

// One line a failure that is not known, at most ten: GitHub shows no more of a step. `out` is the folder that the
// failures' own are in.
[[nodiscard]] std::string annotations_text(const RunSummary& summary, const std::string& out);

// Whether this process runs as a step of a GitHub workflow.
[[nodiscard]] bool on_github();

// Text as it stands between two tags or in an attribute. Characters that XML cannot have, and bytes that are not UTF-8,
// become the replacement character.
[[nodiscard]] std::string xml_escaped(std::string_view text);

}  // namespace taintgraph::props
