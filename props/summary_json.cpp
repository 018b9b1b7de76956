#include "props/summary_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "traces/replayer.hpp"

namespace taintgraph::props {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "taintgraph-fuzz-summary";
constexpr int kFormatVersion = 1;

Json features_json(const Totals& totals) {
  Json json = Json::object();
  for (const FeatureRow& row : feature_table()) json[std::string(row.name)] = totals.features.of(row.feature);
  return json;
}

Json outcomes_json(const Totals& totals) {
  Json json = Json::object();
  for (std::size_t kind = 0; kind < traces::kOpKindCount; ++kind) {
    const auto& counts = totals.features.outcomes[kind];
    Json row = Json::object();
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] > 0) row[std::string(traces::to_string(static_cast<traces::Outcome>(i)))] = counts[i];
    }
    if (!row.empty()) json[std::string(traces::to_string(static_cast<traces::OpKind>(kind)))] = std::move(row);
  }
  return json;
}

// Every cell hit, in reach or not; and those in reach that were not.
Json cells_json(const Totals& totals) {
  Json hit = Json::array();
  for (std::size_t call = 0; call < gpu::kCallCount; ++call) {
    for (const gpu::FaultRow& row : gpu::fault_table()) {
      for (std::size_t i = 0; i < 2 * kContextStateCount; ++i) {
        const FaultCell cell{static_cast<gpu::Call>(call), row.kind, static_cast<ContextState>(i / 2), i % 2 == 1};
        if (totals.cells.contains(cell)) hit.push_back(text_of(cell));
      }
    }
  }
  Json missed = Json::array();
  for (const FaultCell& cell : cells_in_reach()) {
    if (!totals.cells.contains(cell)) missed.push_back(text_of(cell));
  }
  Json json;
  json["in_reach"] = cells_in_reach().size();
  json["hit_in_reach"] = totals.cells.count();
  json["hit"] = std::move(hit);
  json["missed"] = std::move(missed);
  return json;
}

Json disagreement_json(const Disagreement& disagreement) {
  Json json;
  json["property"] = disagreement.property;
  json["step"] = disagreement.step;
  json["kind"] = traces::to_string(disagreement.kind);
  json["operation"] = disagreement.operation;
  json["expected"] = disagreement.expected;
  json["found"] = disagreement.found;
  return json;
}

Json failures_json(const RunSummary& summary) {
  Json json = Json::array();
  for (const FailureSummary& each : summary.failures) {
    Json row;
    row["signature"] = each.signature;
    row["known"] = each.known;
    row["status"] = each.status;
    row["cases"] = each.cases;
    row["first_case"] = each.first_case;
    row["shortest_case"] = each.shortest_case;
    row.update(disagreement_json(each.disagreement));
    row["folder"] = each.folder;
    row["shrunk_operations"] = each.shrunk_operations;
    row["reproduce"] = each.command;
    json.push_back(std::move(row));
  }
  return json;
}

Json regressions_json(const RunSummary& summary) {
  Json failed = Json::array();
  for (const RegressionFailure& each : summary.failed_regressions) {
    Json row;
    row["path"] = each.path;
    row.update(disagreement_json(each.disagreement));
    failed.push_back(std::move(row));
  }
  Json json;
  json["traces"] = summary.regressions;
  json["failed"] = std::move(failed);
  return json;
}

Json totals_json(const Totals& totals) {
  Json json;
  json["cases"] = totals.cases;
  json["operations"] = totals.operations;
  json["faults"] = totals.faults;
  json["fingerprint"] = traces::fingerprint_text(totals.fingerprint);
  json["outcomes"] = outcomes_json(totals);
  json["features"] = features_json(totals);
  json["chain_depths"] = totals.shape.chain_depths;
  json["largest_graph"] = totals.shape.largest_graph;
  json["most_tags"] = totals.shape.most_tags;
  json["most_fragments"] = totals.shape.most_fragments;
  json["cells"] = cells_json(totals);
  return json;
}

// ---- reading. Whatever is missing or of another type is an exception of the library, answered by parse_summary().

template <class T>
T value(const Json& json, const char* key) {
  return json.at(key).get<T>();
}

Disagreement disagreement_of(const Json& json) {
  Disagreement result;
  result.property = value<std::string>(json, "property");
  result.step = value<std::uint64_t>(json, "step");
  const auto kind = traces::op_from_string(value<std::string>(json, "kind"));
  if (!kind) throw std::invalid_argument("an unknown kind of operation");
  result.kind = *kind;
  result.operation = value<std::string>(json, "operation");
  result.expected = value<std::string>(json, "expected");
  result.found = value<std::string>(json, "found");
  return result;
}

FailureSummary failure_of(const Json& json) {
  FailureSummary result;
  result.signature = value<std::string>(json, "signature");
  result.known = value<bool>(json, "known");
  result.status = value<int>(json, "status");
  result.cases = value<std::uint64_t>(json, "cases");
  result.first_case = value<std::uint64_t>(json, "first_case");
  result.shortest_case = value<std::uint64_t>(json, "shortest_case");
  result.disagreement = disagreement_of(json);
  result.folder = value<std::string>(json, "folder");
  result.shrunk_operations = value<std::uint64_t>(json, "shrunk_operations");
  result.command = value<std::string>(json, "reproduce");
  return result;
}

