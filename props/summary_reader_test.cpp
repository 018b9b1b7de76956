// A summary with one thing changed by hand, anything at all, is refused, in words that name it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "props/exit_status.hpp"
#include "props/failure_groups.hpp"
#include "props/summary_json.hpp"

namespace taintgraph::props {
namespace {

using Json = nlohmann::ordered_json;
using Pointer = Json::json_pointer;

Disagreement disagreement(const std::string& property) {
  Disagreement result;
  result.property = property;
  result.step = 4;
  result.kind = traces::OpKind::read;
  return result;
}

// A run of 60 cases that a failure stopped, with something in every list.
Json document() {
  RunSummary run;
  run.seed = 5;
  run.operations_option = 40;
  run.end_case = 60;
  run.totals.cases = 20;
  run.end = RunEnd::stopped_by_failure;
  run.totals.features.outcomes[1][2] = 7;
  run.totals.cells.hit(cells_in_reach().front());
  run.low_features = {"trust"};
  run.regressions = 2;
  run.failed_regressions.push_back({"traces/a.jsonl", disagreement("R1 bytes")});
  FailureSummary failure;
  failure.disagreement = disagreement("R1 bytes");
  failure.status = kFailed;
  failure.cases = 3;
  failure.first_case = 17;
  failure.shortest_case = 19;
  failure.folder = "5";
  run.failures.push_back(failure);
  run.status = kFailed;
  Json json = Json::parse(summary_json(run));
  Json& missed = json["cells"]["missed"];
  missed.erase(missed.begin() + 2, missed.end());  // they are a thousand, all alike
  return json;
}

std::string error_of(const Json& json) {
  const auto summary = parse_summary(json.dump());
  return summary ? "" : summary.error();
}

std::string error_with(const std::string& pointer, const Json& value, Json json = document()) {
  json.at(Pointer(pointer)) = value;
  return error_of(json);
}

// The values of a document, by the way to each; containers, too, but for the document itself.
void collect(const Json& json, const Pointer& at, std::vector<Pointer>& into) {
  if (!at.empty()) into.push_back(at);
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) collect(value, at / key, into);
  }
  if (json.is_array()) {
    for (std::size_t i = 0; i < json.size(); ++i) collect(json[i], at / i, into);
  }
}

TEST(SummaryReader, EveryFieldIsCheckedForItsType) {
  const Json good = document();
  ASSERT_EQ(error_of(good), "");
  std::vector<Pointer> fields;
  collect(good, Pointer(), fields);
  ASSERT_GT(fields.size(), 100U);
  for (const Pointer& field : fields) {
    for (const char* text : {"null", "[]", "{}", "true", "-1", "1.5", "1e2", "18446744073709551616", "\"?\""}) {
      const Json value = Json::parse(text);
      if (good.at(field).type() == value.type()) continue;
      if (field.to_string() == "/end_case" && value.is_null()) continue;
      Json bad = good;
      bad.at(field) = value;
      const std::string error = error_of(bad);
      EXPECT_NE(error, "") << field.to_string() << " as " << text;
      EXPECT_EQ(error.find("json.exception"), std::string::npos) << error;
    }
    if (field.back().find_first_not_of("0123456789") == std::string::npos) continue;  // of a list
    Json bad = good;
    bad.at(field.parent_pointer()).erase(field.back());
    if (good.at(field.parent_pointer()).size() == 1) continue;  // an outcome that need not be there
    EXPECT_NE(error_of(bad), "") << "without " << field.to_string();
  }
}

TEST(SummaryReader, AComplaintNamesTheField) {
  EXPECT_EQ(error_with("/cases", -1), "cases: is -1; expected a whole number from 0 to 60");
  EXPECT_EQ(error_with("/failures", Json()), "failures: is null; expected a list");
  EXPECT_EQ(error_with("/failures/0/known", 1), "failures[0].known: is 1; expected true or false");
  EXPECT_EQ(error_with("/cells/hit/0", "x"), "cells.hit[0]: is no cell of the fault table: x");
  Json less = document();
  less.erase("seed");
  EXPECT_EQ(error_of(less), "seed: is missing");
  EXPECT_EQ(error_of(Json::array()), "is []; expected an object");
}

