#include "viz/json_graph.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "viz/snapshot_index.hpp"

namespace taintgraph::viz {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const traces::SnapshotRange& range) {
  return {{"buffer", range.buffer}, {"serial", range.buffer_serial}, {"begin", range.begin}, {"end", range.end}};
}

Json json_of(const traces::SnapshotSkip& skip) {
  Json inputs = Json::array();
  for (const traces::SnapshotInput& input : skip.inputs) {
    inputs.push_back(json_of(input.range));
    inputs.back()["failure"] = input.failure;
  }
  Json outputs = Json::array();
  for (const traces::SnapshotRange& output : skip.outputs) outputs.push_back(json_of(output));
  return {{"operation", skip.operation},
          {"name", skip.operation_name},
          {"kernel", skip.kernel},
          {"inputs", std::move(inputs)},
          {"outputs", std::move(outputs)}};
}

Json json_of(const traces::SnapshotSuspect& suspect) {
  return {{"operation", suspect.operation},
          {"name", suspect.operation_name},
          {"what", suspect.what},
          {"stream", suspect.stream}};
}

Json json_of(const traces::SnapshotFailure& failure) {
  Json suspects = Json::array();
  for (const traces::SnapshotSuspect& suspect : failure.suspects) suspects.push_back(json_of(suspect));
  Json skips = Json::array();
  for (const traces::SnapshotSkip& skip : failure.skips) skips.push_back(json_of(skip));
  return {{"id", failure.id},
          {"operation", failure.operation},
          {"name", failure.operation_name},
          {"what", failure.what},
          {"error", failure.error},
          {"call", failure.call},
          {"code", failure.code},
          {"detail", failure.detail},
          {"sticky", failure.sticky},
          {"poison", failure.poison},
          {"suspects", std::move(suspects)},
          {"suspects_dropped", failure.suspects_dropped},
          {"carriers", failure.carriers},
          {"skips", std::move(skips)},
          {"skips_total", failure.skips_total}};
}

Json json_of(const traces::SnapshotBuffer& buffer) {
  Json claims = Json::array();
  for (const traces::SnapshotClaim& claim : buffer.claims) {
    claims.push_back({{"begin", claim.begin}, {"end", claim.end}, {"failure", claim.failure}});
  }
  Json result = {{"name", buffer.name},
                 {"serial", buffer.serial},
                 {"size", buffer.size},
                 {"unallocated", buffer.unallocated},
                 {"claims", std::move(claims)}};
  if (buffer.unallocated) result["reason"] = buffer.reason;
  return result;
}

}  // namespace

std::string json_text(const traces::Snapshot& snapshot, const std::optional<std::string>& focus) {
  const SnapshotIndex index(snapshot);
  Json failures = Json::array();
  std::set<std::size_t> carriers;
  for (const std::size_t failure : index.failures_in_focus(focus)) {
    failures.push_back(json_of(snapshot.failures[failure]));
    carriers.insert(index.carriers(failure).begin(), index.carriers(failure).end());
  }
  Json buffers = Json::array();
  for (std::size_t at = 0; at < snapshot.buffers.size(); ++at) {
    if (!focus || carriers.count(at) != 0) buffers.push_back(json_of(snapshot.buffers[at]));
  }
  const Json result = {{"trace", snapshot.trace_name},
                       {"operations", snapshot.operations},
                       {"failures", std::move(failures)},
                       {"buffers", std::move(buffers)}};
  return result.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace taintgraph::viz
