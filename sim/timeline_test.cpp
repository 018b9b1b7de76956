#include "sim/timeline.hpp"

#include <gtest/gtest.h>

#include <string>

namespace taintgraph::sim {
namespace {

class SlotRecorder : public WorkRunner {
 public:
  void run(WorkItem& item) override {
    order += static_cast<char>('a' + item.slot);
    order += std::to_string(item.ordinal);
  }
  std::string order;
};

class TimelineTest : public testing::Test {
 protected:
  TimelineTest() {
    (void)timeline.open_slot();
    (void)timeline.open_slot();
  }
  WorkItem& queue(std::uint32_t slot) {
    WorkItem& item = timeline.enqueue(slot);
    item.work.kind = WorkKind::copy_on_device;
    item.context = slot + 1;
    return item;
  }
  VectorClock past(std::uint32_t slot, std::uint64_t ordinal) {
    VectorClock clock;
    clock.include(slot, ordinal);
    return clock;
  }

  SlotRecorder recorder;
  Timeline timeline{5, recorder};
};

TEST_F(TimelineTest, WorkWaitsForItsTime) {
  const std::uint64_t due = queue(0).due;
  EXPECT_EQ(recorder.order, "");
  while (recorder.order.empty()) timeline.step();
  EXPECT_EQ(recorder.order, "a1");
  EXPECT_GE(timeline.now(), due);
}

TEST_F(TimelineTest, AWaitRunsWhatIsDoneByThenAndMovesTime) {
  queue(0);
  const std::uint64_t due = queue(0).due;
  queue(0);
  timeline.run_until(past(0, 2));
  EXPECT_EQ(recorder.order, "a1a2");
  EXPECT_EQ(timeline.now(), due);
  EXPECT_TRUE(timeline.done(past(0, 2)));
  EXPECT_FALSE(timeline.done(past(0, 3)));
}

TEST_F(TimelineTest, EventsDelayTheWaitingStream) {
  queue(0);
  timeline.order_after(1, timeline.clock(0), timeline.ready_at(0));
  const WorkItem& item = queue(1);
  EXPECT_EQ(item.clock[0], 1U);
  timeline.run_until(past(1, 1));
  EXPECT_EQ(recorder.order, "a1b1");
}

TEST_F(TimelineTest, ForcedOrderReplacesTimeWithinWhatIsOrdered) {
  queue(0);
  queue(0);
  queue(1);
  timeline.order_after(1, timeline.clock(0), timeline.ready_at(0));
  queue(1);
  const std::uint32_t forced[] = {1, 1, 0, 9, 0, 1};
  timeline.force_schedule(forced);
  timeline.run_until(timeline.everything());
  // The second of stream 1 cannot run before both of stream 0; nor is there a stream 9.
  EXPECT_EQ(recorder.order, "b1a1a2b2");
  EXPECT_EQ(timeline.take_schedule(), (std::vector<std::uint32_t>{1, 0, 0, 1}));
}

TEST_F(TimelineTest, UnderAForcedScheduleNothingElseRunsUnlessAWaitNeedsIt) {
  queue(0);
  queue(1);
  timeline.force_schedule({});
  for (int i = 0; i < 100; ++i) timeline.step();
  EXPECT_EQ(recorder.order, "");
  timeline.run_until(past(1, 1));
  EXPECT_EQ(recorder.order, "b1");
  (void)timeline.take_schedule();
  timeline.step();
  EXPECT_EQ(recorder.order, "b1a1");
}

TEST_F(TimelineTest, AForcedEntryMayBeQueuedLater) {
  const std::uint32_t forced[] = {1, 0};
  timeline.force_schedule(forced);
  queue(0);
  timeline.step();
  EXPECT_EQ(recorder.order, "");
  queue(1);
  timeline.step();
  EXPECT_EQ(recorder.order, "b1a1");
}

TEST_F(TimelineTest, ReplayingTheTakenScheduleGivesItAgain) {
  std::vector<std::uint32_t> taken;
  std::string order;
  for (int round = 0; round < 2; ++round) {
    SlotRecorder each;
    Timeline line{round == 0 ? 5U : 99U, each};  // other durations the second time
    for (int i = 0; i < 3; ++i) (void)line.open_slot();
    if (round == 1) line.force_schedule(taken);
    for (std::uint32_t i = 0; i < 30; ++i) {
      line.enqueue(i % 3).work.kind = WorkKind::copy_on_device;
      if (i % 4 == 0) line.order_after((i + 1) % 3, line.clock(i % 3), line.ready_at(i % 3));
      line.step();
    }
    line.run_until(line.everything());
    taken = line.take_schedule();
    ASSERT_EQ(taken.size(), 30U);
    if (round == 0) order = each.order;
    EXPECT_EQ(each.order, order);
  }
}

TEST_F(TimelineTest, DiscardedWorkCountsAsDone) {
  queue(0);
  queue(1);
  timeline.discard(1);
  EXPECT_TRUE(timeline.done(past(0, 1)));
  timeline.run_until(timeline.everything());
  EXPECT_EQ(recorder.order, "b1");
}

TEST_F(TimelineTest, SlotsAreReusedWhenTheHostHasWaited) {
  queue(1);
  timeline.close_slot(1);
  EXPECT_EQ(timeline.open_slot(), 2U);  // the work of slot 1 is pending
  timeline.run_until(past(1, 1));
  EXPECT_EQ(timeline.open_slot(), 3U);  // nobody waited for it
  timeline.host_waited_for(past(1, 1));
  EXPECT_EQ(timeline.open_slot(), 1U);
  EXPECT_EQ(queue(1).ordinal, 2U);
}

}  // namespace
}  // namespace taintgraph::sim
