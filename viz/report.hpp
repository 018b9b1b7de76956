// A Snapshot as plain text: who failed, what carries it, and by which way.
//
// Bounded, whatever the snapshot holds: at most kMaxReportFailures failures, each with a bounded number of lines; what
// is left out is counted. Nothing in it is recursive (R2).
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "traces/snapshot.hpp"

namespace taintgraph::viz {

inline constexpr std::size_t kMaxReportFailures = 50;
inline constexpr std::size_t kMaxReportCarriers = 16;  // of one failure
inline constexpr std::size_t kMaxReportPieces = 8;     // of one carrier
inline constexpr std::size_t kMaxReportHops = 16;      // of one chain: as many as a failure keeps records

// `focus`: only the failures that touch a buffer of this name.
[[nodiscard]] std::string report_text(const traces::Snapshot& snapshot, const std::optional<std::string>& focus = {});

}  // namespace taintgraph::viz
