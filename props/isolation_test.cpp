#include "props/isolation.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <new>
#include <stdexcept>

namespace taintgraph::props {
namespace {

ChildLimits stall(int limit_ms) {
  ChildLimits limits;
  limits.stall = std::chrono::milliseconds(limit_ms);
  return limits;
}

TEST(Isolation, HandsBackWhatTheWorkReturned) {
  SharedProgress progress;
  const std::string long_text(1 << 20, 'x');  // more than a pipe holds
  EXPECT_EQ(run_isolated([&] { return long_text; }, progress, stall(5000)).value(), long_text);
}

TEST(Isolation, ASignalIsADeathAndProgressSaysWhere) {
  SharedProgress progress;
  const auto result = run_isolated(
      [&]() -> std::string {
        progress.set_case(41);
        progress.set_step(7);
        std::fprintf(stderr, "last words\n");
        ::kill(::getpid(), SIGKILL);
        return "not reached";
      },
      progress, stall(5000));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().how, Death::How::by_signal);
  EXPECT_EQ(result.error().number, SIGKILL);
  EXPECT_NE(result.error().text().find("signal 9"), std::string::npos);
  EXPECT_NE(result.error().stderr_tail.find("last words"), std::string::npos);
  EXPECT_EQ(progress.case_number(), 41U);
  EXPECT_EQ(progress.step(), 7U);
}

TEST(Isolation, AnExceptionIsADeathWithItsText) {
  SharedProgress progress;
  const auto result =
      run_isolated([]() -> std::string { throw std::runtime_error("bad luck"); }, progress, stall(5000));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().how, Death::How::by_exit);
  EXPECT_NE(result.error().stderr_tail.find("bad luck"), std::string::npos);
}

TEST(Isolation, AChildThatStopsMovingIsStopped) {
  SharedProgress progress;
  const auto result = run_isolated(
      [&]() -> std::string {
        progress.set_step(3);
        for (;;) ::pause();
      },
      progress, stall(300));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().how, Death::How::by_stalling);
  EXPECT_EQ(progress.step(), 3U);
}

TEST(Isolation, AnInterruptionEndsTheChild) {
  SharedProgress progress;
  int asked = 0;
  const auto result = run_isolated(
      []() -> std::string {
        for (;;) ::pause();
      },
      progress, stall(60'000), [&asked] { return ++asked == 3; });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().how, Death::How::interrupted);
  EXPECT_EQ(asked, 3);
}

TEST(Isolation, AChildThatTicksMayTakeLongerThanTheLimit) {
  SharedProgress progress;
  const auto result = run_isolated(
      [&]() -> std::string {
        for (std::uint64_t i = 0; i < 20; ++i) {
          progress.set_step(i);
          ::usleep(50'000);
        }
        return "done";
      },
      progress, stall(400));
  ASSERT_TRUE(result);
  EXPECT_EQ(*result, "done");
}

TEST(Isolation, ACaseThatTicksForEverIsStoppedToo) {
  SharedProgress progress;
  ChildLimits limits = stall(5000);
  limits.one_case = std::chrono::milliseconds(300);
  const auto result = run_isolated(
      [&]() -> std::string {
        for (std::uint64_t i = 0;; ++i) {
          progress.set_step(i);
          ::usleep(1000);
        }
      },
      progress, limits);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().how, Death::How::by_stalling);
}

TEST(Isolation, RunningOutOfMemoryIsADeathOfItsOwn) {
  SharedProgress progress;
  const auto result = run_isolated([]() -> std::string { throw std::bad_alloc(); }, progress, stall(5000));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().how, Death::How::by_memory);
}

// Killed with its parent: the grandchild holds the pipe's end open until it is gone.
TEST(Isolation, AChildEndsWithItsParent) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    ::close(ends[0]);
    SharedProgress progress;
    const Child child(
        [&]() -> std::string {
          (void)!::write(ends[1], "x", 1);
          for (;;) ::pause();
        },
        progress, stall(60'000));
    for (;;) ::pause();
  }
  ::close(ends[1]);
  char byte = 0;
  ASSERT_EQ(::read(ends[0], &byte, 1), 1);
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  EXPECT_EQ(::read(ends[0], &byte, 1), 0);
  ::close(ends[0]);
}

TEST(Isolation, TheParentsMemoryIsUntouched) {
  SharedProgress progress;
  int value = 1;
  (void)run_isolated([&]() -> std::string { return std::to_string(++value); }, progress, stall(5000));
  EXPECT_EQ(value, 1);
}

}  // namespace
}  // namespace taintgraph::props
