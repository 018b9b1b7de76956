#include "core/error_graph.hpp"

#include <gtest/gtest.h>

#include "core/scripted_device_for_tests.hpp"

namespace taintgraph::core {
namespace {

WeakBinding bytes(std::uint32_t buffer, std::uint64_t begin, std::uint64_t end) {
  return {BufferId(buffer, 1), {begin, end}};
}

SkipRecord skip(std::string kernel, WeakBinding needed, WeakBinding produced, FailureId failure) {
  return {std::move(kernel), Correlation{1}, {{needed, failure}}, {produced}};
}

std::vector<std::string> kernels(const FailureReport& report) {
  std::vector<std::string> names;
  for (const SkipRecord& each : report.chain) names.push_back(each.kernel);
  return names;
}

TEST(ErrorGraph, KeepsAFailureExactlyAsLongAsItIsCarried) {  // C1
  ErrorGraph graph;
  const FailureId failure = graph.mint(error_named("launch"), Correlation{7});
  graph.tag(failure);
  graph.tag(failure);
  EXPECT_EQ(graph.size(), 1u);
  EXPECT_EQ(graph.tagged(failure), 2u);
  EXPECT_EQ(graph.tags(), 2u);
  graph.untag(failure);
  ASSERT_TRUE(graph.contains(failure));
  EXPECT_EQ(graph.error(failure).name, "launch");
  EXPECT_EQ(graph.correlation(failure), Correlation{7});
  graph.untag(failure);
  EXPECT_FALSE(graph.contains(failure));
  EXPECT_TRUE(graph.empty());
  EXPECT_EQ(graph.tags(), 0u);
  graph.validate();
}

TEST(ErrorGraph, PrunesWhatNothingCarriesAndNothingElse) {
  ErrorGraph graph;
  const FailureId alone = graph.mint(error_named("compile"), {});
  const FailureId carried = graph.mint(error_named("launch"), {});
  const FailureId held = graph.mint(error_named("sticky"), {});
  graph.tag(carried);
  graph.pin(held);
  graph.prune(alone);
  graph.prune(alone);  // gone already: no effect
  graph.prune(carried);
  graph.prune(held);
  EXPECT_FALSE(graph.contains(alone));
  EXPECT_TRUE(graph.contains(carried));
  EXPECT_TRUE(graph.contains(held));
  graph.untag(carried);
  graph.unpin(held);
  EXPECT_TRUE(graph.empty());
}

TEST(ErrorGraph, APinOutlivesTheLastTagAndATagTheLastPin) {  // D1
  ErrorGraph graph;
  const FailureId failure = graph.mint(error_named("sticky"), {});
  graph.pin(failure);
  graph.tag(failure);
  graph.untag(failure);
  EXPECT_TRUE(graph.contains(failure));
  graph.tag(failure);
  graph.unpin(failure);
  EXPECT_TRUE(graph.contains(failure));
  graph.untag(failure);
  EXPECT_TRUE(graph.empty());
}

TEST(ErrorGraph, ReplacingTheErrorKeepsTheCarriers) {  // W2
  ErrorGraph graph;
  const FailureId failure = graph.mint(torn_down(), {});
  graph.tag(failure);
  graph.replace(failure, error_named("launch"));
  EXPECT_EQ(graph.error(failure).name, "launch");
  EXPECT_EQ(graph.tagged(failure), 1u);
  graph.untag(failure);
}

TEST(ErrorGraph, AProvisionalFailureSaysThatItsScopeWasTornDown) {  // W2
  ErrorGraph graph;
  Error text = error_named("launch");
  text.detail = "of a failure that is gone";
  graph.prune(graph.mint(text, Correlation{1}));
  const FailureId failure = graph.mint_provisional(Correlation{2});
  graph.tag(failure);
  graph.validate();
  EXPECT_EQ(graph.error(failure).name, torn_down().name);
  EXPECT_EQ(graph.report(failure).root.name, torn_down().name);
  EXPECT_EQ(graph.report(failure).root.detail, torn_down().detail);
  EXPECT_EQ(graph.correlation(failure), Correlation{2});
  graph.replace(failure, text);
  graph.validate();
  EXPECT_EQ(graph.error(failure).name, "launch");
  EXPECT_EQ(graph.report(failure).root.detail, text.detail);
  graph.untag(failure);
  EXPECT_TRUE(graph.empty());
  graph.validate();
}

TEST(ErrorGraph, NeverUsesAnIdTwice) {  // C3
  ErrorGraph graph;
  FailureId last;
  for (int i = 0; i < 1000; ++i) {
    const FailureId failure = graph.mint(error_named("x"), {});
    EXPECT_TRUE(failure);
    EXPECT_GT(failure, last);
    EXPECT_EQ(graph.last_minted(), failure);
    last = failure;
    graph.prune(failure);
  }
  EXPECT_TRUE(graph.empty());
}

TEST(ErrorGraph, FindsManyLiveFailuresWhateverOrderTheyGoIn) {
  ErrorGraph graph;
  std::vector<FailureId> live;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    live.push_back(graph.mint(error_named("x"), Correlation{i}));
    graph.tag(live.back());
  }
  for (std::size_t i = 0; i < live.size(); i += 1 + i % 3) graph.pin(live[i]);
  for (std::size_t i = 0; i < live.size(); ++i) graph.untag(live[(i * 2654435761u) % live.size()]);
  graph.validate();
  for (const FailureId failure : graph.failures()) {
    EXPECT_TRUE(graph.pinned(failure));
    EXPECT_EQ(live[static_cast<std::size_t>(graph.correlation(failure))], failure);
  }
  for (const FailureId failure : graph.failures()) graph.unpin(failure);
  EXPECT_TRUE(graph.empty());
}

TEST(ErrorGraph, StaysWholeHoweverLongFailuresComeAndGo) {
  ErrorGraph graph;
  std::vector<FailureId> live(300);
  std::uint64_t drawn = 1;
  for (std::uint64_t i = 0; i < 30000; ++i) {
    drawn = drawn * 6364136223846793005U + 1442695040888963407U;
    FailureId& chosen = live[(drawn >> 33) % live.size()];
    if (chosen) graph.untag(chosen);
    chosen = i % 5 == 0 ? graph.mint(error_named("x"), Correlation{i}) : graph.mint_provisional(Correlation{i});
    graph.tag(chosen);
    EXPECT_FALSE(graph.contains(FailureId())) << "none is no failure";
    if (i % 100 != 0) continue;
    graph.validate();
    for (const FailureId each : live) ASSERT_TRUE(!each || graph.contains(each));
    for (const FailureId each : live) ASSERT_TRUE(!each || graph.tagged(each) == 1);
  }
  for (const FailureId each : live) graph.untag(each);
  EXPECT_TRUE(graph.empty());
  graph.validate();
}

TEST(ErrorGraph, WalksTheChainFromTheReadBackToTheRoot) {  // R2
  ErrorGraph graph;
  const FailureId failure = graph.mint(error_named("compile_error"), {});
  graph.tag(failure);
  graph.record(failure, skip("matmul", bytes(1, 0, 8), bytes(2, 0, 8), failure));
  graph.record(failure, skip("gelu", bytes(2, 0, 8), bytes(3, 0, 8), failure));

  const FailureReport report = graph.report(failure, bytes(3, 0, 1));
  EXPECT_EQ(kernels(report), (std::vector<std::string>{"gelu", "matmul"}));
  EXPECT_EQ(report.root.name, "compile_error");
  EXPECT_EQ(report.carriers, 1u);
  const std::string text = to_string(report);
  EXPECT_LT(text.find("gelu"), text.find("matmul"));
  EXPECT_NE(text.find("compile_error"), std::string::npos);
  EXPECT_NE(text.find("#" + std::to_string(failure.value())), std::string::npos);

  EXPECT_TRUE(graph.report(failure, bytes(9, 0, 8)).chain.empty()) << "no record produced that buffer";
  graph.untag(failure);
}

TEST(ErrorGraph, FollowsBytesNotBuffers) {  // R2
  ErrorGraph graph;
  const FailureId failure = graph.mint(error_named("root"), {});
  graph.tag(failure);
  graph.record(failure, skip("left", bytes(1, 0, 8), bytes(2, 0, 8), failure));
  graph.record(failure, skip("right", bytes(1, 8, 16), bytes(2, 8, 16), failure));
  EXPECT_EQ(kernels(graph.report(failure, bytes(2, 0, 8))), (std::vector<std::string>{"left"}));
  EXPECT_EQ(kernels(graph.report(failure, bytes(2, 8, 9))), (std::vector<std::string>{"right"}));
  EXPECT_EQ(kernels(graph.report(failure, bytes(2, 7, 9))), (std::vector<std::string>{"right"})) << "the newest wins";
  graph.untag(failure);
}

TEST(ErrorGraph, EachHopIsOlderThanTheOneBefore) {  // R2: a loop of buffers is not a loop of reports
  ErrorGraph graph;
  const FailureId failure = graph.mint(error_named("root"), {});
  graph.tag(failure);
  graph.record(failure, skip("there", bytes(1, 0, 8), bytes(2, 0, 8), failure));
  graph.record(failure, skip("back", bytes(2, 0, 8), bytes(1, 0, 8), failure));
  EXPECT_EQ(kernels(graph.report(failure, bytes(1, 0, 8))), (std::vector<std::string>{"back", "there"}));
  EXPECT_EQ(kernels(graph.report(failure, bytes(2, 0, 8))), (std::vector<std::string>{"there"}));
  graph.untag(failure);
}

TEST(ErrorGraph, KeepsTheNewestRecordsAndCountsAll) {  // R2
  ErrorGraph graph;
  const FailureId failure = graph.mint(error_named("root"), {});
  graph.tag(failure);
  constexpr std::uint32_t kSkips = ErrorGraph::kSkipRecords + 4;
  for (std::uint32_t i = 0; i < kSkips; ++i)
    graph.record(failure, skip("k" + std::to_string(i), bytes(i, 0, 8), bytes(i + 1, 0, 8), failure));

  const FailureReport report = graph.report(failure, bytes(kSkips, 0, 8));
  EXPECT_EQ(report.chain.size(), ErrorGraph::kSkipRecords);
  EXPECT_EQ(report.chain.front().kernel, "k19");
  EXPECT_EQ(report.chain.back().kernel, "k4");
  EXPECT_EQ(report.dropped_records, 4u);
  EXPECT_NE(to_string(report).find("4 older skips"), std::string::npos);
  EXPECT_EQ(graph.records_total(failure), kSkips);
  graph.validate();
  EXPECT_EQ(graph.records(failure).front().kernel, "k4") << "oldest kept first";
  EXPECT_TRUE(graph.report(failure, bytes(4, 0, 8)).chain.empty()) << "its record was dropped";
  graph.untag(failure);
}

TEST(ErrorGraph, PrintsBoundedTextWhateverTheNamesAre) {  // R2
  ErrorGraph graph;
  Error error = error_named("compile_error");
  error.detail = std::string(1U << 20, 'x');
  const FailureId failure = graph.mint(std::move(error), {});
  graph.tag(failure);
  for (std::uint32_t i = 0; i < 100; ++i)
    graph.record(failure, skip(std::string(1U << 16, 'k'), bytes(i, 0, 8), bytes(i + 1, 0, 8), failure));
  EXPECT_LT(to_string(graph.report(failure, bytes(100, 0, 8))).size(), 8192u);
  graph.untag(failure);
}

using ErrorGraphDeathTest = ::testing::Test;

TEST(ErrorGraphDeathTest, AnUnbalancedCountIsNoticedAtOnce) {  // C2
  ErrorGraph graph;
  const FailureId failure = graph.mint(error_named("x"), {});
  EXPECT_DEATH(graph.untag(failure), "C2");
  EXPECT_DEATH(graph.unpin(failure), "D1");
  EXPECT_DEATH(graph.tag(FailureId(99)), "C1");
  graph.prune(failure);
}

}  // namespace
}  // namespace taintgraph::core
