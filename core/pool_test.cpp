#include "core/pool.hpp"

#include <gtest/gtest.h>

#include "core/scripted_device_for_tests.hpp"

namespace taintgraph::core {
namespace {

class PoolTest : public ::testing::Test {
 protected:
  void use(PoolOptions options) { pool_.emplace(options, graph_); }
  ~PoolTest() override {
    if (pool_) static_cast<void>(pool_->take_all_pages());
    EXPECT_TRUE(graph_.empty());
  }
  SliceId page(std::uint64_t size_bytes) {
    const SliceId slice = pool_->take_from_new_page(DeviceAddress{next_}, pool_->page_bytes(size_bytes), size_bytes);
    next_ += 1U << 20;
    return slice;
  }
  void drop(SliceId slice) {
    pool_->retire(slice);
    free(slice);
    pool_->validate();
  }
  void free(SliceId slice) {
    const Slice* const gone = &pool_->at(slice);
    pool_->free_retired([gone](const Slice& each) { return &each == gone; });
  }
  FailureId claim(SliceId slice) {
    const FailureId failure = graph_.mint(error_named("launch"), {});
    pool_->at(slice).taint.claim({0, 8}, failure, graph_);
    return failure;
  }

  ErrorGraph graph_;
  std::optional<Pool> pool_;
  std::uint64_t next_ = 1U << 20;
};

constexpr PoolOptions kSmall{PoolKind::sliced, 32, 256};

TEST_F(PoolTest, SplitsAPageAndJoinsItAgain) {
  use(kSmall);
  const SliceId a = page(10);
  const SliceId b = pool_->take(33);
  const SliceId c = pool_->take(32);
  ASSERT_NE(b, SliceId::none);
  ASSERT_NE(c, SliceId::none);
  EXPECT_EQ(pool_->at(a).size_bytes, 32u);
  EXPECT_EQ(pool_->at(b).size_bytes, 64u);
  EXPECT_EQ(pool_->address(b), pool_->address(a) + 32);
  EXPECT_EQ(pool_->address(c), pool_->address(b) + 64);
  pool_->validate();
  drop(a);
  drop(c);
  drop(b);  // joins on both sides
  std::size_t slices = 0;
  pool_->for_each([&](SliceId, const Slice& slice) {
    ++slices;
    EXPECT_EQ(slice.size_bytes, 256u);
  });
  EXPECT_EQ(slices, 1u);
  EXPECT_NE(pool_->take(256), SliceId::none);
  EXPECT_EQ(pool_->take(1), SliceId::none) << "the page is full";
}

TEST_F(PoolTest, TakesTheTightestHole) {
  use(kSmall);
  const SliceId a = page(64);
  const SliceId b = pool_->take(32);
  const SliceId c = pool_->take(32);
  const SliceId d = pool_->take(32);
  const DeviceAddress small = pool_->address(c);
  drop(a);
  drop(c);
  const SliceId taken = pool_->take(32);
  EXPECT_EQ(pool_->address(taken), small);
  pool_->validate();
  static_cast<void>(b);
  static_cast<void>(d);
}

TEST_F(PoolTest, BindingAgainEndsTheClaimsOfTheLastBuffer) {  // B4
  use(kSmall);
  const SliceId slice = page(64);
  pool_->bind(slice, BufferId(0, 1));
  const FailureId failure = claim(slice);
  pool_->bind(slice, BufferId(1, 1));
  EXPECT_FALSE(graph_.contains(failure));
  EXPECT_EQ(pool_->at(slice).buffer, BufferId(1, 1));
}

TEST_F(PoolTest, ClaimsStayOnRetiredMemoryUntilItIsShedOrFreed) {  // C4
  use(kSmall);
  const SliceId shed = page(64);
  const SliceId freed = pool_->take(64);
  const FailureId first = claim(shed);
  const FailureId second = claim(freed);
  pool_->retire(shed);
  pool_->retire(freed);
  EXPECT_EQ(graph_.size(), 2u);
  pool_->shed(shed);
  EXPECT_FALSE(graph_.contains(first));
  free(freed);
  EXPECT_FALSE(graph_.contains(second));
  free(shed);
  pool_->validate();
}

TEST_F(PoolTest, ClaimsEndWhenAPageIsTaken) {  // B4: tombstoned, swept
  use(kSmall);
  const SliceId slice = page(64);
  claim(slice);
  pool_->retire(slice);
  EXPECT_EQ(pool_->take_all_pages().size(), 1u);
  EXPECT_TRUE(graph_.empty());
  EXPECT_EQ(pool_->pages(), 0u);
  pool_->validate();
}

TEST_F(PoolTest, GivingPagesBackRenumbersNothing) {  // B4
  use(kSmall);
  const SliceId a = page(256);
  const SliceId b = page(256);
  const SliceId c = page(256);
  const DeviceAddress at_b = pool_->address(b);
  const FailureId failure = claim(c);
  drop(a);
  EXPECT_EQ(pool_->take_empty_pages(EmptyPages::all).size(), 1u);
  pool_->validate();
  EXPECT_EQ(pool_->address(b), at_b);
  EXPECT_EQ(pool_->at(c).taint.first({0, 1}), failure);
  const SliceId d = page(256);
  EXPECT_EQ(pool_->address(b), at_b);
  EXPECT_NE(pool_->address(d), at_b);
  EXPECT_EQ(pool_->pages(), 3u);
}

TEST_F(PoolTest, PeriodicCleanupTakesOnlyPagesThatStayedEmpty) {
  use(kSmall);
  const SliceId used = page(256);
  drop(used);
  EXPECT_TRUE(pool_->take_empty_pages(EmptyPages::idle).empty()) << "empty for the first time";
  const SliceId again = pool_->take(16);
  drop(again);
  EXPECT_TRUE(pool_->take_empty_pages(EmptyPages::idle).empty()) << "used in between";
  EXPECT_EQ(pool_->take_empty_pages(EmptyPages::idle).size(), 1u);
}

TEST_F(PoolTest, LargeBuffersGetAPageOfTheirOwn) {
  use(kSmall);
  EXPECT_EQ(pool_->page_bytes(16), 256u);
  EXPECT_EQ(pool_->page_bytes(300), 320u);
  const SliceId large = page(300);
  EXPECT_EQ(pool_->at(large).size_bytes, 320u);
  EXPECT_EQ(pool_->take(1), SliceId::none);
}

TEST_F(PoolTest, ExclusivePagesAreNeverSplit) {
  use({PoolKind::exclusive, 32, 256});
  const SliceId a = page(64);
  EXPECT_EQ(pool_->at(a).size_bytes, 64u);
  drop(a);
  EXPECT_EQ(pool_->take(65), SliceId::none);
  const SliceId b = pool_->take(33);
  EXPECT_EQ(pool_->at(b).size_bytes, 64u);
  EXPECT_EQ(pool_->take(1), SliceId::none);
  pool_->validate();
}

TEST_F(PoolTest, ExclusivePagesComeInSizeClasses) {
  use({PoolKind::exclusive, 32, 256});
  std::uint64_t last = 0;
  std::size_t classes = 0;
  for (std::uint64_t size = 0; size <= 32 * 256; ++size) {
    const std::uint64_t page = pool_->page_bytes(size);
    const std::uint64_t least = pool_->slice_bytes(size);
    ASSERT_GE(page, least) << size;
    ASSERT_LT(page - least, (least + 3) / 4) << "less than a quarter is wasted on " << size;
    ASSERT_EQ(page % 32, 0u) << size;
    ASSERT_EQ(pool_->page_bytes(page), page) << "a class is its own class";
    ASSERT_GE(page, last) << size;
    classes += page != last ? 1 : 0;
    last = page;
  }
  EXPECT_EQ(classes, 4u + 4u * 6u) << "one to four units, then four to each doubling";
  EXPECT_EQ(pool_->page_bytes(UINT64_MAX), UINT64_MAX);
  EXPECT_EQ(pool_->page_bytes(UINT64_MAX - 100), pool_->slice_bytes(UINT64_MAX - 100));
}

TEST_F(PoolTest, ExclusivePagesAreUsedAgainWithinTheirClassOnly) {
  use({PoolKind::exclusive, 32, 256});
  const SliceId page_of_ten = page(9 * 32);  // nine units: the class of ten
  ASSERT_EQ(pool_->at(page_of_ten).size_bytes, 320u);
  drop(page_of_ten);
  EXPECT_EQ(pool_->take(8 * 32), SliceId::none) << "another class";
  EXPECT_EQ(pool_->take(10 * 32 + 1), SliceId::none) << "too small";
  const SliceId again = pool_->take(10 * 32);
  ASSERT_NE(again, SliceId::none);
  EXPECT_EQ(pool_->at(again).size_bytes, 320u);
  drop(again);
  EXPECT_NE(pool_->take(8 * 32 + 1), SliceId::none) << "of the class, and smaller than the page";
  EXPECT_EQ(pool_->pages(), 1u);
  pool_->validate();
}

TEST_F(PoolTest, APageOfNoClassServesWhatFitsIt) {
  use({PoolKind::exclusive, 32, 256});
  // Where the class was too much, the page is as small as can be.
  const SliceId tight = pool_->take_from_new_page(DeviceAddress{next_}, 9 * 32, 9 * 32);
  drop(tight);
  EXPECT_EQ(pool_->take(10 * 32), SliceId::none);
  EXPECT_NE(pool_->take(9 * 32), SliceId::none);
}

TEST_F(PoolTest, SizesThatCannotBeRoundedStayAsTheyAre) {
  use(kSmall);
  EXPECT_EQ(pool_->slice_bytes(0), 32u);
  EXPECT_EQ(pool_->slice_bytes(UINT64_MAX), UINT64_MAX);
  EXPECT_EQ(pool_->page_bytes(UINT64_MAX - 1), UINT64_MAX - 1);
  EXPECT_EQ(pool_->take(UINT64_MAX), SliceId::none);
}

}  // namespace
}  // namespace taintgraph::core
