#include "props/summary_merge.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "props/exit_status.hpp"

namespace taintgraph::props {
namespace {

std::string shard_text(std::uint64_t index, std::uint64_t count) {
  return "shard " + std::to_string(index) + "/" + std::to_string(count);
}

// What of two summaries says that they are of different runs; empty if nothing does.
std::string difference(const RunSummary& a, const RunSummary& b) {
  const auto differ = [](const std::string& what, const std::string& x, const std::string& y) {
    return x == y ? std::string() : what + " differs: " + x + " and " + y;
  };
  const auto end_text = [](const RunSummary& each) {
    return each.end_case ? std::to_string(*each.end_case) : std::string("none");
  };
  for (std::string text :
       {differ("the seed", std::to_string(a.seed), std::to_string(b.seed)), differ("the program", a.version, b.version),
        differ("the driver", a.backend, b.backend),
        differ("--ops", std::to_string(a.operations_option), std::to_string(b.operations_option)),
        differ("the first case", std::to_string(a.first_case), std::to_string(b.first_case)),
        differ("the end of the cases", end_text(a), end_text(b)),
        differ("the number of shards", std::to_string(a.shard.count), std::to_string(b.shard.count))}) {
    if (!text.empty()) return text;
  }
  return {};
}

// Why these are not all the shards of one run; empty if they are. Requires: in the order of their shards, at least one.
std::string complaint(const std::vector<RunSummary>& shards) {
  for (const RunSummary& each : shards) {
    if (std::string text = difference(shards.front(), each); !text.empty()) return text;
  }
  const std::uint64_t count = shards.front().shard.count;
  std::uint64_t expected = 1;
  std::string missing;
  std::uint64_t more = 0;
  const auto miss_up_to = [&](std::uint64_t end) {
    if (expected < end && missing.empty()) missing = shard_text(expected++, count);
    if (expected < end) more += end - expected;
  };
  for (const RunSummary& each : shards) {
    if (each.shard.index < expected) return shard_text(each.shard.index, count) + " is there twice";
    miss_up_to(each.shard.index);
    expected = each.shard.index + 1;
  }
  miss_up_to(count + 1);
  if (missing.empty()) return "";
  return missing + (more == 0 ? " is missing" : " and " + std::to_string(more) + " more are missing");
}

void join(FailureSummary& kept, FailureSummary other) {
  const std::uint64_t cases = kept.cases + other.cases;
  const std::uint64_t first_case = std::min(kept.first_case, other.first_case);
  const bool known = kept.known && other.known;
  const int status = worse(kept.status, other.status);
  const auto rank = [](const FailureSummary& each) {
    return std::tuple(each.folder.empty(), each.command.empty(), each.shrunk_operations, each.disagreement.step,
                      each.shortest_case);
  };
  if (rank(other) < rank(kept)) kept = std::move(other);
  kept.cases = cases;
  kept.first_case = first_case;
  kept.known = known;
  kept.status = status;
}

std::vector<FailureSummary> join_failures(std::vector<RunSummary>& shards) {
  std::map<std::string, FailureSummary> by_signature;
  for (RunSummary& shard : shards) {
    for (FailureSummary& each : shard.failures) {
      const auto at = by_signature.find(each.signature);
      if (at == by_signature.end()) {
        by_signature.emplace(each.signature, std::move(each));
      } else {
        join(at->second, std::move(each));
      }
    }
  }
  std::vector<FailureSummary> failures;
  failures.reserve(by_signature.size());
  for (auto& [signature, failure] : by_signature) failures.push_back(std::move(failure));
  std::stable_sort(failures.begin(), failures.end(),
                   [](const FailureSummary& a, const FailureSummary& b) { return a.first_case < b.first_case; });
  return failures;
}

// The end that leaves most unsaid.
RunEnd end_of(const std::vector<RunSummary>& shards) {
  RunEnd end = RunEnd::all_run;
  for (const RunSummary& each : shards) end = std::max(end, each.end);
  return end;
}

}  // namespace

tl::expected<RunSummary, std::string> join(std::vector<RunSummary> shards) {
  if (shards.empty()) return tl::make_unexpected(std::string("there is nothing to join"));
  std::sort(shards.begin(), shards.end(),
            [](const RunSummary& a, const RunSummary& b) { return a.shard.index < b.shard.index; });
  if (std::string why = complaint(shards); !why.empty()) return tl::make_unexpected(std::move(why));
  RunSummary whole = shards.front();
  whole.shard = {};
  whole.end = end_of(shards);
  whole.totals = {};
  whole.failed_regressions.clear();
  std::set<std::string> failed;
  for (const RunSummary& shard : shards) {
    whole.totals.add(shard.totals);
    whole.milliseconds = std::max(whole.milliseconds, shard.milliseconds);
    whole.regressions = std::max(whole.regressions, shard.regressions);
    for (const RegressionFailure& each : shard.failed_regressions) {
      if (failed.insert(each.path).second) whole.failed_regressions.push_back(each);
    }
  }
  whole.failures = join_failures(shards);
  whole.low_features.clear();
  const bool all_seen = whole.end == RunEnd::all_run || whole.end == RunEnd::out_of_time;
  if (all_seen && whole.backend == "sim") whole.low_features = low_features_of(whole);
  whole.status = status_of(whole);
  return whole;
}

}  // namespace taintgraph::props