TEST(SummaryReader, NumbersStayInTheirRanges) {
  const std::vector<std::pair<std::string, Json>> bad = {
      {"/format_version", 2},
      {"/backend", "opencl"},
      {"/ops_option", 0},
      {"/ops_option", 4294967336U},
      {"/first_case", 60},
      {"/first_case", 18},
      {"/end_case", 0},
      {"/end_case", std::uint64_t{1} << 63},
      {"/shards", 0},
      {"/shards", 1'000'001},
      {"/shard", 0},
      {"/shard", 2},
      {"/milliseconds", std::uint64_t{1} << 63},
      {"/cases", 61},
      {"/regressions/traces", 0},
      {"/failures/0/cases", 0},
      {"/failures/0/cases", 21},
      {"/failures/0/first_case", 60},
      {"/failures/0/first_case", 20},
      {"/failures/0/shortest_case", 60},
      {"/failures/0/folder", "/etc"},
      {"/failures/0/folder", "5/../.."},
      {"/cells/in_reach", 1},
      {"/cells/hit_in_reach", 0},
      {"/low_features/0", "none such"},
      {"/chain_depths", Json::array({1, 2, 3})},
      {"/fingerprint", "000000000000000G"},
  };
  for (const auto& [field, value] : bad) EXPECT_NE(error_with(field, value), "") << field << " as " << value;
  Json longer = document();
  longer["chain_depths"].push_back(0);
  EXPECT_NE(error_of(longer), "");
  longer = document();
  longer["cells"]["missed"].push_back(longer["cells"]["hit"][0]);
  EXPECT_NE(error_of(longer), "");
}

// Of four shards each may have counted a quarter of what 64 bits hold.
TEST(SummaryReader, SumsOverShardsStayWithin64Bits) {
  Json json = document();
  json["shards"] = 4;
  json["cases"] = 15;
  const std::uint64_t quarter = UINT64_MAX / 4;
  for (const char* field : {"/operations", "/faults", "/features/trust", "/chain_depths/3"}) {
    EXPECT_EQ(error_with(field, quarter, json), "") << field;
    EXPECT_NE(error_with(field, quarter + 1, json), "") << field;
  }
}

TEST(SummaryReader, StatusAndEndFollowFromTheRest) {
  for (const int status : {0, 2, 3, 4, 64, 70, 77, 255}) EXPECT_NE(error_with("/status", status), "") << status;
  EXPECT_EQ(error_with("/status", 0), "status: is 0, where the rest of the summary says 1");
  for (const int status : {0, 2, 4}) EXPECT_NE(error_with("/failures/0/status", status), "") << status;
  EXPECT_EQ(error_with("/failures/0/status", 3), "") << "it did not show again; a regression fails, too";
  EXPECT_NE(error_with("/failures/0/property", kHangProperty), "") << "a hang is inconclusive";

  Json held = document();
  held["failures"] = Json::array();
  held["regressions"]["failed"] = Json::array();
  held["low_features"] = Json::array();
  held["status"] = 0;
  EXPECT_EQ(error_of(held), "end: does not fit failures: there is none");
  held["end"] = "all run";
  EXPECT_EQ(error_of(held), "end: does not fit cases: there are 60");
  held["cases"] = 60;
  EXPECT_EQ(error_of(held), "");
  EXPECT_NE(error_with("/status", 1, held), "");
  EXPECT_NE(error_with("/end", "interrupted", held), "");
  EXPECT_NE(error_with("/end", "out of time", held), "");
  held["end_case"] = nullptr;
  EXPECT_NE(error_of(held), "");
  held["end"] = "out of time";
  EXPECT_EQ(error_of(held), "");
}

}  // namespace
}  // namespace taintgraph::props
