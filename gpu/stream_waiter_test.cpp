#include "gpu/stream_waiter.hpp"

#include <gtest/gtest.h>

#include "gpu/bare_driver_for_tests.hpp"

namespace taintgraph::gpu {
namespace {

// A stream that is done at a moment of a clock that moves only in pauses.
struct Scene {
  std::uint64_t now = 5'000;
  std::uint64_t done_at = 0;
  CUresult answer = CUDA_SUCCESS;  // once it is done
  int queries = 0;
  int synchronisations = 0;
};
Scene scene;  // the tables hold plain functions

class StreamWaiterTest : public ::testing::Test {
 protected:
  StreamWaiterTest() {
    scene = {};
    bare_.driver.cuStreamQuery = [](CUstream) {
      ++scene.queries;
      return scene.now < scene.done_at ? CUDA_ERROR_NOT_READY : scene.answer;
    };
    bare_.driver.cuStreamSynchronize = [](CUstream) {
      ++scene.synchronisations;
      return CUDA_SUCCESS;
    };
  }
  static constexpr std::uint64_t kPatience = 1'000'000'000'000;

  BareDriver bare_;
  DeviceClock clock_{&scene, [](void* self) { return static_cast<Scene*>(self)->now; },
                     [](void* self, std::uint64_t nanoseconds) { static_cast<Scene*>(self)->now += nanoseconds; }};
  StreamWaiter waiter_{bare_.driver, clock_, kPatience};
};

TEST_F(StreamWaiterTest, DoneWorkIsAskedForOnceAndSynchronised) {
  EXPECT_TRUE(waiter_.wait(nullptr));
  EXPECT_EQ(scene.queries, 1);
  EXPECT_EQ(scene.synchronisations, 1);
  EXPECT_EQ(scene.now, 5'000U);
}

TEST_F(StreamWaiterTest, GivesUpAtTheDeadlineAndNotBefore) {
  scene.done_at = 1'000'000;
  const core::Deadline early = waiter_.deadline_in(100'000);
  EXPECT_EQ(early.at_nanoseconds, 105'000U);
  const auto given_up = waiter_.wait(nullptr, early);
  ASSERT_FALSE(given_up);
  EXPECT_TRUE(core::is_timeout(given_up.error()));
  EXPECT_FALSE(given_up.error().sticky);
  EXPECT_EQ(scene.now, 105'000U);
  EXPECT_EQ(scene.synchronisations, 0) << "that would wait without an end";
  EXPECT_TRUE(waiter_.wait(nullptr, waiter_.deadline_in(2'000'000)));
}

TEST_F(StreamWaiterTest, ADeadlineOfNowStillAsks) {
  EXPECT_TRUE(waiter_.wait(nullptr, waiter_.deadline_in(0)));
  scene.done_at = 6'000;
  EXPECT_FALSE(waiter_.wait(nullptr, waiter_.deadline_in(0)));
  EXPECT_EQ(scene.now, 5'000U);
}

TEST_F(StreamWaiterTest, LongWaitsAskSeldomAndAreLittleLate) {
  scene.done_at = 1'000'000'000;
  EXPECT_TRUE(waiter_.wait(nullptr));
  EXPECT_LT(scene.queries, 200);
  EXPECT_LE(scene.now, 1'125'010'000U);
}

TEST_F(StreamWaiterTest, PatienceEndsToo) {
  scene.done_at = ~std::uint64_t{0};
  EXPECT_TRUE(core::is_timeout(waiter_.wait(nullptr).error()));
  EXPECT_EQ(scene.now, 5'000 + kPatience);
}

TEST_F(StreamWaiterTest, ADayIsTheLongestWait) {
  scene.done_at = ~std::uint64_t{0};
  EXPECT_TRUE(core::is_timeout(waiter_.wait(nullptr, waiter_.deadline_in(~std::uint64_t{0})).error()));
  EXPECT_EQ(scene.now, 5'000 + 86'400'000'000'000U);
  scene.now = ~std::uint64_t{0} - 10;
  EXPECT_EQ(waiter_.deadline_in(1'000).at_nanoseconds, ~std::uint64_t{0} - 1) << "which the clock may still reach";
}

TEST_F(StreamWaiterTest, AnErrorEndsTheWait) {
  scene.answer = CUDA_ERROR_ILLEGAL_ADDRESS;
  const auto failed = waiter_.wait(nullptr);
  ASSERT_FALSE(failed);
  EXPECT_TRUE(failed.error().sticky);
  EXPECT_EQ(failed.error().call, "cuStreamQuery");
  EXPECT_EQ(scene.queries, 1);
}

TEST_F(StreamWaiterTest, WithoutAClockItIsTheHosts) {
  const StreamWaiter waiter(bare_.driver, {}, 0);
  scene.done_at = ~std::uint64_t{0};
  EXPECT_TRUE(core::is_timeout(waiter.wait(nullptr, waiter.deadline_in(200'000)).error()));
  EXPECT_GT(scene.queries, 1);
}

}  // namespace
}  // namespace taintgraph::gpu
