// A run's summary as JSON, written and read back: what --json gives, and what shards leave for merge.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "props/run_summary.hpp"

namespace taintgraph::props {

inline constexpr std::string_view kSummaryFormat = "taintgraph-fuzz-summary";
inline constexpr std::uint64_t kSummaryVersion = 1;

// One object, keys in a fixed order, with an end of line.
[[nodiscard]] std::string summary_json(const RunSummary& summary);

// The same summary, from such text. Each field is checked for its type and range, and whether they fit: the end and the
// status that the summary claims must follow from the rest. The error names the field and says what is wrong with it.
[[nodiscard]] tl::expected<RunSummary, std::string> parse_summary(std::string_view text);

// "summary.json", or with the shard in it: several shards may leave theirs in one folder.
[[nodiscard]] std::string summary_file_name(const Shard& shard);

}  // namespace taintgraph::props
