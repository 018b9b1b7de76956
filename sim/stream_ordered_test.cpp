// Memory reserved and freed in the order of streams: whose it is and from when, when its room counts again, and what it
// takes to use it.
#include <algorithm>
#include <set>

#include "sim/machine_fixture.hpp"

namespace taintgraph::sim {
namespace {

class StreamOrderedTest : public MachineFixture {
 protected:
  CUdeviceptr reserve(unsigned stream, std::size_t size_bytes) {
    CUdeviceptr address = 0;
    EXPECT_EQ(cu.cuMemAllocAsync(&address, size_bytes, streams[stream]), CUDA_SUCCESS);
    return address;
  }
  void free(unsigned stream, CUdeviceptr address) {
    ASSERT_EQ(cu.cuMemFreeAsync(address, streams[stream]), CUDA_SUCCESS);
  }
  // Orders `stream` after `on`.
  void order(unsigned stream, unsigned on) {
    const CUevent mark = event();
    ASSERT_EQ(cu.cuEventRecord(mark, streams[on]), CUDA_SUCCESS);
    ASSERT_EQ(cu.cuStreamWaitEvent(streams[stream], mark, 0), CUDA_SUCCESS);
  }
  [[nodiscard]] std::size_t room() {
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    EXPECT_EQ(cu.cuMemGetInfo(&free_bytes, &total_bytes), CUDA_SUCCESS);
    return free_bytes;
  }
  bool finds(const std::string& what) { return findings().find(what) != std::string::npos; }

  static constexpr std::size_t kAll = 1U << 20;
};

TEST_F(StreamOrderedTest, UseBeforeTheReservationIsReached) {
  const CUdeviceptr memory = reserve(0, 32);
  ASSERT_EQ(fill(0, memory, 32, 1), CUDA_SUCCESS);
  EXPECT_EQ(findings(), "");
  const CUdeviceptr early = reserve(0, 32);
  ASSERT_EQ(fill(1, early, 32, 1), CUDA_SUCCESS);
  EXPECT_TRUE(finds("which cuMemAllocAsync on stream 0 writes; nothing orders the two"));
}

TEST_F(StreamOrderedTest, UseOnAnotherStreamIsOrderedByAnEventOrAWait) {
  const CUdeviceptr first = reserve(0, 32);
  order(1, 0);
  ASSERT_EQ(fill(1, first, 32, 1), CUDA_SUCCESS);
  const CUdeviceptr second = reserve(0, 32);
  ASSERT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_SUCCESS);
  ASSERT_EQ(fill(1, second, 32, 1), CUDA_SUCCESS);
  EXPECT_EQ(findings(), "");
}

TEST_F(StreamOrderedTest, AFreeComesAfterEveryUse) {
  const CUdeviceptr memory = reserve(0, 32);
  order(1, 0);
  ASSERT_EQ(fill(1, memory, 32, 1), CUDA_SUCCESS);
  free(0, memory);
  EXPECT_TRUE(finds("race: cuMemFreeAsync on stream 0"));
}

TEST_F(StreamOrderedTest, UseAfterTheFreeIsFoundOnAnyStream) {
  const CUdeviceptr memory = reserve(0, 32);
  free(0, memory);
  order(1, 0);
  ASSERT_EQ(fill(1, memory, 32, 1), CUDA_SUCCESS);
  EXPECT_TRUE(finds("use after free"));
  ASSERT_EQ(cu.cuStreamSynchronize(streams[1]), CUDA_SUCCESS);
  ASSERT_EQ(fill(1, memory, 32, 1), CUDA_SUCCESS);
  EXPECT_TRUE(finds("use after free")) << "also once the free is over";
}

TEST_F(StreamOrderedTest, WhatIsFreedIsOwnedByNobodyAtOnce) {
  free(0, reserve(0, 32));
  EXPECT_EQ(driver.count_objects().allocations, 0U);
  for (const std::string& line : driver.live_objects()) EXPECT_EQ(line.rfind("allocation", 0), std::string::npos);
}

TEST_F(StreamOrderedTest, RoomComesBackWithTheHostsWait) {
  ASSERT_EQ(room(), kAll);
  free(0, reserve(0, kAll));
  EXPECT_EQ(room(), 0U);
  CUdeviceptr address = 0;
  EXPECT_EQ(cu.cuMemAllocAsync(&address, 32, streams[0]), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cu.cuMemAlloc(&address, 32), CUDA_ERROR_OUT_OF_MEMORY);
  ASSERT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_SUCCESS);
  EXPECT_EQ(room(), kAll);
  EXPECT_EQ(cu.cuMemAlloc(&address, 32), CUDA_SUCCESS);
}

