#include "sim/device_order.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "sim/driver.hpp"
#include "sim/driver_types.hpp"
#include "sim/timeline.hpp"

namespace taintgraph::sim {
namespace {

constexpr std::uint64_t kBytes = 4;

class PieceRecorder : public WorkRunner {
 public:
  void run(WorkItem& item) override { order += static_cast<char>(item.work.bytes.front()); }
  std::string order;
};

// Gives the answers it was told, then the first; remembers how many there were to each question.
class Answers : public DeviceOrder {
 public:
  explicit Answers(std::vector<std::size_t> given) : given_(std::move(given)) {}
  std::size_t choose(std::size_t alternatives) override {
    asked.push_back(alternatives);
    return asked.size() <= given_.size() ? given_[asked.size() - 1] : 0;
  }
  std::vector<std::size_t> asked;

 private:
  std::vector<std::size_t> given_;
};

// Copies on the device, each named by a letter, each from nowhere to one address.
struct Piece {
  std::uint32_t slot = 0;
  char name = 0;
  std::uint64_t to = 0;
};

void queue(Timeline& timeline, const Piece& piece) {
  WorkItem& item = timeline.enqueue(piece.slot);
  item.work.kind = WorkKind::copy_on_device;
  item.work.from = 1000;
  item.work.to = piece.to;
  item.work.size_bytes = kBytes;
  item.work.bytes = {static_cast<std::byte>(piece.name)};
}

// The orders in which the pieces come to run, by every sequence of answers.
std::vector<std::string> orders_of(const std::vector<Piece>& pieces) {
  std::vector<std::string> orders;
  std::vector<std::size_t> given;
  for (;;) {
    Answers answers(given);
    PieceRecorder recorder;
    Timeline timeline(5, recorder, &answers);
    for (std::uint32_t i = 0; i < 3; ++i) (void)timeline.open_slot();
    for (const Piece& each : pieces) {
      queue(timeline, each);
      for (int i = 0; i < 100; ++i) timeline.step();  // nothing runs by itself
    }
    EXPECT_EQ(recorder.order, "");
    timeline.run_until(timeline.everything());
    orders.push_back(recorder.order);
    given.resize(answers.asked.size());
    while (!given.empty() && given.back() + 1 == answers.asked[given.size() - 1]) given.pop_back();
    if (given.empty()) return orders;
    ++given.back();
  }
}

using Orders = std::vector<std::string>;

TEST(DeviceOrder, IndependentWorkHasOneOrder) { EXPECT_EQ(orders_of({{0, 'a', 0}, {1, 'b', 8}}), (Orders{"ab"})); }

TEST(DeviceOrder, WorkThatNothingOrdersIsTriedBothWays) {
  EXPECT_EQ(orders_of({{0, 'a', 0}, {1, 'b', 2}}), (Orders{"ab", "ba"}));
}

TEST(DeviceOrder, OneStreamIsInOrder) { EXPECT_EQ(orders_of({{0, 'a', 0}, {0, 'b', 0}}), (Orders{"ab"})); }

TEST(DeviceOrder, ReadersOfOneByteAreIndependent) {
  // Both read address 1000 and write elsewhere.
  EXPECT_EQ(orders_of({{0, 'a', 0}, {1, 'b', 8}, {2, 'c', 16}}).size(), 1U);
  // A third that writes what they read comes before, between (one way or the other) or after them.
  const Orders orders = orders_of({{0, 'a', 0}, {1, 'b', 8}, {2, 'c', 1000}});
  EXPECT_EQ(std::set<std::string>(orders.begin(), orders.end()).size(), 4U);
}

TEST(DeviceOrder, ThreePiecesOnOneByteRunInSixOrders) {
  const Orders orders = orders_of({{0, 'a', 0}, {1, 'b', 0}, {2, 'c', 0}});
  EXPECT_EQ(orders.size(), 6U);
  EXPECT_EQ(std::set<std::string>(orders.begin(), orders.end()).size(), 6U);
}

TEST(DeviceOrder, WorkInFrontOfARaceRunsFirst) {
  // c is independent of a, but d behind it is not: a comes before d or after it, wherever c is.
  EXPECT_EQ(orders_of({{0, 'a', 0}, {1, 'c', 8}, {1, 'd', 0}}), (Orders{"acd", "cda"}));
}

TEST(DeviceOrder, AnEventLeavesNothingToChoose) {
  Answers answers({});
  PieceRecorder recorder;
  Timeline timeline(5, recorder, &answers);
  for (std::uint32_t i = 0; i < 2; ++i) (void)timeline.open_slot();
  queue(timeline, {0, 'a', 0});
  timeline.order_after(1, timeline.clock(0), timeline.ready_at(0));
  queue(timeline, {1, 'b', 0});
  timeline.run_until(timeline.everything());
  EXPECT_EQ(recorder.order, "ab");
  EXPECT_TRUE(answers.asked.empty());
}

TEST(DeviceOrder, WhoAsksIsToldEither) {
  for (const std::size_t done : {0U, 1U}) {
    Answers answers({done});
    PieceRecorder recorder;
    Timeline timeline(5, recorder, &answers);
    (void)timeline.open_slot();
    queue(timeline, {0, 'a', 0});
    EXPECT_EQ(timeline.found_done(timeline.everything()), done == 1);
    EXPECT_EQ(recorder.order, done == 1 ? "a" : "");
    EXPECT_EQ(answers.asked, std::vector<std::size_t>{2});
    timeline.run_until(timeline.everything());
    EXPECT_EQ(recorder.order, "a");
    EXPECT_TRUE(timeline.found_done(timeline.everything()));
  }
}

TEST(DeviceOrder, WhoAsksUntilItIsDonePausesOnce) {
  Answers answers({});
  PieceRecorder recorder;
  Timeline timeline(5, recorder, &answers);
  for (std::uint32_t i = 0; i < 2; ++i) (void)timeline.open_slot();
  queue(timeline, {0, 'a', 0});
  queue(timeline, {1, 'b', 8});
  EXPECT_FALSE(timeline.found_done_waiting(timeline.clock(0)));
  timeline.pass(1);
  EXPECT_TRUE(timeline.found_done_waiting(timeline.clock(0)));
  EXPECT_EQ(recorder.order, "a") << "the other stream is not waited for";
  EXPECT_TRUE(answers.asked.empty());
}

TEST(DeviceOrder, AForcedScheduleComesFirst) {
  Answers answers({1});
  PieceRecorder recorder;
  Timeline timeline(5, recorder, &answers);
  for (std::uint32_t i = 0; i < 2; ++i) (void)timeline.open_slot();
  const std::vector<std::uint32_t> forced{1, 0};
  timeline.force_schedule(forced);
  queue(timeline, {0, 'a', 0});
  queue(timeline, {1, 'b', 0});
  timeline.run_until(timeline.everything());
  EXPECT_EQ(recorder.order, "ba");
  EXPECT_TRUE(answers.asked.empty());
}

// Work runs late; that it might as well have run at once is no other order as long as the host leaves its bytes alone.
TEST(DeviceOrder, HostMemoryThatChangesUnderACopyIsAFinding) {
  for (const bool touched : {false, true}) {
    Answers answers({});
    FaultPlan plan;
    Driver driver({.order = &answers}, plan);
    const gpu::DriverApi& cu = driver.driver();
    CUcontext context = nullptr;
    CUstream stream = nullptr;
    CUdeviceptr memory = 0;
    void* host = nullptr;
    ASSERT_EQ(cu.cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cu.cuCtxCreate(&context, 0, 0), CUDA_SUCCESS);
    ASSERT_EQ(cu.cuStreamCreate(&stream, gpu::kStreamNonBlocking), CUDA_SUCCESS);
    ASSERT_EQ(cu.cuMemAlloc(&memory, kBytes), CUDA_SUCCESS);
    ASSERT_EQ(cu.cuMemAllocHost(&host, kBytes), CUDA_SUCCESS);
    ASSERT_EQ(cu.cuMemcpyHtoDAsync(memory, host, kBytes, stream), CUDA_SUCCESS);
    if (touched) *static_cast<std::byte*>(host) ^= std::byte{1};
    ASSERT_EQ(cu.cuStreamSynchronize(stream), CUDA_SUCCESS);
    EXPECT_EQ(driver.take_findings().size(), touched ? 1U : 0U);
  }
}

}  // namespace
}  // namespace taintgraph::sim
