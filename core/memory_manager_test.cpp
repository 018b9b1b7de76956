#include "core/memory_manager.hpp"

#include <gtest/gtest.h>

#include "core/scripted_device_for_tests.hpp"

namespace taintgraph::core {
namespace {

class MemoryManagerTest : public ::testing::Test {
 protected:
  ~MemoryManagerTest() override {
    static_cast<void>(streams_.close());
    static_cast<void>(memory_.release_all());
    EXPECT_TRUE(graph_.empty());
    EXPECT_EQ(device_.pages(), 0u);
  }
  SliceId reserve(std::uint64_t size_bytes) {
    auto slice = memory_.reserve(size_bytes);
    EXPECT_TRUE(slice.has_value());
    memory_.bind(*slice, BufferId(next_++, 1));
    return *slice;
  }
  void use(SliceId slice, std::uint32_t stream) {
    memory_.at(slice).usage.written_at(streams_.take_mark(StreamIndex{stream}));
  }

  ErrorGraph graph_;
  ScriptedDevice device_;
  StreamTable streams_{device_};
  MemoryManager memory_{{PoolKind::sliced, 32, 256}, device_, streams_, graph_};
  std::uint32_t next_ = 0;
};

TEST_F(MemoryManagerTest, HandsUnusedMemoryOutAgainAtOnce) {
  const SliceId first = reserve(256);
  const DeviceAddress address = memory_.pool().address(first);
  memory_.retire(first);
  EXPECT_EQ(memory_.pool().address(reserve(256)), address);
  EXPECT_EQ(device_.calls("reserve"), 1);
  EXPECT_EQ(device_.calls("fence"), 0);
}

TEST_F(MemoryManagerTest, HandsUsedMemoryOutOnlyOnceEveryStreamIsDone) {  // W6
  device_.finish_work(false);
  const SliceId first = reserve(256);
  const DeviceAddress address = memory_.pool().address(first);
  use(first, 1);
  memory_.at(first).usage.read_at(streams_.take_mark(StreamIndex{2}));
  memory_.retire(first);
  const SliceId second = reserve(256);
  EXPECT_NE(memory_.pool().address(second), address) << "still in use on two streams";
  EXPECT_EQ(device_.calls("fence"), 2);
  device_.finish_work(true);
  EXPECT_EQ(memory_.pool().address(reserve(256)), address);
  EXPECT_EQ(device_.calls("fence"), 2) << "the fences of before were asked";
  EXPECT_EQ(device_.calls("drop"), 2);
}

TEST_F(MemoryManagerTest, AReaderHoldsMemoryLikeAWriter) {  // W6
  device_.finish_work(false);
  const SliceId first = reserve(256);
  memory_.at(first).usage.read_at(streams_.take_mark(StreamIndex{3}));
  memory_.retire(first);
  memory_.sweep();
  EXPECT_EQ(memory_.pool().retired().size(), 1u);
  ASSERT_TRUE(streams_.synchronize(StreamIndex{3}));
  memory_.sweep();
  EXPECT_TRUE(memory_.pool().retired().empty());
}

TEST_F(MemoryManagerTest, FinishesDeferredFreesBeforeItReportsOutOfMemory) {
  device_.finish_work(false);
  const SliceId first = reserve(256);
  use(first, 1);
  memory_.retire(first);
  device_.fail("reserve", out_of_memory());
  const SliceId second = reserve(256);
  EXPECT_EQ(device_.calls("synchronize"), 1);
  EXPECT_EQ(device_.calls("reserve"), 2) << "one page and one refusal: the freed memory served";
  static_cast<void>(second);
}

TEST_F(MemoryManagerTest, GivesEmptyPagesBackAndTriesOnceMore) {
  memory_.retire(reserve(256));
  memory_.sweep();
  device_.fail("reserve", out_of_memory());
  const SliceId large = reserve(1000);
  EXPECT_EQ(device_.calls("give_back"), 1);
  EXPECT_EQ(memory_.pool().at(large).size_bytes, 1024u);
}

TEST_F(MemoryManagerTest, SaysWhatMakingRoomSaidIfItWasInVain) {  // D3
  for (const char* call : {"give_back", "settle"}) {
    memory_.retire(reserve(256));
    memory_.sweep();
    device_.fail("reserve", out_of_memory(), 2);
    device_.fail(call, error_named("invalid_handle"));
    const auto refused = memory_.reserve(1000);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().name, out_of_memory().name);
    EXPECT_NE(refused.error().detail.find("invalid_handle"), std::string::npos) << refused.error().detail;
  }
}

TEST_F(MemoryManagerTest, LetsWhatItGaveBackSettleBeforeTheSecondTry) {
  device_.fail("reserve", out_of_memory());
  static_cast<void>(reserve(10));
  EXPECT_EQ(device_.calls("settle"), 1);
  static_cast<void>(reserve(1000));
  EXPECT_EQ(device_.calls("settle"), 1) << "nobody waits where there is room";
  device_.fail("reserve", out_of_memory());
  device_.fail("settle", error_named("invalid_value"));
  EXPECT_TRUE(memory_.reserve(1000)) << "the second try may serve all the same";
  Error sticky = error_named("illegal_address");
  sticky.sticky = true;
  device_.fail("reserve", out_of_memory());
  device_.fail("settle", sticky);
  auto refused = memory_.reserve(1000);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().sticky);
}

