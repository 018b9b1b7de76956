// Work that is never done, as the caller meets it.
#include <gtest/gtest.h>

#include "sim/machine_fixture.hpp"

namespace taintgraph::sim {
namespace {

using Bytes = std::vector<unsigned char>;

class HangTest : public MachineFixture {
 protected:
  CUresult spin(unsigned stream) { return launch(function("spin"), stream, 1, {}); }
  void pause_for_an_hour() {
    const gpu::DeviceClock clock = driver.clock();
    clock.pause(clock.self, 3'600'000'000'000);
  }
};

TEST_F(HangTest, ItsStreamIsNeverDoneAndOthersAre) {
  const CUdeviceptr memory = allocate(8);
  ASSERT_EQ(fill(1, memory, 8, 1), CUDA_SUCCESS);
  ASSERT_EQ(spin(0), CUDA_SUCCESS);
  EXPECT_TRUE(driver.hangs());
  pause_for_an_hour();
  EXPECT_EQ(cu.cuStreamQuery(streams[0]), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cu.cuStreamQuery(streams[1]), CUDA_SUCCESS);
  EXPECT_EQ(read(1, memory, 8), Bytes(8, 1));
  EXPECT_EQ(findings(), "");
}

TEST_F(HangTest, WhatStandsBeforeItIsDoneAndWhatComesAfterItIsNot) {
  const CUdeviceptr memory = allocate(8);
  const CUevent before = event();
  const CUevent after = event();
  ASSERT_EQ(fill(0, memory, 8, 1), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuEventRecord(before, streams[0]), CUDA_SUCCESS);
  ASSERT_EQ(spin(0), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuEventRecord(after, streams[0]), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuStreamWaitEvent(streams[1], after, 0), CUDA_SUCCESS);
  ASSERT_EQ(fill(1, memory, 8, 2), CUDA_SUCCESS);
  pause_for_an_hour();
  EXPECT_EQ(cu.cuEventQuery(before), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuEventQuery(after), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cu.cuStreamQuery(streams[1]), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cu.cuEventSynchronize(before), CUDA_SUCCESS);
  EXPECT_EQ(findings(), "");
}

TEST_F(HangTest, AWaitThatWouldNotComeBackIsAFinding) {
  ASSERT_EQ(spin(0), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[1]), CUDA_SUCCESS);
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(findings(), "a wait for work that never ends\n");
}

TEST_F(HangTest, AForcedScheduleCannotEndIt) {
  ASSERT_EQ(spin(0), CUDA_SUCCESS);
  driver.force_schedule(std::vector<std::uint32_t>{0});
  EXPECT_EQ(cu.cuStreamQuery(streams[0]), CUDA_ERROR_NOT_READY);
  pause_for_an_hour();
  EXPECT_EQ(cu.cuStreamQuery(streams[0]), CUDA_ERROR_NOT_READY);
  EXPECT_TRUE(driver.take_schedule().empty());
}

TEST_F(HangTest, AFaultOfItsOwnEndsIt) {
  plan.begin_operation(1, "a");
  const Call call = Call::cuLaunchKernel;
  plan.strike(std::span(&call, 1), {.kind = FaultKind::launch_timeout, .when = FaultWhen::async});
  ASSERT_EQ(spin(0), CUDA_SUCCESS);
  EXPECT_FALSE(driver.hangs());
  plan.begin_operation(2, "b");
  EXPECT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_ERROR_LAUNCH_TIMEOUT);
}

TEST_F(HangTest, AFaultBehindItNeverShows) {
  plan.begin_operation(1, "a");
  ASSERT_EQ(spin(0), CUDA_SUCCESS);
  ASSERT_EQ(launch(function("trap"), 0, 1, {}), CUDA_SUCCESS);
  plan.begin_operation(2, "b");
  EXPECT_EQ(cu.cuStreamQuery(streams[0]), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[1]), CUDA_SUCCESS);
}

TEST_F(HangTest, AFaultBeforeItShowsThoughItIsLate) {
  plan.begin_operation(1, "a");
  const Call call = Call::cuLaunchKernel;
  plan.strike(std::span(&call, 1), {.kind = FaultKind::assert_, .when = FaultWhen::async, .surface_after_calls = 100});
  ASSERT_EQ(launch(function("noop"), 0, 1, {}), CUDA_SUCCESS);
  plan.begin_operation(2, "b");
  ASSERT_EQ(spin(0), CUDA_SUCCESS);
  pause_for_an_hour();
  EXPECT_EQ(cu.cuStreamQuery(streams[1]), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamQuery(streams[0]), CUDA_ERROR_ASSERT);
}

TEST_F(HangTest, ItEndsWithItsContext) {
  ASSERT_EQ(spin(0), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuCtxDestroy(context), CUDA_SUCCESS);
  EXPECT_FALSE(driver.hangs());
  EXPECT_TRUE(driver.live_objects().empty());
  EXPECT_EQ(findings(), "");
}

TEST_F(HangTest, WhatAScheduleDoesNotNameStaysIfItIsToldTo) {
  const CUdeviceptr memory = allocate(8);
  ASSERT_EQ(fill(0, memory, 8, 1), CUDA_SUCCESS);
  driver.force_schedule({}, Unscheduled::stays);
  pause_for_an_hour();
  EXPECT_EQ(cu.cuStreamQuery(streams[0]), CUDA_ERROR_NOT_READY);
  driver.force_schedule({}, Unscheduled::runs_if_needed);
  pause_for_an_hour();
  EXPECT_EQ(cu.cuStreamQuery(streams[0]), CUDA_SUCCESS);
}

}  // namespace
}  // namespace taintgraph::sim
