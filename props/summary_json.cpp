#include "props/summary_json.hpp"

#include <nlohmann/json.hpp>

#include "traces/replayer.hpp"

namespace taintgraph::props {
namespace {

using Json = nlohmann::ordered_json;

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

}  // namespace

std::string summary_json(const RunSummary& summary) {
  Json json;
  json["format"] = kSummaryFormat;
  json["format_version"] = kSummaryVersion;
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

std::string summary_file_name(const Shard& shard) {
  if (shard.count == 1) return "summary.json";
  return "summary-" + std::to_string(shard.index) + "-of-" + std::to_string(shard.count) + ".json";
}

}  // namespace taintgraph::props
