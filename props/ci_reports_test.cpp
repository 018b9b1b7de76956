#include "props/ci_reports.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "props/summary_json.hpp"

namespace taintgraph::props {
namespace {

FailureSummary failure(const std::string& signature, int status, bool known = false) {
  FailureSummary result;
  result.signature = signature;
  result.status = status;
  result.known = known;
  result.cases = 3;
  result.first_case = 17;
  result.shortest_case = 19;
  result.disagreement.property = "R1 bytes";
  result.disagreement.step = 4;
  result.disagreement.kind = traces::OpKind::read;
  result.disagreement.operation = R"({"op":"read","from":["A<&>"]})";
  result.disagreement.expected = "00";
  result.disagreement.found = "1, 2: 50%\r\nend";
  result.folder = "5";
  result.shrunk_operations = 2;
  result.command = "taintgraph fuzz --seed 5";
  return result;
}

RunSummary summary() {
  RunSummary result;
  result.version = "0";
  result.seed = 5;
  result.operations_option = 40;
  result.end_case = 60;
  result.totals.cases = 60;
  result.milliseconds = 1050;
  return result;
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++n;
  return n;
}

TEST(Junit, EscapesWhatXmlCannotHave) {
  EXPECT_EQ(xml_escaped("a<b>&\"c'"), "a&lt;b&gt;&amp;&quot;c'");
  EXPECT_EQ(xml_escaped("\n\t\r"), "&#10;&#9;&#13;");
  const std::string replacement = "\xEF\xBF\xBD";
  for (int c = 0; c < 0x20; ++c) {
    if (c == '\n' || c == '\t' || c == '\r') continue;
    EXPECT_EQ(xml_escaped(std::string(1, static_cast<char>(c))), replacement) << c;
  }
  for (const char* good : {"\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"}) EXPECT_EQ(xml_escaped(good), good);
  EXPECT_EQ(xml_escaped("\xC3"), replacement);                             // cut off
  EXPECT_EQ(xml_escaped("\xC0\x80"), replacement + replacement);           // overlong
  EXPECT_EQ(xml_escaped("\xED\xA0\x80").find("\xED"), std::string::npos);  // a surrogate
  EXPECT_EQ(xml_escaped("\xEF\xBF\xBF").find("\xBF\xBF"), std::string::npos);
}

TEST(Junit, OneTestCaseForTheRunAndOneForEachFailure) {
  RunSummary run = summary();
  EXPECT_EQ(count(junit_text(run), "<testcase "), 1U);
  EXPECT_NE(junit_text(run).find("tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\" time=\"1.050\""),
            std::string::npos);
  run.failures = {failure("R1 bytes / read", 1), failure("hang / launch", 2), failure("race / copy", 1, true)};
  run.regressions = 2;
  run.failed_regressions.push_back({"traces/a.jsonl", run.failures[0].disagreement});
  const std::string text = junit_text(run);
  EXPECT_EQ(count(text, "<testcase "), 5U);
  EXPECT_NE(text.find("tests=\"5\" failures=\"2\" errors=\"2\" skipped=\"1\""), std::string::npos) << text;
  EXPECT_NE(text.find("A&lt;&amp;&gt;"), std::string::npos);
  EXPECT_EQ(count(text, "<testcase "), count(text, "</testcase>") + count(text, "\"/>"));
}

TEST(Junit, CasesThatNeverRanHaveNotPassed) {
  RunSummary run = summary();
  run.totals.cases = 0;
  run.regressions = 1;
  run.failed_regressions.push_back({"traces/a.jsonl", failure("R1 bytes / read", 1).disagreement});
  EXPECT_NE(junit_text(run).find("tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"1\""), std::string::npos)
      << junit_text(run);
}

TEST(Annotations, EscapeWhatWouldEndTheCommand) {
  RunSummary run = summary();
  run.failures = {failure("R1 outcome / read / failed: 100%, really", 1)};
  EXPECT_EQ(annotations_text(run, "out"),
            "::error file=out/5/trace.jsonl,title=R1 outcome / read / failed%3A 100%25%2C really::"
            "property: R1 bytes%0Astep: 4%0Aoperation: {\"op\":\"read\",\"from\":[\"A<&>\"]}%0Aexpected: 00%0A"
            "found: 1, 2: 50%25%0D%0Aend%0Acases: 3, the first is case 17%0Areproduce: taintgraph fuzz --seed 5\n");
}

TEST(Annotations, KnownFailuresGetNoneAndOthersTenAtMost) {
  RunSummary run = summary();
  run.failures.assign(4, failure("race / copy", 1, true));
  EXPECT_EQ(annotations_text(run, "out"), "");
  run.failures.insert(run.failures.end(), 15, failure("race / copy", 1));
  EXPECT_EQ(count(annotations_text(run, "out"), "::error "), 10U);
}

TEST(SummaryJson, IsReadBackAsItWas) {
  RunSummary run = summary();
  run.seed = UINT64_MAX;
  run.shard = {2, 3};
  run.end = RunEnd::stopped_by_failure;
  run.totals.cases = 3;
  run.totals.fingerprint = 0xFEDCBA9876543210;
  run.totals.features.count(Feature::trust);
  run.totals.features.outcomes[1][2] = 7;
  run.totals.cells.hit({gpu::Call::cuMemAlloc, gpu::FaultKind::out_of_memory, ContextState::pending, true});
  run.totals.shape.chain_depths[16] = 5;
  run.totals.shape.largest_graph = 11;
  run.totals.shape.most_fragments = 300;
  run.failures = {failure("R1 bytes / read", 1)};
  run.regressions = 2;
  run.failed_regressions.push_back({"traces/a.jsonl", run.failures[0].disagreement});
  run.low_features = {"trust"};
  run.status = 1;
  const std::string text = summary_json(run);
  const auto again = parse_summary(text);
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(summary_json(*again), text);
  EXPECT_EQ(again->seed, UINT64_MAX);
  EXPECT_EQ(again->totals.fingerprint, run.totals.fingerprint);
  EXPECT_EQ(again->totals.cells.count(), 1U);
  run.end_case.reset();
  EXPECT_FALSE(parse_summary(summary_json(run))->end_case);
}

TEST(SummaryJson, WhatIsNoSummaryIsRefused) {
  const std::string good = summary_json(summary());
  ASSERT_TRUE(parse_summary(good)) << parse_summary(good).error();
  const auto with = [&](const std::string& what, const std::string& instead) {
    std::string text = good;
    text.replace(text.find(what), what.size(), instead);
    return text;
  };
  for (const std::string& bad :
       {std::string(), std::string("[]"), std::string("{}"), good.substr(0, good.size() / 2),
        with("taintgraph-fuzz-summary", "other"), with("\"format_version\": 1", "\"format_version\": 2"),
        with("\"shard\": 1", "\"shard\": 2"), with("\"seed\": 5", "\"seed\": \"5\""), with("all run", "gone"),
        with("0000000000000000", "000000000000000x"), with("\"hit\": []", "\"hit\": [\"cuNothing out_of_memory\"]"),
        with("\"trust\": 0", "\"trusted\": 0")}) {
    EXPECT_FALSE(parse_summary(bad)) << bad;
  }
}

}  // namespace
}  // namespace taintgraph::props
