#include "props/run_summary.hpp"

#include <algorithm>
#include <array>

#include "props/exit_status.hpp"
#include "props/failure_groups.hpp"
#include "props/progress_line.hpp"
#include "traces/replayer.hpp"

namespace taintgraph::props {

std::string_view to_string(RunEnd end) {
  constexpr std::array<std::string_view, 4> kNames = {"all run", "out of time", "stopped by failure", "interrupted"};
  return kNames[static_cast<std::size_t>(end)];
}

std::string cases_text(const RunSummary& summary) {
  std::string text = "cases from " + std::to_string(summary.first_case) + " on";
  if (summary.end_case) {
    text = "cases " + std::to_string(summary.first_case) + ".." + std::to_string(*summary.end_case);
  }
  if (summary.shard.count > 1) {
    text += ", shard " + std::to_string(summary.shard.index) + "/" + std::to_string(summary.shard.count);
  }
  return text;
}

std::optional<std::uint64_t> cases_wanted(const RunSummary& summary) {
  if (!summary.end_case) return std::nullopt;
  return CaseDeal(summary.first_case, summary.end_case, summary.shard).size();
}

std::vector<std::string> low_features_of(const RunSummary& summary) {
  std::vector<std::string> names;
  for (const Feature feature : below_floor(summary.totals.features, summary.totals.cases, summary.operations_option)) {
    names.emplace_back(feature_table()[static_cast<std::size_t>(feature)].name);
  }
  return names;
}

int status_of(const RunSummary& summary) {
  int status = kAllHeld;
  for (const RegressionFailure& each : summary.failed_regressions) status = worse(status, status_of(each.disagreement));
  for (const FailureSummary& each : summary.failures) {
    if (!each.known) status = worse(status, each.status);
  }
  if (!summary.low_features.empty() || summary.end == RunEnd::interrupted) status = worse(status, kInconclusive);
  return status;
}

std::string last_line(const RunSummary& summary, int status) {
  const Totals& totals = summary.totals;
  return std::string(status == kAllHeld ? "PASSED" : "FAILED") + " seed=" + std::to_string(summary.seed) +
         " cases=" + std::to_string(totals.cases) + " ops=" + std::to_string(totals.operations) +
         " faults=" + std::to_string(totals.faults) + " cells=" + std::to_string(totals.cells.count()) + "/" +
         std::to_string(cells_in_reach().size()) + " fingerprint=" + traces::fingerprint_text(totals.fingerprint) +
         " time=" + seconds_text(std::chrono::milliseconds(summary.milliseconds));
}

std::vector<std::string> inconclusive_reasons(const RunSummary& summary) {
  std::vector<std::string> reasons;
  if (summary.end == RunEnd::interrupted) {
    const std::optional<std::uint64_t> wanted = cases_wanted(summary);
    reasons.push_back("interrupted after " + std::to_string(summary.totals.cases) +
                      (wanted ? " of " + std::to_string(*wanted) : "") + " cases");
  }
  for (const std::string& name : summary.low_features) {
    reasons.push_back("too little of a feature in " + std::to_string(summary.totals.cases) + " cases: " + name);
  }
  for (const FailureSummary& each : summary.failures) {
    if (!each.known && each.status == kInconclusive)
      reasons.push_back("a hang in case " + std::to_string(each.first_case));
  }
  return reasons;
}

}  // namespace taintgraph::props
