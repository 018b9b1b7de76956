#include "viz/html.hpp"

#include <gtest/gtest.h>

#include "viz/dot_layout_for_tests.hpp"
#include "viz/occurrences_for_tests.hpp"
#include "viz/snapshots_for_tests.hpp"

namespace taintgraph::viz {
namespace {

tl::expected<std::string, std::string> page_of(const traces::Snapshot& snapshot, const LayoutOptions& layout = {}) {
  return html_page({{{}, snapshot}}, {}, layout);
}

class Html : public testing::Test {
 protected:
  void SetUp() override {
    const DotLayout layout = lay_out("digraph {}");
    if (dot_missing(layout.problem)) GTEST_SKIP() << layout.problem;
  }
};

TEST_F(Html, IsOnePageOfItsOwn) {
  const auto page = page_of(two_paths_into_one_buffer());
  ASSERT_TRUE(page.has_value()) << page.error();
  EXPECT_EQ(page->rfind("<!DOCTYPE html>\n", 0), 0U);
  EXPECT_EQ(page->substr(page->size() - 8), "</html>\n");
  EXPECT_EQ(occurrences(*page, "<svg "), 1U);
  for (const std::string_view outside : {"src=", "@import", "url(", "<link", "href=\"http", "xlink:href"}) {
    EXPECT_EQ(page->find(outside), std::string::npos) << outside;
  }
  EXPECT_EQ(occurrences(*page, "http"), 3U);  // "http-equiv", and the names of SVG's two namespaces
}

TEST_F(Html, TablesSayWhatThePictureShows) {
  const auto page = page_of(two_paths_into_one_buffer());
  ASSERT_TRUE(page.has_value()) << page.error();
  EXPECT_NE(page->find("K3 &lt;- K1 &lt;- P"), std::string::npos);
  EXPECT_NE(page->find("<td>3 allocations</td>"), std::string::npos);
  EXPECT_NE(page->find("cuLaunchKernel: launch_out_of_resources (701)"), std::string::npos);
  EXPECT_NE(page->find("href=\"#s0-f1\""), std::string::npos);
  EXPECT_NE(page->find("id=\"s0-f1\""), std::string::npos);
}

TEST_F(Html, LinksLeadOnlyToWhatIsDrawn) {
  const auto page = page_of(many_carriers(100));
  ASSERT_TRUE(page.has_value()) << page.error();
  for (std::size_t at = page->find("href=\"#"); at != std::string::npos; at = page->find("href=\"#", at + 1)) {
    const std::string id = page->substr(at + 7, page->find('"', at + 7) - at - 7);
    EXPECT_NE(page->find(" id=\"" + id + "\""), std::string::npos) << id;
  }
  EXPECT_NE(page->find(">A100 <span"), std::string::npos);  // listed, though not drawn
}

TEST_F(Html, FramesHaveIdsOfTheirOwn) {
  const auto page = html_page({{"#5 P launch iota -> failed", two_paths_into_one_buffer()}, {"later", one_of_each()}});
  ASSERT_TRUE(page.has_value()) << page.error();
  EXPECT_EQ(occurrences(*page, "<section class=\"frame\""), 2U);
  EXPECT_NE(page->find("<h2>#5 P launch iota -&gt; failed</h2>"), std::string::npos);
  std::set<std::string> ids;
  for (std::size_t at = page->find(" id=\""); at != std::string::npos; at = page->find(" id=\"", at + 1)) {
    const std::string id = page->substr(at + 5, page->find('"', at + 5) - at - 5);
    EXPECT_TRUE(ids.insert(id).second) << id;
  }
  EXPECT_GT(ids.size(), 20U);
}

TEST_F(Html, NothingInANameBecomesMarkup) {
  traces::Snapshot snapshot = two_paths_into_one_buffer();
  const std::string name = "</td><script>alert(1)</script><i id=\"x\" onclick='y'>&amp;";
  snapshot.trace_name = snapshot.buffers[0].name = snapshot.failures[0].operation_name = name;
  snapshot.failures[0].what = snapshot.failures[0].detail = snapshot.failures[0].error = name;
  const auto page = html_page({{name, snapshot}});
  ASSERT_TRUE(page.has_value()) << page.error();
  EXPECT_EQ(occurrences(*page, "<script>"), 1U);
  EXPECT_EQ(page->find("<i "), std::string::npos);
  EXPECT_EQ(page->find("onclick='"), std::string::npos);
}

TEST_F(Html, LongTablesAreCutAndCounted) {
  const auto page = page_of(many_failures(5'000));
  ASSERT_TRUE(page.has_value()) << page.error();
  EXPECT_NE(page->find("and 3000 more failures"), std::string::npos);
  EXPECT_LT(occurrences(*page, "<tr>"), 2 * kMaxHtmlRows + 10);
}

TEST_F(Html, AnEmptyGraphIsAPageToo) {
  const auto page = page_of({});
  ASSERT_TRUE(page.has_value()) << page.error();
  EXPECT_NE(page->find("Nothing is claimed."), std::string::npos);
  EXPECT_EQ(occurrences(*page, "<table>"), 0U);
}

TEST(HtmlWithoutDot, MissingDotIsAnError) {
  LayoutOptions layout;
  layout.program = "no-such-program-here";
  EXPECT_FALSE(page_of(two_paths_into_one_buffer(), layout).has_value());
}

}  // namespace
}  // namespace taintgraph::viz
