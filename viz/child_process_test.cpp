#include "viz/child_process.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>

namespace taintgraph::viz {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kPlenty{60'000};

TEST(ChildProcess, PassesTextThrough) {
  const auto answer = run_filter({"tr", "a-z", "A-Z"}, "claimed by P\n", kPlenty);
  ASSERT_TRUE(answer.has_value()) << answer.error();
  EXPECT_EQ(*answer, "CLAIMED BY P\n");
}

TEST(ChildProcess, MoreThanAPipeHoldsBothWays) {
  const std::string much(3'000'000, 'x');
  const auto answer = run_filter({"cat"}, much, kPlenty);
  ASSERT_TRUE(answer.has_value()) << answer.error();
  EXPECT_EQ(*answer, much);
}

TEST(ChildProcess, NoInputAtAll) {
  const auto answer = run_filter({"cat"}, "", kPlenty);
  ASSERT_TRUE(answer.has_value()) << answer.error();
  EXPECT_EQ(*answer, "");
}

TEST(ChildProcess, MissingProgramIsNamed) {
  const auto answer = run_filter({"no-such-program-here"}, "x", kPlenty);
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error(), "`no-such-program-here` was not found on PATH");
}

TEST(ChildProcess, FailureGivesTheCodeAndTheFirstComplaintAndNoOutput) {
  const auto answer =
      run_filter({"sh", "-c", "echo half a picture; echo bad thing >&2; echo more >&2; exit 3"}, "", kPlenty);
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error(), "`sh` failed with exit code 3: bad thing");
}

TEST(ChildProcess, DeathBySignalIsSaid) {
  const auto answer = run_filter({"sh", "-c", "kill -9 $$"}, "", kPlenty);
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error(), "`sh` was ended by signal 9");
}

TEST(ChildProcess, OneThatReadsNothingRaisesNoSignalHere) {
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  struct sigaction before = {};
  ASSERT_EQ(sigaction(SIGPIPE, &standard, &before), 0);  // a SIGPIPE would end this test program
  const auto answer = run_filter({"sh", "-c", "exec <&-; echo done"}, std::string(3'000'000, 'x'), kPlenty);
  sigaction(SIGPIPE, &before, nullptr);
  ASSERT_TRUE(answer.has_value()) << answer.error();
  EXPECT_EQ(*answer, "done\n");
}

TEST(ChildProcess, OneThatFloodsIsEnded) {
  const auto answer = run_filter({"yes"}, "", kPlenty, 1'000'000);
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error(), "`yes` wrote more than 1000000 bytes");
}

TEST(ChildProcess, OneThatHangsIsEnded) {
  const auto begin = steady_clock::now();
  const auto answer = run_filter({"sleep", "1000"}, "x", milliseconds(150));
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error(), "`sleep` did not finish within 150 ms");
  EXPECT_LT(steady_clock::now() - begin, kPlenty);
}

TEST(ChildProcess, OneThatHangsAfterClosingItsOutputIsEndedToo) {
  const auto answer = run_filter({"sh", "-c", "exec >&- 2>&-; exec sleep 1000"}, "x", milliseconds(150));
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error(), "`sh` did not finish within 150 ms");
}

}  // namespace
}  // namespace taintgraph::viz