void read_features(const Json& json, Totals& totals) {
  if (json.size() != feature_table().size()) throw std::invalid_argument("other features than this program counts");
  for (const FeatureRow& row : feature_table()) {
    totals.features.counts[static_cast<std::size_t>(row.feature)] =
        value<std::uint64_t>(json, std::string(row.name).c_str());
  }
}

void read_outcomes(const Json& json, Totals& totals) {
  for (const auto& [kind_name, row] : json.items()) {
    const auto kind = traces::op_from_string(kind_name);
    if (!kind) throw std::invalid_argument("an unknown kind of operation: " + kind_name);
    for (const auto& [name, count] : row.items()) {
      const auto outcome = traces::outcome_from_string(name);
      if (!outcome) throw std::invalid_argument("an unknown outcome: " + name);
      totals.features.outcomes[static_cast<std::size_t>(*kind)][static_cast<std::size_t>(*outcome)] =
          count.get<std::uint64_t>();
    }
  }
}

void read_cells(const Json& json, Totals& totals) {
  for (const Json& each : json.at("hit")) {
    const auto text = each.get<std::string>();
    const std::optional<FaultCell> cell = cell_from_string(text);
    if (!cell) throw std::invalid_argument("an unknown cell: " + text);
    totals.cells.hit(*cell);
  }
}

Totals totals_of(const Json& json) {
  Totals result;
  result.cases = value<std::uint64_t>(json, "cases");
  result.operations = value<std::uint64_t>(json, "operations");
  result.faults = value<std::uint64_t>(json, "faults");
  const auto fingerprint = value<std::string>(json, "fingerprint");
  if (fingerprint.size() != 16 || fingerprint.find_first_not_of("0123456789abcdef") != std::string::npos) {
    throw std::invalid_argument("a fingerprint that is none");
  }
  result.fingerprint = std::stoull(fingerprint, nullptr, 16);
  read_outcomes(json.at("outcomes"), result);
  read_features(json.at("features"), result);
  result.shape.chain_depths = value<decltype(result.shape.chain_depths)>(json, "chain_depths");
  result.shape.largest_graph = value<std::uint64_t>(json, "largest_graph");
  result.shape.most_tags = value<std::uint64_t>(json, "most_tags");
  result.shape.most_fragments = value<std::uint64_t>(json, "most_fragments");
  read_cells(json.at("cells"), result);
  return result;
}

RunEnd end_of(const std::string& text) {
  for (const RunEnd end : {RunEnd::all_run, RunEnd::out_of_time, RunEnd::stopped_by_failure, RunEnd::interrupted}) {
    if (text == to_string(end)) return end;
  }
  throw std::invalid_argument("an unknown end: " + text);
}

RunSummary summary_of(const Json& json) {
  if (value<std::string>(json, "format") != kFormat || value<int>(json, "format_version") != kFormatVersion) {
    throw std::invalid_argument("no summary of this version of the format");
  }
  RunSummary result;
  result.version = value<std::string>(json, "program");
  result.backend = value<std::string>(json, "backend");
  result.seed = value<std::uint64_t>(json, "seed");
  result.operations_option = value<std::uint32_t>(json, "ops_option");
  result.first_case = value<std::uint64_t>(json, "first_case");
  if (!json.at("end_case").is_null()) result.end_case = value<std::uint64_t>(json, "end_case");
  result.shard = {value<std::uint64_t>(json, "shard"), value<std::uint64_t>(json, "shards")};
  if (result.shard.index < 1 || result.shard.index > result.shard.count) throw std::invalid_argument("no such shard");
  result.end = end_of(value<std::string>(json, "end"));
  result.status = value<int>(json, "status");
  result.milliseconds = value<std::uint64_t>(json, "milliseconds");
  result.totals = totals_of(json);
  result.low_features = value<std::vector<std::string>>(json, "low_features");
  result.regressions = value<std::uint64_t>(json.at("regressions"), "traces");
  for (const Json& each : json.at("regressions").at("failed")) {
    result.failed_regressions.push_back({value<std::string>(each, "path"), disagreement_of(each)});
  }
  for (const Json& each : json.at("failures")) result.failures.push_back(failure_of(each));
  return result;
}

}  // namespace

std::string summary_json(const RunSummary& summary) {
  Json json;
  json["format"] = kFormat;
  json["format_version"] = kFormatVersion;
  json["program"] = summary.version;
  json["backend"] = summary.backend;
  json["seed"] = summary.seed;
  json["ops_option"] = summary.operations_option;
  json["first_case"] = summary.first_case;
  json["end_case"] = summary.end_case ? Json(*summary.end_case) : Json();
  json["shard"] = summary.shard.index;
  json["shards"] = summary.shard.count;
  json["end"] = to_string(summary.end);
  json["status"] = summary.status;
  json["milliseconds"] = summary.milliseconds;
  json.update(totals_json(summary.totals));
  json["low_features"] = summary.low_features;
  json["regressions"] = regressions_json(summary);
  json["failures"] = failures_json(summary);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

tl::expected<RunSummary, std::string> parse_summary(std::string_view text) {
  try {
    return summary_of(Json::parse(text));
  } catch (const std::exception& error) {
    return tl::make_unexpected(std::string(error.what()));
  }
}

std::string summary_file_name(const Shard& shard) {
  if (shard.count == 1) return "summary.json";
  return "summary-" + std::to_string(shard.index) + "-of-" + std::to_string(shard.count) + ".json";
}

}  // namespace taintgraph::props