TEST_F(StreamOrderedTest, MemoryOfTheSameSizeGoesFromOwnerToOwnerInOrder) {
  const CUdeviceptr first = reserve(0, kAll);
  free(0, first);
  CUdeviceptr second = 0;
  EXPECT_EQ(cu.cuMemAllocAsync(&second, kAll, streams[1]), CUDA_ERROR_OUT_OF_MEMORY);  // nothing orders it
  order(1, 0);
  EXPECT_EQ(reserve(1, kAll), first);
  EXPECT_EQ(room(), 0U);
  ASSERT_EQ(fill(1, first, 32, 1), CUDA_SUCCESS);
  EXPECT_EQ(findings(), "");
  free(1, first);
  ASSERT_EQ(cu.cuStreamSynchronize(streams[1]), CUDA_SUCCESS);
  EXPECT_EQ(room(), kAll);
}

TEST_F(StreamOrderedTest, TheNextOwnerIsHeldToItsOwnOrder) {
  const CUdeviceptr first = reserve(0, kAll);
  ASSERT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_SUCCESS);
  ASSERT_EQ(fill(1, first, 32, 1), CUDA_SUCCESS);
  order(0, 1);
  free(0, first);
  const CUdeviceptr second = reserve(0, kAll);
  ASSERT_EQ(second, first);
  EXPECT_EQ(findings(), "");
  ASSERT_EQ(fill(1, second, 32, 1), CUDA_SUCCESS);  // stream 1 knows of the first owner only
  EXPECT_TRUE(finds("cuMemAllocAsync on stream 0 writes"));
}

TEST_F(StreamOrderedTest, BytesDoNotGoAlong) {
  const CUdeviceptr first = reserve(0, kAll);
  ASSERT_EQ(fill(0, first, 64, 7), CUDA_SUCCESS);
  const std::vector<unsigned char> sevens(64, 7);
  ASSERT_EQ(read(0, first, 64), sevens);
  free(0, first);
  ASSERT_EQ(reserve(0, kAll), first);
  EXPECT_NE(read(0, first, 64), sevens);
}

TEST_F(StreamOrderedTest, WhetherAnAddressIsUsedAgainIsDrawn) {
  std::set<CUdeviceptr> seen;
  int again = 0;
  for (int i = 0; i < 100; ++i) {
    const CUdeviceptr memory = reserve(0, 64);
    again += seen.insert(memory).second ? 0 : 1;
    ASSERT_EQ(fill(0, memory, 64, 1), CUDA_SUCCESS);
    free(0, memory);
  }
  EXPECT_EQ(findings(), "");
  EXPECT_GT(again, 25);
  EXPECT_LT(again, 75);
}

TEST_F(StreamOrderedTest, AForcedScheduleRunsWhatItsEntriesNeed) {
  const auto work = [this] {
    const CUdeviceptr memory = reserve(0, 32);
    order(1, 0);
    EXPECT_EQ(fill(0, memory, 16, 1), CUDA_SUCCESS);
    EXPECT_EQ(fill(1, memory + 16, 16, 2), CUDA_SUCCESS);
    EXPECT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_SUCCESS);
    EXPECT_EQ(cu.cuStreamSynchronize(streams[1]), CUDA_SUCCESS);
    return driver.take_schedule();
  };
  for (const std::vector<std::uint32_t>& wanted :
       {std::vector<std::uint32_t>{0, 1}, std::vector<std::uint32_t>{1, 0}}) {
    driver.force_schedule(wanted);
    EXPECT_EQ(work(), wanted);
  }
  EXPECT_EQ(findings(), "");
}

TEST_F(StreamOrderedTest, AContextTakesTheWorkOfItsDestroyedStreamsAlong) {
  const CUdeviceptr memory = reserve(0, 64);
  ASSERT_EQ(fill(0, memory, 64, 1), CUDA_SUCCESS);
  free(0, reserve(0, 32));
  ASSERT_EQ(cu.cuStreamDestroy(streams[0]), CUDA_SUCCESS);
  for (int i = 0; i < 100; ++i) static_cast<void>(event());  // long enough for all of it to have run
  ASSERT_EQ(cu.cuCtxDestroy(context), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuCtxCreate(&context, 0, 0), CUDA_SUCCESS);
  open();
  EXPECT_EQ(room(), kAll - 64);
  ASSERT_EQ(fill(1, memory, 64, 1), CUDA_SUCCESS);
  free(1, memory);
  EXPECT_EQ(findings(), "");
}

TEST_F(StreamOrderedTest, MarkingOwnershipKeepsNoStreamBusy) {
  free(0, reserve(0, 32));
  EXPECT_TRUE(driver.busy_streams().empty());
  EXPECT_FALSE(driver.is_idle());
  ASSERT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_SUCCESS);
  EXPECT_TRUE(driver.is_idle());
}

TEST_F(StreamOrderedTest, AnErrorOfAReservationIsOfNoWork) {
  plan.begin_operation(1, "A");
  const Call call = Call::cuMemAllocAsync;
  plan.strike(std::span(&call, 1), {.kind = FaultKind::unknown, .when = FaultWhen::async, .surface_after_calls = 1000});
  static_cast<void>(reserve(0, 32));
  plan.begin_operation(2, "B");
  EXPECT_EQ(cu.cuStreamSynchronize(streams[1]), CUDA_ERROR_UNKNOWN) << "met by a wait for another stream";
}

}  // namespace
}  // namespace taintgraph::sim