TEST_F(MemoryManagerTest, AsksForNoMoreThanItNeedsTheSecondTime) {
  device_.fail("reserve", out_of_memory());
  const SliceId small = reserve(10);
  EXPECT_EQ(device_.calls("reserve"), 2) << "one try more, not two";
  EXPECT_EQ(memory_.pool().reserved_bytes(), 32u);
  static_cast<void>(small);
}

TEST_F(MemoryManagerTest, ReportsWhatTheDeviceSays) {
  device_.fail("reserve", out_of_memory(), 9);
  auto refused = memory_.reserve(10);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().name, "out_of_memory");
  device_.fail("reserve", error_named("invalid_context"), 9);
  const int before = device_.calls("reserve");
  ASSERT_FALSE(memory_.reserve(10));
  EXPECT_EQ(device_.calls("reserve"), before + 1) << "only memory is worth a second try";
}

TEST_F(MemoryManagerTest, WhatCanNeverFitIsRefusedWithoutAsking) {
  device_.have(1000);
  auto refused = memory_.reserve(1001);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().name, out_of_memory().name);
  EXPECT_EQ(refused.error().recovery, Recovery::none);
  EXPECT_EQ(refused.error().detail, "1001 bytes can never be had: there are 1000 in all");
  EXPECT_EQ(device_.calls("reserve"), 0);
  ASSERT_FALSE(memory_.reserve(UINT64_MAX));
  EXPECT_EQ(device_.calls("reserve"), 0);
  // Whoever wants the driver's own word gets it.
  device_.fail("reserve", error_named("invalid_value"));
  refused = memory_.reserve(1001, ReserveFrom::new_page);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().name, "invalid_value");
}

TEST_F(MemoryManagerTest, WhatDoesNotFitNowSaysSo) {
  device_.have(1000);
  static_cast<void>(reserve(256));
  device_.fail("reserve", out_of_memory(), 2);
  auto refused = memory_.reserve(900);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().name, out_of_memory().name);
  EXPECT_EQ(refused.error().recovery, Recovery::retry);
  EXPECT_EQ(refused.error().detail, "900 bytes do not fit now, with 256 in pages that hold buffers");
  EXPECT_EQ(device_.calls("reserve"), 3) << "the page, the first try and one more";
}

TEST_F(MemoryManagerTest, KeepsToItsLimit) {
  MemoryManager limited{{PoolKind::sliced, 32, 256, 640}, device_, streams_, graph_};
  auto never = limited.reserve(641);
  ASSERT_FALSE(never);
  EXPECT_EQ(never.error().recovery, Recovery::none);
  EXPECT_FALSE(limited.reserve(641, ReserveFrom::new_page)) << "the limit is nobody else's to judge";
  auto first = limited.reserve(256);
  auto second = limited.reserve(256);
  ASSERT_TRUE(first && second);
  const int asked = device_.calls("reserve");
  auto third = limited.reserve(200);
  ASSERT_FALSE(third) << "a page more would be too much, and so is one of just the size";
  EXPECT_EQ(third.error().name, out_of_memory().name);
  EXPECT_EQ(third.error().recovery, Recovery::retry);
  EXPECT_EQ(device_.calls("reserve"), asked);
  EXPECT_TRUE(limited.reserve(128)) << "no page of the usual size, but one that is just large enough";
  EXPECT_EQ(limited.pool().reserved_bytes(), 640u);
  limited.retire(*first);
  EXPECT_TRUE(limited.reserve(200)) << "there is room again";
  EXPECT_TRUE(limited.release_all());
}

TEST_F(MemoryManagerTest, AFullDeviceGivesUpOnlyOnceEveryStreamHasBeenWaitedFor) {  // W6
  device_.finish_work(false);
  const SliceId first = reserve(256);
  const SliceId second = reserve(256);
  use(first, 1);
  use(second, 2);
  memory_.retire(first);
  memory_.retire(second);
  device_.fail("reserve", out_of_memory(), 2);
  ASSERT_FALSE(memory_.reserve(512));
  EXPECT_EQ(device_.calls("synchronize"), 2);
  EXPECT_EQ(device_.calls("give_back"), 2);
  EXPECT_EQ(device_.calls("reserve"), 4) << "two pages, the first try and one more";
  EXPECT_EQ(memory_.pool().pages(), 0u);
}

