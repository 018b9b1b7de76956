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
    memory_.at(slice).usage.written_at(streams_.submit(StreamIndex{stream}));
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
  memory_.at(first).usage.read_at(streams_.submit(StreamIndex{2}));
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
  memory_.at(first).usage.read_at(streams_.submit(StreamIndex{3}));
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
