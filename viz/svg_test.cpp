#include "viz/svg.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <iostream>

#include "viz/dot_layout_for_tests.hpp"
#include "viz/occurrences_for_tests.hpp"
#include "viz/snapshots_for_tests.hpp"

namespace taintgraph::viz {
namespace {

class Svg : public testing::Test {
 protected:
  void SetUp() override {
    const DotLayout layout = lay_out("digraph {}");
    if (dot_missing(layout.problem)) GTEST_SKIP() << layout.problem;
  }
};

TEST_F(Svg, IsOneWholePictureOnWhitePaper) {
  const auto svg = svg_text(two_paths_into_one_buffer());
  ASSERT_TRUE(svg.has_value()) << svg.error();
  EXPECT_EQ(svg->rfind("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg ", 0), 0U);
  EXPECT_EQ(svg->substr(svg->size() - 7), "</svg>\n");
  EXPECT_EQ(occurrences(*svg, "class=\"node\""), 8U);
  EXPECT_EQ(occurrences(*svg, "class=\"edge\""), 7U);
  EXPECT_LT(svg->find("<polygon fill=\"#ffffff\" stroke=\"transparent\""), svg->find("class=\"node\""));
  EXPECT_NE(svg->find("id=\"f1\""), std::string::npos);
  EXPECT_NE(svg->find("carried by 3 allocations"), std::string::npos);
}

TEST_F(Svg, HoldsNoVersionAndNothingFromOutside) {
  const auto svg = svg_text(one_of_each());
  ASSERT_TRUE(svg.has_value()) << svg.error();
  EXPECT_EQ(svg->find("graphviz"), std::string::npos);
  EXPECT_EQ(svg->find("DOCTYPE"), std::string::npos);
  EXPECT_EQ(svg->find("xlink:href"), std::string::npos);
  EXPECT_EQ(occurrences(*svg, "http"), 2U);  // the names of the two namespaces
}

TEST_F(Svg, EqualSnapshotsGiveTheSameBytes) { EXPECT_EQ(svg_text(one_of_each()), svg_text(one_of_each())); }

TEST_F(Svg, SeveralGraphsAreDrawnInOneRun) {
  const auto elements = svg_elements({dot_text(two_paths_into_one_buffer()), dot_text({}), dot_text(one_of_each())});
  ASSERT_TRUE(elements.has_value()) << elements.error();
  ASSERT_EQ(elements->size(), 3U);
  EXPECT_NE((*elements)[0].find("13</text>"), std::string::npos);
  EXPECT_NE((*elements)[1].find("Nothing is claimed."), std::string::npos);
  EXPECT_NE((*elements)[2].find("one of each"), std::string::npos);
}

TEST_F(Svg, AThousandFailuresInOnePicture) {
  const traces::Snapshot snapshot = many_failures(1'000);
  const auto begin = std::chrono::steady_clock::now();
  const auto svg = svg_text(snapshot);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  ASSERT_TRUE(svg.has_value()) << svg.error();
  EXPECT_EQ(occurrences(*svg, "class=\"node\""), 1'001U);  // and the legend
  std::cout << "1,000 failures drawn in " << took.count() << " s\n";
}

TEST_F(Svg, AHundredThousandFailuresStayBounded) {
  const auto svg = svg_text(many_failures(100'000));
  ASSERT_TRUE(svg.has_value()) << svg.error();
  EXPECT_EQ(occurrences(*svg, "class=\"node\""), kMaxNodes + 1);
  EXPECT_NE(svg->find("and 98501 more failures"), std::string::npos);
}

TEST_F(Svg, WhatDotRefusesIsAnError) {
  const auto elements = svg_elements({"digraph { a -> "});
  ASSERT_FALSE(elements.has_value());
  EXPECT_EQ(elements.error().rfind("cannot draw the picture: `dot` failed with exit code", 0), 0U) << elements.error();
}

TEST(SvgWithoutDot, AMissingDotIsSaid) {
  const char* const before = getenv("PATH");
  const std::string path = before ? before : "";
  setenv("PATH", "/nonexistent", 1);
  const auto svg = svg_text(two_paths_into_one_buffer());
  setenv("PATH", path.c_str(), 1);
  ASSERT_FALSE(svg.has_value());
  EXPECT_EQ(svg.error(), "cannot draw the picture: `dot` was not found on PATH; it is part of Graphviz");
}

TEST(SvgWithoutDot, AProgramThatDrawsNothingIsNotBelieved) {
  LayoutOptions layout;
  layout.program = "true";
  const auto svg = svg_text(two_paths_into_one_buffer(), {}, layout);
  ASSERT_FALSE(svg.has_value());
  EXPECT_EQ(svg.error(), "cannot draw the picture: `true` gave 0 whole pictures for 1 graphs");
}

}  // namespace
}  // namespace taintgraph::viz
