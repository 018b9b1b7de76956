#include "core/stream_table.hpp"

#include <gtest/gtest.h>

#include "core/scripted_device_for_tests.hpp"

namespace taintgraph::core {
namespace {

constexpr StreamIndex kA{0};
constexpr StreamIndex kB{1};
constexpr StreamIndex kC{2};

class StreamTableTest : public ::testing::Test {
 protected:
  using Orders = std::vector<std::string>;
  Usage written(StreamIndex stream) {
    Usage usage;
    usage.written_at(streams_.take_mark(stream));
    return usage;
  }

  ScriptedDevice device_;
  StreamTable streams_{device_};
};

TEST_F(StreamTableTest, WorkOnOneStreamNeedsNoEvent) {  // W6
  const Usage usage = written(kA);
  ASSERT_TRUE(streams_.before_read(kA, usage));
  ASSERT_TRUE(streams_.before_write(kA, usage));
  EXPECT_TRUE(device_.orders().empty());
}

TEST_F(StreamTableTest, AReadComesAfterTheLastWriteAndOnlyOnce) {
  const Usage usage = written(kA);
  ASSERT_TRUE(streams_.before_read(kB, usage));
  ASSERT_TRUE(streams_.before_read(kB, usage));
  EXPECT_EQ(device_.orders(), (Orders{"1<-0"}));
  const Usage later = written(kA);
  ASSERT_TRUE(streams_.before_read(kB, later));
  EXPECT_EQ(device_.orders(), (Orders{"1<-0", "1<-0"}));
}

TEST_F(StreamTableTest, AWriteComesAfterEveryReader) {
  Usage usage;
  usage.read_at(streams_.take_mark(kB));
  usage.read_at(streams_.take_mark(kC));
  ASSERT_TRUE(streams_.before_read(kA, usage));
  EXPECT_TRUE(device_.orders().empty()) << "reads do not wait for reads";
  ASSERT_TRUE(streams_.before_write(kA, usage));
  EXPECT_EQ(device_.orders(), (Orders{"0<-1", "0<-2"}));
}

TEST_F(StreamTableTest, AnOrderCarriesTheOrdersBehindIt) {
  const Usage usage = written(kA);
  ASSERT_TRUE(streams_.order_after(kB, kA));
  ASSERT_TRUE(streams_.order_after(kC, kB));
  ASSERT_TRUE(streams_.before_read(kC, usage));
  EXPECT_EQ(device_.orders(), (Orders{"1<-0", "2<-1"}));
}

TEST_F(StreamTableTest, AnOrderDoesNotCoverWhatWasQueuedAfterIt) {
  static_cast<void>(written(kA));
  ASSERT_TRUE(streams_.order_after(kB, kA));
  const Usage later = written(kA);
  ASSERT_TRUE(streams_.order_after(kC, kB));
  ASSERT_TRUE(streams_.before_read(kC, later));
  EXPECT_EQ(device_.orders(), (Orders{"1<-0", "2<-1", "2<-0"}));
}

TEST_F(StreamTableTest, WhatTheHostHasWaitedForNeedsNoOrder) {
  const Usage usage = written(kA);
  ASSERT_TRUE(streams_.order_after(kB, kA));
  EXPECT_FALSE(streams_.done(usage));
  ASSERT_TRUE(streams_.synchronize(kB));  // B had waited for A
  EXPECT_TRUE(streams_.done(usage));
  streams_.proved(kB);
  ASSERT_TRUE(streams_.before_write(kC, usage));
  EXPECT_EQ(device_.orders(), (Orders{"1<-0"}));
}

TEST_F(StreamTableTest, OrdersFollowFromTheProgramAlone) {
  const Usage usage = written(kA);
  ASSERT_TRUE(streams_.poll(usage));  // happens to be done already
  EXPECT_TRUE(streams_.done(usage));
  ASSERT_TRUE(streams_.before_read(kB, usage));
  EXPECT_EQ(device_.orders(), (Orders{"1<-0"}));
}

TEST_F(StreamTableTest, AFailedWaitProvesNothing) {  // D3
  const Usage usage = written(kA);
  device_.fail("synchronize", error_named("invalid_handle"));
  EXPECT_FALSE(streams_.synchronize(kA));
  EXPECT_FALSE(streams_.done(usage));
  device_.fail("order_after", error_named("invalid_handle"));
  EXPECT_FALSE(streams_.before_read(kB, usage));
  ASSERT_TRUE(streams_.before_read(kB, usage));
  EXPECT_EQ(device_.orders(), (Orders{"1<-0", "1<-0"})) << "asked again";
}

TEST_F(StreamTableTest, AStreamIsAlwaysInOrderWithItself) {
  ASSERT_TRUE(streams_.order_after(kA, kA));
  EXPECT_TRUE(device_.orders().empty());
}

TEST_F(StreamTableTest, PollingNeverTakesMoreThanTheFenceProves) {
  device_.finish_work(false);
  const Usage first = written(kA);
  ASSERT_TRUE(streams_.poll(first));
  const Usage second = written(kA);  // after the fence
  device_.finish_work(true);
  ASSERT_TRUE(streams_.poll(first));
  EXPECT_FALSE(streams_.done(first)) << "each stream is asked once in a round";
  streams_.begin_poll();
  ASSERT_TRUE(streams_.poll(first));
  EXPECT_TRUE(streams_.done(first));
  EXPECT_FALSE(streams_.done(second));
  ASSERT_TRUE(streams_.close());
  EXPECT_EQ(device_.calls("drop"), 1);
}

TEST_F(StreamTableTest, WorkBehindAFenceThatIsReachedGetsItsOwnInTheSameRound) {
  device_.finish_work(false);
  ASSERT_TRUE(streams_.poll(written(kA)));
  const Usage later = written(kA);
  device_.finish_work(true);
  streams_.begin_poll();
  ASSERT_TRUE(streams_.poll(later));
  EXPECT_TRUE(streams_.done(later));
  EXPECT_EQ(device_.calls("fence"), 2);
  EXPECT_EQ(device_.calls("drop"), 2);
}

TEST_F(StreamTableTest, AStreamWhoseFenceFailsIsNotAskedAgainInThatRound) {  // D3
  const Usage first = written(kA);
  const Usage second = written(kA);
  device_.fail("fence", error_named("out_of_memory"), 2);
  streams_.begin_poll();
  EXPECT_FALSE(streams_.poll(first));
  EXPECT_TRUE(streams_.poll(second));
  EXPECT_EQ(device_.calls("fence"), 1);
  streams_.begin_poll();
  EXPECT_FALSE(streams_.poll(second));
  EXPECT_EQ(device_.calls("fence"), 2);
}

TEST_F(StreamTableTest, ClosingDropsOutstandingFences) {
  device_.finish_work(false);
  ASSERT_TRUE(streams_.poll(written(kA)));
  ASSERT_TRUE(streams_.poll(written(kB)));
  ASSERT_TRUE(streams_.close());
  EXPECT_EQ(device_.calls("drop"), 2);
}

}  // namespace
}  // namespace taintgraph::core
