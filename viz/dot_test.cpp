#include "viz/dot.hpp"

#include <gtest/gtest.h>

#include "viz/dot_layout_for_tests.hpp"
#include "viz/snapshots_for_tests.hpp"

namespace taintgraph::viz {
namespace {

using Edges = std::set<std::pair<std::string, std::string>>;

TEST(Dot, ArrowsRunFromTheRootToWhatIsRead) {
  const DotLayout layout = lay_out(dot_text(two_paths_into_one_buffer()));
  if (dot_missing(layout.problem)) GTEST_SKIP() << layout.problem;
  ASSERT_EQ(layout.problem, "");
  EXPECT_EQ(layout.nodes, (std::set<std::string>{"f1", "b1", "b2", "b3", "k1_6", "k1_7", "k1_10", "legend"}));
  EXPECT_EQ(layout.edges, (Edges{{"f1", "b1"},
                                 {"b1", "k1_6"},
                                 {"b1", "k1_7"},
                                 {"k1_6", "b2"},
                                 {"k1_7", "b2"},
                                 {"b2", "k1_10"},
                                 {"k1_10", "b3"}}));
}

TEST(Dot, SaysWhatANewcomerHasToKnow) {
  const std::string text = dot_text(two_paths_into_one_buffer());
  for (const std::string_view words :
       {"two-paths-into-one-buffer, after operation 13", "1 failure, carried by 3 of 3 live buffers", "P failed",
        "launch iota", "cuLaunchKernel: launch_out_of_resources (701)", "carried by 3 allocations", "[0, 16)",
        "claimed by P", "[4, 12)", "[12, 16)", "trusted", "K3: copy skipped", "needs Y [0, 8)", "unwritten: Z [4, 12)",
        "bytes that a failed operation", "left unwritten"}) {
    EXPECT_NE(text.find(words), std::string::npos) << words;
  }
  EXPECT_EQ(text.find("dropped"), std::string::npos);
}

TEST(Dot, EveryStateHasItsWords) {
  const std::string text = dot_text(one_of_each());
  for (const std::string_view words :
       {"unallocated: no memory", "because of B", "#6: never written", "freed: nothing",
        "S failed, and poisons the device", "all further device work is refused", "19 older skip records were dropped",
        "compile_error (6)", "Dashed arrow", "a buffer that is gone", "style=\"dashed\""}) {
    EXPECT_NE(text.find(words), std::string::npos) << words;
  }
}

TEST(Dot, AChainThroughBytesThatAreTrustedAgainIsStillConnected) {
  const std::string text = dot_text(one_of_each());
  const DotLayout layout = lay_out(text);
  if (dot_missing(layout.problem)) GTEST_SKIP() << layout.problem;
  ASSERT_EQ(layout.problem, "");
  const Edges way = {{"f8", "b7"}, {"b7", "k8_13"}, {"k8_13", "b10"}, {"b10", "k8_15"}, {"k8_15", "b12"}};
  for (const auto& arrow : way) EXPECT_EQ(layout.edges.count(arrow), 1U) << arrow.first << " -> " << arrow.second;
  EXPECT_NE(text.find("k8_13:o0:s -> b10:c0:n [color=\"#009E73\" edgetooltip=\"D [0, 16)\" style=\"dashed\"]"),
            std::string::npos);
}

TEST(Dot, AnEmptyGraphSaysSo) {
  traces::Snapshot snapshot;
  snapshot.operations = 4;
  snapshot.buffers = {a_buffer("X", 1, 8, {}), a_buffer("Y", 2, 8, {})};
  const std::string text = dot_text(snapshot);
  EXPECT_NE(text.find("Nothing is claimed."), std::string::npos);
  EXPECT_NE(text.find("All bytes of 2 live buffers can be trusted."), std::string::npos);
  const DotLayout layout = lay_out(text);
  if (dot_missing(layout.problem)) GTEST_SKIP() << layout.problem;
  EXPECT_EQ(layout.nodes, std::set<std::string>{"nothing"});
}

TEST(Dot, WhatIsLeftOutIsCounted) {
  const std::string text = dot_text(many_carriers(816));
  EXPECT_NE(text.find("and 812 more allocations"), std::string::npos);
  EXPECT_NE(text.find("Not all is drawn"), std::string::npos);
  EXPECT_NE(dot_text(many_failures(2'000)).find("more failures"), std::string::npos);
  EXPECT_EQ(dot_text(many_failures(10)).find("Not all is drawn"), std::string::npos);
}

TEST(Dot, EqualSnapshotsGiveTheSameBytes) {
  EXPECT_EQ(dot_text(one_of_each()), dot_text(one_of_each()));
  EXPECT_EQ(dot_text(many_failures(1'000)), dot_text(many_failures(1'000)));
}

TEST(Dot, BuffersOfOneNameAreToldApart) {
  traces::Snapshot snapshot = two_paths_into_one_buffer();
  EXPECT_EQ(dot_text(snapshot).find("(#1)"), std::string::npos);
  snapshot.buffers[1].name = "X";
  for (traces::SnapshotSkip& skip : snapshot.failures[0].skips) {
    for (traces::SnapshotRange& output : skip.outputs) output.buffer = output.buffer == "Y" ? "X" : output.buffer;
    for (traces::SnapshotInput& input : skip.inputs) {
      input.range.buffer = input.range.buffer == "Y" ? "X" : input.range.buffer;
    }
  }
  const std::string text = dot_text(snapshot);
  EXPECT_NE(text.find("X (#1)"), std::string::npos);
  EXPECT_NE(text.find("X (#2)"), std::string::npos);
}

// Names are any bytes. None of these may break out of its place, change the graph or be taken for a command to DOT.
class HostileName : public testing::TestWithParam<std::string> {};

TEST_P(HostileName, ChangesNothingButItsOwnLabel) {
  traces::Snapshot snapshot = two_paths_into_one_buffer();
  const std::string& name = GetParam();
  snapshot.trace_name = name;
  snapshot.buffers[0].name = name;
  traces::SnapshotFailure& failure = snapshot.failures[0];
  failure.operation_name = failure.what = failure.error = failure.call = failure.detail = name;
  for (traces::SnapshotSkip& skip : failure.skips) {
    skip.operation_name = skip.kernel = name;
    if (skip.inputs[0].range.buffer == "X") skip.inputs[0].range.buffer = name;
  }
  const DotLayout expected = lay_out(dot_text(two_paths_into_one_buffer()));
  if (dot_missing(expected.problem)) GTEST_SKIP() << expected.problem;
  const DotLayout layout = lay_out(dot_text(snapshot));
  ASSERT_EQ(layout.problem, "");
  EXPECT_EQ(layout.nodes, expected.nodes);
  EXPECT_EQ(layout.edges, expected.edges);
}

INSTANTIATE_TEST_SUITE_P(Dot, HostileName,
                         testing::Values("\"", "\\", "\\\"]; x -> y [label=\"", "</b></td></tr></table>>]", "<", ">",
                                         "&", "&lt;", "&#10;", "\n", "a\r\nb", "\\N\\G\\L", std::string(1, '\0'),
                                         "\x1b[31m", "\xFF\xFE", "\xE2\x80\xAE", "--", "]]>", "{a|b}", " ", "",
                                         std::string(256, 'W'), std::string(256, '<'), "重み/層 3",
                                         "\xF0\x9F\x92\xA5"));

}  // namespace
}  // namespace taintgraph::viz
