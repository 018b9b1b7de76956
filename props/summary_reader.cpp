// parse_summary: a shard's summary read back. It comes from another machine, by way of whatever carries files, and what
// it says decides whether the whole run has passed; so each field is checked by itself, and then whether they fit.
#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>

#include "props/exit_status.hpp"
#include "props/failure_groups.hpp"
#include "props/fuzz_options.hpp"
#include "props/json_field.hpp"
#include "props/summary_json.hpp"

namespace taintgraph::props {
namespace {

constexpr std::uint64_t kMostMilliseconds = std::numeric_limits<std::int64_t>::max();

traces::OpKind kind_of(const JsonField& field, const std::string& name) {
  const auto kind = traces::op_from_string(name);
  if (!kind) field.refuse("is about no kind of operation: " + name);
  return *kind;
}

Disagreement disagreement_of(const JsonField& json) {
  Disagreement result;
  result.property = json.at("property").text();
  result.step = json.at("step").whole();
  result.kind = kind_of(json.at("kind"), json.at("kind").text());
  result.operation = json.at("operation").text();
  result.expected = json.at("expected").text();
  result.found = json.at("found").text();
  return result;
}

// A folder below the one that the summary lies in, since merge copies from there; or none.
std::string folder_of(const JsonField& json) {
  std::string folder = json.text();
  const std::filesystem::path path(folder);
  if (path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end()) {
    json.refuse("leads out of the summary's own folder");
  }
  return folder;
}

// Of a failure that shows like this. One that did not show again in a second run of its case is not deterministic.
int failure_status_of(const JsonField& json, const Disagreement& disagreement) {
  const int status = static_cast<int>(json.whole(kFailed, kNotDeterministic));
  const int expected = status_of(disagreement);
  if (status != expected && !(expected == kFailed && status == kNotDeterministic)) {
    json.refuse("is " + std::to_string(status) + ", where the property says " + std::to_string(expected));
  }
  return status;
}

FailureSummary failure_of(const JsonField& json, const RunSummary& run) {
  const std::uint64_t last = run.end_case ? *run.end_case - 1 : kMaxCase;
  FailureSummary result;
  result.signature = json.at("signature").text();
  result.known = json.at("known").flag();
  result.cases = json.at("cases").whole(1, std::max<std::uint64_t>(1, run.totals.cases));
  result.first_case = json.at("first_case").whole(run.first_case, last);
  result.shortest_case = json.at("shortest_case").whole(result.first_case, last);
  result.disagreement = disagreement_of(json);
  result.status = failure_status_of(json.at("status"), result.disagreement);
  result.folder = folder_of(json.at("folder"));
  result.shrunk_operations = json.at("shrunk_operations").whole();
  result.command = json.at("reproduce").text();
  return result;
}

void read_features(const JsonField& json, std::uint64_t most, FeatureCounts& counts) {
  if (json.fields().size() != feature_table().size()) json.refuse("are others than this program counts");
  for (const FeatureRow& row : feature_table()) {
    counts.counts[static_cast<std::size_t>(row.feature)] = json.at(row.name).whole(0, most);
  }
}

void read_outcomes(const JsonField& json, std::uint64_t most, FeatureCounts& counts) {
  for (const auto& [kind_name, row] : json.fields()) {
    auto& of_kind = counts.outcomes[static_cast<std::size_t>(kind_of(row, kind_name))];
    for (const auto& [name, count] : row.fields()) {
      const auto outcome = traces::outcome_from_string(name);
      if (!outcome) count.refuse("is no outcome");
      of_kind[static_cast<std::size_t>(*outcome)] = count.whole(0, most);
    }
  }
}

FaultCell cell_of(const JsonField& json) {
  const std::optional<FaultCell> cell = cell_from_string(json.text());
  if (!cell) json.refuse("is no cell of the fault table: " + json.text());
  return *cell;
}

void read_cells(const JsonField& json, CellCoverage& cells) {
  for (const JsonField& each : json.at("hit").items()) cells.hit(cell_of(each));
  const std::uint64_t in_reach = cells_in_reach().size();
  (void)json.at("in_reach").whole(in_reach, in_reach);
  (void)json.at("hit_in_reach").whole(cells.count(), cells.count());
  for (const JsonField& each : json.at("missed").items()) {
    if (cells.contains(cell_of(each))) each.refuse("is among the cells hit, too");
  }
}

void read_shape(const JsonField& json, std::uint64_t most, RunShape& shape) {
  const JsonField depths = json.at("chain_depths");
  const std::vector<JsonField> items = depths.items();
  if (items.size() != shape.chain_depths.size()) {
    depths.refuse("has " + std::to_string(items.size()) + " numbers; expected " +
                  std::to_string(shape.chain_depths.size()));
  }
  for (std::size_t i = 0; i < items.size(); ++i) shape.chain_depths[i] = items[i].whole(0, most);
  shape.largest_graph = json.at("largest_graph").whole();
  shape.most_tags = json.at("most_tags").whole();
  shape.most_fragments = json.at("most_fragments").whole();
}

std::uint64_t fingerprint_of(const JsonField& json) {
  const std::string text = json.text();
  if (text.size() != 16 || text.find_first_not_of("0123456789abcdef") != std::string::npos) {
    json.refuse("is no fingerprint; expected 16 digits from 0 to f");
  }
  return std::stoull(text, nullptr, 16);
}

Totals totals_of(const JsonField& json, const RunSummary& run) {
  // The sums over all shards stay within 64 bits.
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max() / run.shard.count;
  Totals result;
  result.cases = json.at("cases").whole(0, std::min(most, cases_wanted(run).value_or(kMaxCase)));
  result.operations = json.at("operations").whole(0, most);
  result.faults = json.at("faults").whole(0, most);
  result.fingerprint = fingerprint_of(json.at("fingerprint"));
  read_outcomes(json.at("outcomes"), most, result.features);
  read_features(json.at("features"), most, result.features);
  read_shape(json, most, result.shape);
  read_cells(json.at("cells"), result.cells);
  return result;
}

RunEnd end_of(const JsonField& json) {
  const std::string text = json.text();
  for (const RunEnd end : {RunEnd::all_run, RunEnd::out_of_time, RunEnd::stopped_by_failure, RunEnd::interrupted}) {
    if (text == to_string(end)) return end;
  }
  json.refuse("is no way in which a run ends: " + text);
}

std::vector<std::string> low_features_of(const JsonField& json) {
  for (const JsonField& each : json.items()) {
    const auto named = [name = each.text()](const FeatureRow& row) { return row.name == name; };
    if (std::none_of(feature_table().begin(), feature_table().end(), named)) each.refuse("is no feature");
  }
  return json.texts();
}

void read_run(const JsonField& json, RunSummary& run) {
  if (json.at("format").text() != kSummaryFormat) json.at("format").refuse("is not " + std::string(kSummaryFormat));
  (void)json.at("format_version").whole(kSummaryVersion, kSummaryVersion);
  run.version = json.at("program").text();
  run.backend = json.at("backend").text();
  if (run.backend != "sim" && run.backend != "cuda") json.at("backend").refuse("is neither sim nor cuda");
  run.seed = json.at("seed").whole();
  run.operations_option = static_cast<std::uint32_t>(json.at("ops_option").whole(1, kMaxOperations));
  run.first_case = json.at("first_case").whole(0, kMaxCase - 1);
  if (const JsonField end = json.at("end_case"); !end.is_null()) run.end_case = end.whole(run.first_case + 1, kMaxCase);
  run.shard.count = json.at("shards").whole(1, kMaxShards);
  run.shard.index = json.at("shard").whole(1, run.shard.count);
  run.milliseconds = json.at("milliseconds").whole(0, kMostMilliseconds);
}

void read_regressions(const JsonField& json, RunSummary& run) {
  for (const JsonField& each : json.at("failed").items()) {
    run.failed_regressions.push_back({each.at("path").text(), disagreement_of(each)});
  }
  run.regressions = json.at("traces").whole(run.failed_regressions.empty() ? 0 : 1);
}

// What a run says of its end has to follow from the rest of what it says.
void check_end(const JsonField& json, const RunSummary& run) {
  const JsonField end = json.at("end");
  if ((run.end == RunEnd::out_of_time && run.end_case) || (run.end == RunEnd::all_run && !run.end_case)) {
    end.refuse("does not fit end_case: a run has either so many cases or a time");
  }
  if (run.end == RunEnd::all_run && run.totals.cases != cases_wanted(run)) {
    end.refuse("does not fit cases: there are " + std::to_string(*cases_wanted(run)));
  }
  const bool stopped = !run.failed_regressions.empty() || std::any_of(run.failures.begin(), run.failures.end(),
                                                                      [](const auto& each) { return !each.known; });
  if (run.end == RunEnd::stopped_by_failure && !stopped) end.refuse("does not fit failures: there is none");
  const auto status = static_cast<int>(json.at("status").whole(kAllHeld, kNotDeterministic));
  if (status != run.status) {
    json.at("status").refuse("is " + std::to_string(status) + ", where the rest of the summary says " +
                             std::to_string(run.status));
  }
}

RunSummary summary_of(const JsonField& json) {
  RunSummary run;
  read_run(json, run);
  run.totals = totals_of(json, run);
  run.end = end_of(json.at("end"));
  run.low_features = low_features_of(json.at("low_features"));
  read_regressions(json.at("regressions"), run);
  for (const JsonField& each : json.at("failures").items()) run.failures.push_back(failure_of(each, run));
  run.status = status_of(run);
  check_end(json, run);
  return run;
}

}  // namespace

tl::expected<RunSummary, std::string> parse_summary(std::string_view text) {
  try {
    const nlohmann::ordered_json document = parse_json(text);
    return summary_of(JsonField(document));
  } catch (const BadJson& error) {
    return tl::make_unexpected(std::string(error.what()));
  }
}

}  // namespace taintgraph::props
