#include "core/work_log.hpp"

#include <gtest/gtest.h>

#include "core/scripted_device_for_tests.hpp"

namespace taintgraph::core {
namespace {

constexpr StreamIndex kA{0};
constexpr StreamIndex kB{1};
constexpr StreamIndex kC{2};

class WorkLogTest : public ::testing::Test {
 protected:
  void work(StreamIndex stream, std::uint64_t number, std::string_view what = "fill") {
    log_.note(streams_.take_mark(stream), what, Correlation{number});
  }
  [[nodiscard]] std::vector<std::uint64_t> numbers() const {
    std::vector<std::uint64_t> found;
    for (const Suspect& each : log_.suspects(streams_).newest)
      found.push_back(static_cast<std::uint64_t>(each.correlation));
    return found;
  }
  using Numbers = std::vector<std::uint64_t>;

  ScriptedDevice device_;
  StreamTable streams_{device_};
  WorkLog log_{device_.stream_count()};
};

TEST_F(WorkLogTest, NewestIsLastWhateverTheStream) {
  EXPECT_EQ(numbers(), Numbers());
  work(kB, 1, "iota");
  work(kA, 2);
  work(kB, 3);
  EXPECT_EQ(numbers(), (Numbers{1, 2, 3}));
  const Suspects suspects = log_.suspects(streams_);
  EXPECT_EQ(suspects.newest[0].kernel, "iota");
  EXPECT_EQ(suspects.newest[0].stream, kB);
  EXPECT_EQ(suspects.dropped, 0u);
}

TEST_F(WorkLogTest, AGoodWaitProvesItsOwnStreamAndWhatThatHadWaitedFor) {
  work(kA, 1);
  work(kB, 2);
  ASSERT_TRUE(streams_.order_after(kC, kB));
  work(kC, 3);
  work(kB, 4);  // behind the order
  ASSERT_TRUE(streams_.synchronize(kC));
  EXPECT_EQ(numbers(), (Numbers{1, 2, 3, 4})) << "only the program's waits prove anything";
  streams_.proved(kC);
  EXPECT_EQ(numbers(), (Numbers{1, 4}));
  streams_.proved(kA);
  EXPECT_EQ(numbers(), (Numbers{4}));
  streams_.validate();
}

TEST_F(WorkLogTest, IsBoundedByStreamAndCountsTheRest) {
  for (std::uint64_t i = 1; i <= 100; ++i) work(kA, i);
  work(kB, 101);
  EXPECT_EQ(numbers().size(), WorkLog::kPerStream + 1);
  EXPECT_EQ(numbers().front(), 101 - WorkLog::kPerStream);
  EXPECT_EQ(numbers().back(), 101u);
  EXPECT_EQ(log_.suspects(streams_).dropped, 100 - WorkLog::kPerStream);
  streams_.proved(kA);
  work(kA, 102);
  EXPECT_EQ(numbers(), (Numbers{101, 102}));
  EXPECT_EQ(log_.suspects(streams_).dropped, 0u);
}

TEST_F(WorkLogTest, LongNamesAreCutOff) {
  work(kA, 1, std::string(1000, 'k'));
  EXPECT_EQ(log_.suspects(streams_).newest[0].kernel, std::string(WorkLog::kLongestName, 'k'));
}

TEST_F(WorkLogTest, NewStreamsHaveNoPast) {
  for (std::uint64_t i = 1; i <= 20; ++i) work(kA, i);
  streams_.forget();
  log_.forget();
  EXPECT_EQ(numbers(), Numbers());
  work(kA, 21);
  EXPECT_EQ(numbers(), (Numbers{21}));
  EXPECT_EQ(log_.suspects(streams_).dropped, 0u);
}

}  // namespace
}  // namespace taintgraph::core
