#include "viz/json_graph.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "viz/snapshots_for_tests.hpp"

namespace taintgraph::viz {
namespace {

TEST(JsonGraph, HoldsTheWholeSnapshot) {
  const auto graph = nlohmann::json::parse(json_text(one_of_each()));
  EXPECT_EQ(graph.at("trace"), "one of each");
  EXPECT_EQ(graph.at("operations"), 40);
  ASSERT_EQ(graph.at("failures").size(), 4U);
  const auto& root = graph["failures"][2];
  EXPECT_EQ(root.at("name"), "P");
  EXPECT_EQ(root.at("code"), 6);
  EXPECT_EQ(root.at("skips_total"), 21);
  EXPECT_EQ(root.at("skips").at(1).at("inputs").at(1).at("failure"), 5);
  EXPECT_EQ(root.at("skips").at(1).at("outputs").at(0).at("end"), 128);
  EXPECT_EQ(graph["failures"][3].at("poison"), true);
  EXPECT_EQ(graph["failures"][3].at("suspects").at(1).at("name"), "T");
  EXPECT_EQ(graph["failures"][3].at("suspects").at(1).at("stream"), 2);
  EXPECT_EQ(graph["failures"][3].at("suspects_dropped"), 7);
  ASSERT_EQ(graph.at("buffers").size(), 6U);
  EXPECT_EQ(graph["buffers"][0].at("reason"), 3);
  EXPECT_EQ(graph["buffers"][4].at("claims").at(1).at("begin"), 60);
}

TEST(JsonGraph, IsOneLine) {
  const std::string text = json_text(one_of_each());
  EXPECT_EQ(text.find('\n'), text.size() - 1);
}

TEST(JsonGraph, FocusLeavesOutWhatDoesNotTouchTheBuffer) {
  const auto graph = nlohmann::json::parse(json_text(one_of_each(), "C"));
  ASSERT_EQ(graph.at("failures").size(), 1U);
  ASSERT_EQ(graph.at("buffers").size(), 2U);
  EXPECT_EQ(graph["buffers"][1].at("name"), "C");
}

TEST(JsonGraph, NumbersOf64BitsAndBadBytesSurvive) {
  traces::Snapshot snapshot = two_paths_into_one_buffer();
  snapshot.buffers[0].size = 18446744073709551615U;
  snapshot.buffers[0].name = "\xFF\"\n";
  const auto graph = nlohmann::json::parse(json_text(snapshot));
  EXPECT_EQ(graph["buffers"][0].at("size"), 18446744073709551615U);
  EXPECT_EQ(graph["buffers"][0].at("name"), "\xEF\xBF\xBD\"\n");
}

}  // namespace
}  // namespace taintgraph::viz