TEST_F(MemoryManagerTest, AWaitThatFailsDoesNotEndTheSearch) {  // D3
  device_.finish_work(false);
  const SliceId busy = reserve(256);
  use(busy, 1);
  memory_.retire(busy);
  device_.fail("reserve", out_of_memory());
  device_.fail("synchronize", error_named("invalid_value"));
  EXPECT_TRUE(memory_.reserve(256)) << "the second try of the device serves";
  EXPECT_EQ(memory_.pool().retired().size(), 1u);
  Error sticky = error_named("illegal_address");
  sticky.sticky = true;
  device_.fail("reserve", out_of_memory());
  device_.fail("synchronize", sticky);
  auto refused = memory_.reserve(256);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().sticky) << "a sticky error is never hidden (D1)";
}

TEST_F(MemoryManagerTest, AStreamThatHangsKeepsOnlyItsOwnMemory) {  // W6
  device_.finish_work(false);
  const SliceId held_up = reserve(256);
  const SliceId slow = reserve(256);
  use(held_up, 1);
  use(slow, 2);
  const DeviceAddress address = memory_.pool().address(slow);
  memory_.retire(held_up);
  memory_.retire(slow);
  device_.fail("reserve", out_of_memory(), 2);
  device_.fail("synchronize", timed_out("cuStreamQuery"));
  const auto slice = memory_.reserve(256);
  ASSERT_TRUE(slice) << "the other stream was waited for too";
  EXPECT_EQ(memory_.pool().address(*slice), address);
  EXPECT_EQ(memory_.pool().retired().size(), 1u);
  EXPECT_EQ(device_.deadline(), 1000 + ScriptedDevice::kPatience);
}

TEST_F(MemoryManagerTest, AnExclusivePoolAsksForLessWhereItsClassIsTooMuch) {
  MemoryManager exclusive{{PoolKind::exclusive, 32, 256}, device_, streams_, graph_};
  device_.fail("reserve", out_of_memory());
  auto slice = exclusive.reserve(9 * 32);
  ASSERT_TRUE(slice);
  EXPECT_EQ(exclusive.at(*slice).size_bytes, 9 * 32u);
  EXPECT_TRUE(exclusive.release_all());
}

TEST_F(MemoryManagerTest, PeriodicCleanupKeepsWhatIsInUseNowAndThen) {
  MemoryManager exclusive{{PoolKind::exclusive, 32, 256}, device_, streams_, graph_};
  auto often = exclusive.reserve(32);
  auto once = exclusive.reserve(64);
  ASSERT_TRUE(often && once);
  exclusive.retire(*often);
  exclusive.retire(*once);
  for (int period = 0; period < 2; ++period) {
    ASSERT_TRUE(exclusive.cleanup(CleanupMode::periodic));
    EXPECT_EQ(exclusive.pool().pages(), period == 0 ? 2u : 1u);
    auto again = exclusive.reserve(32);
    ASSERT_TRUE(again);
    exclusive.retire(*again);
  }
  EXPECT_EQ(device_.calls("reserve"), 2) << "the page that is used was never given back";
  ASSERT_TRUE(exclusive.cleanup(CleanupMode::immediate));
  EXPECT_EQ(exclusive.pool().pages(), 0u);
}

TEST_F(MemoryManagerTest, ANewPageCanBeAskedForWhereOldMemoryWouldDo) {
  memory_.retire(reserve(16));
  memory_.sweep();
  auto fresh = memory_.reserve(16, ReserveFrom::new_page);
  ASSERT_TRUE(fresh);
  EXPECT_EQ(device_.calls("reserve"), 2);
}

TEST_F(MemoryManagerTest, CleanupGivesBackWhatIsEmptyAndDone) {
  device_.finish_work(false);
  const SliceId busy = reserve(256);
  const SliceId idle = reserve(256);
  use(busy, 1);
  memory_.retire(busy);
  memory_.retire(idle);
  ASSERT_TRUE(memory_.cleanup(CleanupMode::immediate));
  EXPECT_EQ(device_.pages(), 1u) << "a stream still uses the other";
  device_.finish_work(true);
  ASSERT_TRUE(memory_.cleanup(CleanupMode::immediate));
  EXPECT_EQ(device_.pages(), 0u);
}

TEST_F(MemoryManagerTest, AFailedFenceLeavesMemoryRetired) {  // D3
  const SliceId first = reserve(256);
  use(first, 1);
  memory_.retire(first);
  device_.fail("fence", error_named("invalid_value"));
  const SliceId second = reserve(256);
  EXPECT_NE(memory_.pool().address(second), memory_.pool().address(first));
  Error sticky = error_named("illegal_address");
  sticky.sticky = true;
  device_.fail("fence", sticky);
  auto refused = memory_.reserve(256);
  ASSERT_FALSE(refused) << "a sticky error is never swallowed (D1)";
  EXPECT_TRUE(refused.error().sticky);
}

}  // namespace
}  // namespace taintgraph::core
