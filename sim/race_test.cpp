// Ordering as the driver's user sees it: what an event, a wait or a forgotten one of them makes of two accesses.
#include <gtest/gtest.h>

#include "sim/machine_fixture.hpp"

namespace taintgraph::sim {
namespace {

class RaceTest : public MachineFixture {
 protected:
  void order(unsigned later, unsigned earlier) {
    const CUevent mark = event();
    ASSERT_EQ(cu.cuEventRecord(mark, streams[earlier]), CUDA_SUCCESS);
    ASSERT_EQ(cu.cuStreamWaitEvent(streams[later], mark, 0), CUDA_SUCCESS);
    ASSERT_EQ(cu.cuEventDestroy(mark), CUDA_SUCCESS);
  }

  CUdeviceptr memory = allocate(64);
};

TEST_F(RaceTest, UnorderedWritesAreFound) {
  ASSERT_EQ(fill(0, memory, 40, 1), CUDA_SUCCESS);
  ASSERT_EQ(launch(function("fill"), 1, 32, {{memory + 32, 32, true}}, 2), CUDA_SUCCESS);
  EXPECT_EQ(
      findings(),
      "race: cuLaunchKernel of fill on stream 1 writes bytes [32, 40) of allocation 1, which cuLaunchKernel of fill "
      "on stream 0 writes; nothing orders the two\n");
}

TEST_F(RaceTest, AnEventOrders) {
  ASSERT_EQ(fill(0, memory, 64, 1), CUDA_SUCCESS);
  order(1, 0);
  ASSERT_EQ(fill(1, memory, 64, 2), CUDA_SUCCESS);
  EXPECT_EQ(read(1, memory, 64), std::vector<unsigned char>(64, 2));
  EXPECT_EQ(findings(), "");
}

TEST_F(RaceTest, AnEventOrdersOnlyWhatWasQueuedWhenItWasRecorded) {
  const CUevent mark = event();
  ASSERT_EQ(cu.cuEventRecord(mark, streams[0]), CUDA_SUCCESS);
  ASSERT_EQ(fill(0, memory, 64, 1), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuStreamWaitEvent(streams[1], mark, 0), CUDA_SUCCESS);
  ASSERT_EQ(fill(1, memory, 64, 2), CUDA_SUCCESS);
  EXPECT_NE(findings(), "");
}

TEST_F(RaceTest, AWaitBindsToTheRecordOfItsTime) {
  const CUevent mark = event();
  ASSERT_EQ(cu.cuStreamWaitEvent(streams[1], mark, 0), CUDA_SUCCESS);  // never recorded: nothing to wait for
  ASSERT_EQ(fill(0, memory, 64, 1), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuEventRecord(mark, streams[0]), CUDA_SUCCESS);
  ASSERT_EQ(fill(1, memory, 64, 2), CUDA_SUCCESS);
  EXPECT_NE(findings(), "");
}

TEST_F(RaceTest, TheHostOrdersByWaiting) {
  ASSERT_EQ(fill(0, memory, 64, 1), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_SUCCESS);
  ASSERT_EQ(fill(1, memory, 64, 2), CUDA_SUCCESS);
  EXPECT_EQ(findings(), "");
}

TEST_F(RaceTest, WaitingForOneStreamSaysNothingOfAnother) {
  ASSERT_EQ(fill(0, memory, 64, 1), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuStreamSynchronize(streams[1]), CUDA_SUCCESS);
  ASSERT_EQ(fill(1, memory, 64, 2), CUDA_SUCCESS);
  EXPECT_NE(findings(), "");
}

TEST_F(RaceTest, ReadersMustComeBeforeTheNextWriter) {
  const CUdeviceptr copy = allocate(64);
  ASSERT_EQ(cu.cuMemcpyDtoDAsync(copy, memory, 64, streams[0]), CUDA_SUCCESS);
  ASSERT_EQ(fill(1, memory, 64, 2), CUDA_SUCCESS);
  EXPECT_NE(findings().find("which cuMemcpyDtoDAsync on stream 0 reads"), std::string::npos);
}

TEST_F(RaceTest, ReadersNeedNotBeOrderedAmongThemselves) {
  const CUdeviceptr copies[] = {allocate(64), allocate(64)};
  ASSERT_EQ(cu.cuMemcpyDtoDAsync(copies[0], memory, 64, streams[0]), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuMemcpyDtoDAsync(copies[1], memory, 64, streams[1]), CUDA_SUCCESS);
  EXPECT_EQ(findings(), "");
}

TEST_F(RaceTest, HostMemoryRacesToo) {
  ASSERT_EQ(cu.cuMemcpyDtoHAsync(host, memory, 32, streams[0]), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuMemcpyHtoDAsync(allocate(8), host + 16, 8, streams[1]), CUDA_SUCCESS);
  EXPECT_NE(findings().find("bytes [16, 24) of host allocation 1"), std::string::npos);
}

TEST_F(RaceTest, MemoryIsFreedOnlyAfterTheHostWaited) {
  ASSERT_EQ(fill(0, memory, 64, 1), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuMemFree(memory), CUDA_SUCCESS);
  EXPECT_EQ(findings(),
            "freed while in use: cuMemFree of allocation 1, whose bytes [0, 64) are used by cuLaunchKernel of fill on "
            "stream 0, for which the host has not waited\n");
}

TEST_F(RaceTest, WorkThatHasRunButWasNotWaitedForIsStillInUse) {
  ASSERT_EQ(fill(0, memory, 64, 1), CUDA_SUCCESS);
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  for (int i = 0; i < 100; ++i) ASSERT_EQ(cu.cuMemGetInfo(&free_bytes, &total_bytes), CUDA_SUCCESS);
  EXPECT_EQ(driver.take_schedule(), std::vector<std::uint32_t>{0});
  ASSERT_EQ(cu.cuMemFree(memory), CUDA_SUCCESS);
  EXPECT_NE(findings(), "");
}

TEST_F(RaceTest, AStreamsIndexIsReusedOnlyWhenItsWorkCannotBeConfused) {
  ASSERT_EQ(fill(1, memory, 64, 1), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuStreamDestroy(streams[1]), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuStreamCreate(&streams[1], gpu::kStreamNonBlocking), CUDA_SUCCESS);
  ASSERT_EQ(fill(1, memory, 64, 1), CUDA_SUCCESS);
  EXPECT_NE(findings().find("of fill on stream 2 writes"), std::string::npos);
}

TEST_F(RaceTest, StreamOrderedMemoryFollowsItsStream) {
  CUdeviceptr pooled = 0;
  ASSERT_EQ(cu.cuMemAllocAsync(&pooled, 32, streams[0]), CUDA_SUCCESS);
  ASSERT_EQ(fill(0, pooled, 32, 1), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuMemFreeAsync(pooled, streams[0]), CUDA_SUCCESS);
  EXPECT_EQ(findings(), "");
  ASSERT_EQ(fill(0, pooled, 32, 1), CUDA_SUCCESS);
  EXPECT_NE(findings().find("use after free"), std::string::npos);
}

}  // namespace
}  // namespace taintgraph::sim
