#include "props/comparison.hpp"

#include <gtest/gtest.h>

namespace taintgraph::props {
namespace {

using traces::Operation;
using traces::OpKind;
using traces::Outcome;
using traces::StepResult;

struct Pair {
  Operation operation;
  Prediction expected;
  StepResult found;
};

Pair good_read() {
  Pair pair;
  pair.operation.kind = OpKind::read;
  pair.expected.bytes = {1, 2, reference::kUnknown};
  pair.found.bytes = {1, 2, 99};
  pair.expected.failures = pair.found.failures = 3;
  pair.expected.tags = pair.found.tags = 5;
  return pair;
}

Pair unwritten_read() {
  Pair pair = good_read();
  pair.expected.bytes.clear();
  pair.found.bytes.clear();
  pair.expected.outcome = pair.found.outcome = Outcome::unwritten;
  pair.expected.roots = pair.found.roots = {4, 2};
  pair.expected.via = pair.found.via = {7, 6};
  pair.expected.error = pair.found.error = "out_of_memory";
  pair.expected.told = {{2, 0}, {1, 3}};
  pair.found.reports = {{2, 0}, {1, 3}};
  pair.expected.hops = {{7, "copy", {{{5, 0, 8}, 4}, {{6, 2, 4}, 2}}, {}}, {6, "", {{{5, 0, 8}, 4}}, {}}};
  pair.found.hops = {{"copy", {{5, 0, 8, 4}, {6, 2, 4, 2}}}, {"graph replay", {{5, 0, 8, 4}}}};
  return pair;
}

std::string property(const Pair& pair) {
  const auto difference = compare(pair.operation, pair.expected, pair.found);
  return difference ? difference->property : "";
}

TEST(Comparison, EqualIsNoDisagreement) {
  EXPECT_EQ(property(good_read()), "");
  EXPECT_EQ(property(unwritten_read()), "");
}

TEST(Comparison, WhatIsSaidOfAnErrorIsLinesOfText) {  // D3
  Pair pair = good_read();
  pair.operation.kind = OpKind::alloc;
  pair.expected.outcome = pair.found.outcome = Outcome::failed;
  pair.found.bytes.clear();
  pair.expected.error = pair.found.error = "out_of_memory";
  pair.found.detail = "8 bytes do not fit\nthen, undoing it, a call failed";
  EXPECT_EQ(property(pair), "");
  for (const auto* torn : {"", "\nfirst", "last\n", "one\n\nthree"}) {
    pair.found.detail = torn;
    EXPECT_EQ(property(pair), "D3 detail") << torn;
  }
  pair.found.detail = std::string("a\0b", 3);
  EXPECT_EQ(property(pair), "D3 detail");
  pair.expected.error = pair.found.error = "launch_failure";  // which may have nothing to add
  pair.found.detail.clear();
  EXPECT_EQ(property(pair), "");
}

TEST(Comparison, ReportsAreComparedWhole) {  // R2
  for (const auto break_it : {+[](StepResult& found) { found.reports[0].carriers = 1; },
                              +[](StepResult& found) { found.reports[1].dropped_records = 2; },
                              +[](StepResult& found) { found.reports.pop_back(); }}) {
    Pair pair = unwritten_read();
    break_it(pair.found);
    EXPECT_EQ(property(pair), "R2 report");
  }
  for (const auto break_it : {+[](StepResult& found) { found.hops[0].kernel = "add"; },
                              +[](StepResult& found) { found.hops[0].inputs.pop_back(); },
                              +[](StepResult& found) { found.hops[0].inputs[1].buffer = 5; },
                              +[](StepResult& found) { found.hops[0].inputs[1].root = 4; },
                              +[](StepResult& found) { found.hops[1].inputs[0].end = 9; }}) {
    Pair pair = unwritten_read();
    break_it(pair.found);
    EXPECT_EQ(property(pair), "R2 hop");
  }
  Pair pair = unwritten_read();
  pair.found.hops[0].inputs.pop_back();
  const auto difference = compare(pair.operation, pair.expected, pair.found);
  EXPECT_EQ(difference->expected, "copy; buffer of #5 [0, 8) of #4; buffer of #6 [2, 4) of #2");
  EXPECT_EQ(difference->found, "copy; buffer of #5 [0, 8) of #4");
}

TEST(Comparison, BytesAreComparedWhereTheModelKnowsThem) {
  Pair pair = good_read();
  pair.found.bytes[1] = 3;
  EXPECT_EQ(property(pair), "R1 bytes");
  const auto difference = compare(pair.operation, pair.expected, pair.found);
  EXPECT_EQ(difference->expected, "from byte 1: 02 ??");
  EXPECT_EQ(difference->found, "from byte 1: 03 63");
  pair.found.bytes = {1, 2};
  EXPECT_EQ(property(pair), "R1 bytes");
}

TEST(Comparison, EachFieldHasItsProperty) {
  Pair pair = unwritten_read();
  pair.found.outcome = Outcome::ok;
  EXPECT_EQ(property(pair), "R1 outcome");
  pair = unwritten_read();
  pair.found.roots = {2, 4};
  EXPECT_EQ(property(pair), "R1 roots");
  pair = unwritten_read();
  pair.found.via = {7};
  EXPECT_EQ(property(pair), "R2 chain");
  pair = unwritten_read();
  pair.found.error = "invalid_value";
  EXPECT_EQ(property(pair), "R2 error");
  pair = unwritten_read();
  ++pair.found.failures;
  EXPECT_EQ(property(pair), "C1 failures");
  pair = unwritten_read();
  --pair.found.tags;
  EXPECT_EQ(property(pair), "C2 tags");
  pair = unwritten_read();
  ++pair.found.bytes_in_use;
  EXPECT_EQ(property(pair), "bytes in use");
}

TEST(Comparison, ClaimsAreComparedByteByByte) {  // B1
  Pair pair = good_read();
  pair.expected.claims = {{{5, 0, 8}, 4}, {{5, 8, 12}, 2}};
  pair.found.claims = {{5, 0, 8, 4}, {5, 8, 12, 2}};
  EXPECT_EQ(property(pair), "");
  for (const auto break_it :
       {+[](StepResult& found) { found.claims[0].end = 7; }, +[](StepResult& found) { found.claims[1].root = 4; },
        +[](StepResult& found) { found.claims.pop_back(); }, +[](StepResult& found) { found.claims.clear(); }}) {
    Pair broken = pair;
    break_it(broken.found);
    EXPECT_EQ(property(broken), "B1 claims");
  }
  pair.found.claims.clear();
  const auto difference = compare(pair.operation, pair.expected, pair.found);
  EXPECT_EQ(difference->expected, "buffer of #5 [0, 8) of #4; buffer of #5 [8, 12) of #2");
  EXPECT_EQ(difference->found, "none");
}

TEST(Comparison, OutcomesAreFiledUnderTheRuleTheyFollowFrom) {
  Pair pair;
  pair.operation.kind = OpKind::launch;
  pair.found.outcome = Outcome::ok;
  const std::pair<Outcome, const char*> rules[] = {{Outcome::skipped, "W1 outcome"},
                                                   {Outcome::failed, "W2 outcome"},
                                                   {Outcome::unwritten, "W5 outcome"},
                                                   {Outcome::poisoned, "D1 outcome"},
                                                   {Outcome::rejected, "R4 outcome"}};
  for (const auto& [outcome, rule] : rules) {
    pair.expected.outcome = outcome;
    EXPECT_EQ(property(pair), rule);
  }
}

TEST(Comparison, AnErrorThatTheModelLeavesOpenMayBeAny) {
  Pair pair = unwritten_read();
  pair.expected.error = {};
  EXPECT_EQ(property(pair), "");
  pair = good_read();
  pair.found.error = "out_of_memory";
  EXPECT_EQ(property(pair), "R2 error");
}

TEST(Comparison, FindingsComeBeforeWhatFollowsFromThem) {
  Pair pair = good_read();
  pair.found.bytes[0] = 0;
  pair.found.findings = {"race: cuLaunchKernel on stream 1 writes what stream 0 reads"};
  EXPECT_EQ(property(pair), "race");
  pair.found.findings = {"undeclared access: kernel copy stores outside what it declares"};
  EXPECT_EQ(property(pair), "undeclared access");
  pair.found.findings = {"cuMemFree: no such allocation"};
  EXPECT_EQ(property(pair), "misuse of the driver");
  pair.found.findings.clear();
  pair.found.failed_checks = {"tags: expected 1, found 2"};
  EXPECT_EQ(property(pair), "check");
}

TEST(Comparison, WhatIsLeftAtTheEndHasItsPropertiesToo) {
  EXPECT_EQ(property_of_finding("C2: everything is freed and the graph still holds 1 failure(s)"), "empty graph");
  EXPECT_EQ(property_of_finding("leaked: event 3"), "leak");
  EXPECT_EQ(property_of_finding("teardown: invalid_value from cuMemFree"), "teardown");
}

TEST(Comparison, ListsNameOrdinals) {
  EXPECT_EQ(list_of({}), "none");
  EXPECT_EQ(list_of({3}), "#3");
  EXPECT_EQ(list_of({3, 7}), "#3, #7");
}

}  // namespace
}  // namespace taintgraph::props
