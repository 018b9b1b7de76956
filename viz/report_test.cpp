#include "viz/report.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "viz/snapshot_index.hpp"
#include "viz/snapshots_for_tests.hpp"

namespace taintgraph::viz {
namespace {

TEST(Report, TwoPathsIntoOneBuffer) {
  EXPECT_EQ(report_text(two_paths_into_one_buffer()),
            "two-paths-into-one-buffer, after operation 13\n"
            "1 failure, carried by 3 of 3 live buffers\n"
            "\n"
            "P failed\n"
            "  launch iota, operation 5\n"
            "  cuLaunchKernel: launch_out_of_resources (701)\n"
            "  carried by 3 allocations\n"
            "    X [0, 16): P\n"
            "    Y [0, 8): K1 <- P\n"
            "    Y [8, 16): K2 <- P\n"
            "    Z [4, 12): K3 <- K1 <- P\n"
            "  skipped for it, newest first\n"
            "    K3 (copy): needs Y [0, 8); leaves unwritten Z [4, 12)\n"
            "    K2 (copy): needs X [8, 16); leaves unwritten Y [8, 16)\n"
            "    K1 (copy): needs X [0, 8); leaves unwritten Y [0, 8)\n");
}

TEST(Report, EveryStateHasItsWords) {
  const std::string text = report_text(one_of_each());
  for (const std::string_view words :
       {"B: unallocated, no memory behind it", "#6: never written", "S failed, and poisons the device",
        "may be to blame, newest first\n    T (launch trap), stream 2\n    #30 (copy), stream 0\n    and 7 older ones",
        "(21 in all, the oldest 19 dropped)", "E [0, 40): K2 <- K1 <- P", "E [60, 64): S",
        "identifier \"sourc\" is undefined\\n1 error"}) {
    EXPECT_NE(text.find(words), std::string::npos) << words;
  }
}

TEST(Report, FocusLeavesOutTheOtherFailures) {
  const std::string text = report_text(one_of_each(), "C");
  EXPECT_NE(text.find("B failed"), std::string::npos);
  EXPECT_EQ(text.find("P failed"), std::string::npos);
  EXPECT_NE(text.find("only what touches buffer C"), std::string::npos);
}

TEST(Report, IsBoundedAndCountsTheRest) {
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  const std::string failures = report_text(many_failures(10'000));
  EXPECT_NE(failures.find("and 9950 more failures"), std::string::npos);
  EXPECT_LT(lines(failures), 600);
  const std::string carriers = report_text(many_carriers(10'000));
  EXPECT_NE(carriers.find("and 9984 more allocations"), std::string::npos);
  EXPECT_LT(lines(carriers), 40);
}

TEST(Chain, FollowsByteRangeNotBuffer) {
  const traces::Snapshot snapshot = two_paths_into_one_buffer();
  const traces::SnapshotFailure& failure = snapshot.failures[0];
  EXPECT_EQ(chain(failure, {"Y", 2, 0, 8}), (std::vector<std::size_t>{0}));
  EXPECT_EQ(chain(failure, {"Y", 2, 8, 16}), (std::vector<std::size_t>{1}));
  EXPECT_EQ(chain(failure, {"Y", 2, 0, 16}), (std::vector<std::size_t>{1}));  // the newest
  EXPECT_EQ(chain(failure, {"Z", 3, 4, 5}), (std::vector<std::size_t>{2, 0}));
  EXPECT_TRUE(chain(failure, {"Z", 3, 0, 4}).empty());
  EXPECT_TRUE(chain(failure, {"Z", 9, 4, 5}).empty());  // another buffer of that name
  EXPECT_TRUE(chain(failure, {"X", 1, 0, 16}).empty());
}

}  // namespace
}  // namespace taintgraph::viz
