// Faults as the caller meets them: which call reports them, and what happened to the work.
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/machine_fixture.hpp"

namespace taintgraph::sim {
namespace {

using Bytes = std::vector<unsigned char>;

class FaultTest : public MachineFixture {
 protected:
  void begin(std::uint64_t operation) { plan.begin_operation(operation, "operation"); }
  void strike(Call call, const Fault& fault) { plan.strike(std::span(&call, 1), fault); }

  CUdeviceptr filled(unsigned char value) {
    const CUdeviceptr memory = allocate(64);
    EXPECT_EQ(fill(0, memory, 64, value), CUDA_SUCCESS);
    return memory;
  }
};

TEST_F(FaultTest, BeforeMeansNothingHappened) {
  const CUdeviceptr memory = filled(1);
  begin(1);
  strike(Call::cuLaunchKernel, {.kind = FaultKind::launch_out_of_resources});
  EXPECT_EQ(fill(0, memory, 64, 2), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  begin(2);
  EXPECT_EQ(read(0, memory, 64), Bytes(64, 1));
}

TEST_F(FaultTest, AfterMeansItHappenedAllTheSame) {
  const CUdeviceptr memory = filled(1);
  begin(1);
  strike(Call::cuLaunchKernel, {.kind = FaultKind::launch_out_of_resources, .when = FaultWhen::after});
  EXPECT_EQ(fill(0, memory, 64, 2), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  begin(2);
  EXPECT_EQ(read(0, memory, 64), Bytes(64, 2));
}

TEST_F(FaultTest, HalfDoneKernelsAndCopies) {
  const CUdeviceptr memory = filled(1);
  const CUdeviceptr source = filled(3);
  begin(1);
  strike(Call::cuLaunchKernel, {.kind = FaultKind::launch_out_of_resources, .bytes_done = 40});
  const CUfunction kernel = function("fill");
  EXPECT_EQ(launch(kernel, 0, 64, {{memory, 32, true}, {memory + 32, 32, true}}, 2),
            CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  Bytes expected(64, 1);
  std::fill_n(expected.begin(), 40, 2);
  EXPECT_EQ(read(0, memory, 64), expected);

  begin(2);
  strike(Call::cuMemcpyDtoDAsync, {.kind = FaultKind::invalid_value, .bytes_done = 5});
  EXPECT_EQ(cu.cuMemcpyDtoDAsync(memory, source, 64, streams[0]), CUDA_ERROR_INVALID_VALUE);
  std::fill_n(expected.begin(), 5, 3);
  EXPECT_EQ(read(0, memory, 64), expected);

  begin(3);
  strike(Call::cuMemcpyHtoDAsync, {.kind = FaultKind::invalid_value, .bytes_done = 2});
  std::memset(host, 4, 64);
  EXPECT_EQ(cu.cuMemcpyHtoDAsync(memory, host, 64, streams[0]), CUDA_ERROR_INVALID_VALUE);
  std::memset(host, 5, 64);  // the caller was told that nothing is pending
  std::fill_n(expected.begin(), 2, 4);
  EXPECT_EQ(read(0, memory, 64), expected);
  EXPECT_EQ(findings(), "");
}

TEST_F(FaultTest, WhatIsGivenBackIsGoneWhateverTheCallSays) {
  const CUdeviceptr memory = allocate(64);
  begin(1);
  strike(Call::cuMemFree, {.kind = FaultKind::invalid_value});
  EXPECT_EQ(cu.cuMemFree(memory), CUDA_ERROR_INVALID_VALUE);
  begin(2);
  EXPECT_EQ(findings(), "");
  const std::vector<std::string> live = driver.live_objects();
  EXPECT_EQ(std::count(live.begin(), live.end(), "allocation 1 of 64 bytes"), 0);
}

TEST_F(FaultTest, WhatALyingCallMadeIsNobodysLeak) {
  const std::size_t before = driver.live_objects().size();
  begin(1);
  strike(Call::cuMemAlloc, {.kind = FaultKind::out_of_memory, .when = FaultWhen::after});
  CUdeviceptr address = 0;
  EXPECT_EQ(cu.cuMemAlloc(&address, 64), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(driver.live_objects().size(), before);
}

TEST_F(FaultTest, AKernelFaultSurfacesAtTheWaitAndStays) {
  const CUdeviceptr memory = allocate(8);
  begin(1);
  EXPECT_EQ(launch(function("device_assert"), 0, 1, {{memory, 8, true}}), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_ERROR_ASSERT);
  begin(2);
  EXPECT_EQ(cu.cuStreamQuery(streams[1]), CUDA_ERROR_ASSERT);
  CUdeviceptr address = 0;
  EXPECT_EQ(cu.cuMemAlloc(&address, 8), CUDA_ERROR_ASSERT);
  EXPECT_EQ(cu.cuMemFree(memory), CUDA_ERROR_ASSERT);
  EXPECT_EQ(cu.cuCtxDestroy(context), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuCtxCreate(&context, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuMemAlloc(&address, 8), CUDA_SUCCESS);
  EXPECT_EQ(findings(), "");
}

TEST_F(FaultTest, AnEarlierErrorComesBeforeTheOneThatAWaitIsMadeToReturn) {
  begin(1);
  strike(Call::cuLaunchKernel, {.kind = FaultKind::assert_, .when = FaultWhen::async, .surface_after_calls = 9});
  ASSERT_EQ(fill(0, allocate(8), 8, 1), CUDA_SUCCESS);
  begin(2);
  strike(Call::cuStreamSynchronize, {.kind = FaultKind::invalid_value, .when = FaultWhen::after});
  EXPECT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_ERROR_ASSERT);
}

TEST_F(FaultTest, AnOperationOfSeveralWaitsDoesNotMeetTheErrorThatItCauses) {
  const CUdeviceptr memory = allocate(8);
  ASSERT_EQ(fill(1, memory, 8, 1), CUDA_SUCCESS);
  begin(1);
  strike(Call::cuStreamSynchronize, {.kind = FaultKind::illegal_address, .when = FaultWhen::async});
  EXPECT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[1]), CUDA_SUCCESS);
  begin(2);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[1]), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(FaultTest, StreamOrderedFreesAreNotLostWithThePoisonedContext) {
  CUdeviceptr pooled = 0;
  CUdeviceptr held = 0;
  ASSERT_EQ(cu.cuMemAllocAsync(&pooled, 32, streams[0]), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuMemAllocAsync(&held, 32, streams[0]), CUDA_SUCCESS);
  begin(1);
  ASSERT_EQ(launch(function("trap"), 0, 1, {}), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuMemFreeAsync(pooled, streams[0]), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(cu.cuMemFreeAsync(held, streams[1]), CUDA_ERROR_LAUNCH_FAILED);
  ASSERT_EQ(cu.cuCtxDestroy(context), CUDA_SUCCESS);
  EXPECT_TRUE(driver.live_objects().empty());
}

TEST_F(FaultTest, FreesThatAreQueuedAtThePoisonHappen) {
  CUdeviceptr pooled = 0;
  ASSERT_EQ(cu.cuMemAllocAsync(&pooled, 32, streams[0]), CUDA_SUCCESS);
  const CUfunction kernel = function("fill");
  for (int i = 0; i < 20; ++i) ASSERT_EQ(launch(kernel, 0, 32, {{pooled, 32, true}}), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuMemFreeAsync(pooled, streams[0]), CUDA_SUCCESS);
  begin(1);
  strike(Call::cuEventCreate, {.kind = FaultKind::assert_, .when = FaultWhen::before});
  CUevent none = nullptr;
  EXPECT_EQ(cu.cuEventCreate(&none, 0), CUDA_ERROR_ASSERT);
  EXPECT_LT(driver.take_schedule().size(), 20U);  // so the free was still queued
  ASSERT_EQ(cu.cuCtxDestroy(context), CUDA_SUCCESS);
  EXPECT_TRUE(driver.live_objects().empty());
  ASSERT_EQ(cu.cuCtxCreate(&context, 0, 0), CUDA_SUCCESS);
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  ASSERT_EQ(cu.cuMemGetInfo(&free_bytes, &total_bytes), CUDA_SUCCESS);
  EXPECT_EQ(free_bytes, total_bytes);
}

TEST_F(FaultTest, SomeErrorsNeedANewProcess) {
  begin(1);
  EXPECT_EQ(launch(function("trap"), 0, 1, {}), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(cu.cuCtxDestroy(context), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuCtxCreate(&context, 0, 0), CUDA_ERROR_LAUNCH_FAILED);
}

TEST_F(FaultTest, TheOperationThatFaultsIsToldThatAllIsWell) {
  begin(1);
  EXPECT_EQ(launch(function("trap"), 0, 1, {}), CUDA_SUCCESS);
  const CUevent mark = event();
  for (int i = 0; i < 100; ++i) ASSERT_EQ(cu.cuEventRecord(mark, streams[0]), CUDA_SUCCESS);
  EXPECT_EQ(driver.take_schedule().size(), 1U);  // it has run by now
  begin(2);
  EXPECT_EQ(cu.cuEventRecord(mark, streams[1]), CUDA_ERROR_LAUNCH_FAILED);
}

struct FaultingKernel {
  const char* name;
  CUresult code;
};

class FaultingKernelTest : public FaultTest, public testing::WithParamInterface<FaultingKernel> {};

TEST_P(FaultingKernelTest, StrictlyTheNextOperationMeetsItAtItsFirstCall) {
  const CUdeviceptr memory = allocate(8);
  const CUfunction kernel = function(GetParam().name);
  begin(1);
  ASSERT_EQ(launch(kernel, 0, 4, {{memory, 8, true}}), CUDA_SUCCESS);
  EXPECT_TRUE(driver.take_schedule().empty());  // its time has not come
  begin(2);
  EXPECT_EQ(cu.cuMemcpyDtoDAsync(memory, memory, 0, streams[1]), GetParam().code);
  EXPECT_EQ(findings(), "");
}

INSTANTIATE_TEST_SUITE_P(Kernels, FaultingKernelTest,
                         testing::Values(FaultingKernel{"trap", CUDA_ERROR_LAUNCH_FAILED},
                                         FaultingKernel{"out_of_bounds", CUDA_ERROR_ILLEGAL_ADDRESS},
                                         FaultingKernel{"device_assert", CUDA_ERROR_ASSERT}),
                         [](const auto& test) { return test.param.name; });

TEST_F(FaultTest, OtherWorkIsNotRunAheadOfItsTime) {
  const CUdeviceptr memory = allocate(8);
  begin(1);
  ASSERT_EQ(launch(function("fill"), 0, 8, {{memory, 8, true}}, 1), CUDA_SUCCESS);
  (void)driver.take_schedule();
  begin(2);
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  ASSERT_EQ(cu.cuMemGetInfo(&free_bytes, &total_bytes), CUDA_SUCCESS);
  EXPECT_TRUE(driver.take_schedule().empty());
}

TEST_F(FaultTest, InjectedAsynchronousFaults) {
  const CUdeviceptr memory = filled(1);
  begin(1);
  strike(Call::cuMemcpyDtoDAsync, {.kind = FaultKind::ecc_uncorrectable});
  EXPECT_EQ(cu.cuMemcpyDtoDAsync(memory, memory + 32, 32, streams[0]), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[1]), CUDA_SUCCESS);  // not what it waits for
  EXPECT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_ERROR_ECC_UNCORRECTABLE);
}

TEST_F(FaultTest, SurfacingCanBeDelayedButNotPastAWait) {
  const CUdeviceptr memory = filled(1);
  begin(1);
  strike(Call::cuMemcpyDtoDAsync,
         {.kind = FaultKind::ecc_uncorrectable, .when = FaultWhen::async, .surface_after_calls = 200});
  EXPECT_EQ(cu.cuMemcpyDtoDAsync(memory, memory + 32, 32, streams[0]), CUDA_SUCCESS);
  const CUevent mark = event();
  begin(2);
  for (int i = 0; i < 150; ++i) ASSERT_EQ(cu.cuEventRecord(mark, streams[1]), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[1]), CUDA_SUCCESS);
  int calls = 0;
  while (cu.cuEventRecord(mark, streams[1]) == CUDA_SUCCESS) ASSERT_LT(++calls, 100);
  EXPECT_EQ(calls, 47);  // 200 after the copy: an event's creation, 150 records and a wait came before
}

TEST_F(FaultTest, ADelayedFaultSurfacesWhereOrderedWorkIsWaitedFor) {
  const CUdeviceptr memory = filled(1);
  begin(1);
  strike(Call::cuMemcpyDtoDAsync,
         {.kind = FaultKind::ecc_uncorrectable, .when = FaultWhen::async, .surface_after_calls = 200});
  EXPECT_EQ(cu.cuMemcpyDtoDAsync(memory, memory + 32, 32, streams[0]), CUDA_SUCCESS);
  begin(2);
  const CUevent mark = event();
  ASSERT_EQ(cu.cuEventRecord(mark, streams[0]), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuStreamWaitEvent(streams[1], mark, 0), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[1]), CUDA_ERROR_ECC_UNCORRECTABLE);
}

TEST_F(FaultTest, WorkAfterFaultedWorkDoesNotRun) {
  const CUdeviceptr memory = filled(1);
  ASSERT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_SUCCESS);
  begin(1);
  std::memset(host, 7, 8);
  ASSERT_EQ(launch(function("trap"), 0, 1, {}), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuMemcpyDtoHAsync(host, memory, 8, streams[0]), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(Bytes(host, host + 8), Bytes(8, 7));
}

TEST_F(FaultTest, WorkQueuedBeforeThePoisonIsDropped) {
  const CUdeviceptr memory = allocate(64);
  const CUfunction later = function("fill");
  begin(1);
  for (int i = 0; i < 20; ++i) ASSERT_EQ(launch(later, 1, 64, {{memory, 64, true}}), CUDA_SUCCESS);
  const Call call = Call::cuMemAlloc;
  begin(2);
  strike(call, {.kind = FaultKind::unknown, .when = FaultWhen::before});
  CUdeviceptr address = 0;
  EXPECT_EQ(cu.cuMemAlloc(&address, 8), CUDA_ERROR_UNKNOWN);
  EXPECT_LT(driver.take_schedule().size(), 20U);
  begin(3);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[1]), CUDA_ERROR_UNKNOWN);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(cu.cuStreamQuery(streams[1]), CUDA_ERROR_UNKNOWN);
  EXPECT_TRUE(driver.take_schedule().empty());
}

TEST_F(FaultTest, AHalfDoneKernelDoesNotFaultAgain) {
  const CUfunction trap = function("trap");
  begin(1);
  strike(Call::cuLaunchKernel, {.kind = FaultKind::launch_out_of_resources, .bytes_done = 1});
  EXPECT_EQ(launch(trap, 0, 1, {}), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  begin(2);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_SUCCESS);
}

TEST_F(FaultTest, StickyBeforePoisonsAtOnce) {
  begin(1);
  strike(Call::cuMemAlloc, {.kind = FaultKind::unknown, .when = FaultWhen::before});
  CUdeviceptr address = 0;
  EXPECT_EQ(cu.cuMemAlloc(&address, 8), CUDA_ERROR_UNKNOWN);
  begin(2);
  EXPECT_EQ(cu.cuMemAlloc(&address, 8), CUDA_ERROR_UNKNOWN);
}

TEST_F(FaultTest, AsynchronousFaultsOfCallsWithoutWorkWaitForAnyWait) {
  begin(1);
  strike(Call::cuEventCreate, {.kind = FaultKind::unknown, .when = FaultWhen::async});
  const CUevent mark = event();
  begin(1);
  ASSERT_EQ(cu.cuEventRecord(mark, streams[0]), CUDA_SUCCESS);
  begin(2);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[1]), CUDA_ERROR_UNKNOWN);
}

TEST_F(FaultTest, AnAnswerThatIsNotReadyYetHidesNoError) {
  const CUevent mark = event();
  begin(1);
  const CUdeviceptr memory = allocate(64);
  for (int i = 0; i < 10; ++i) ASSERT_EQ(cu.cuMemcpyDtoDAsync(memory, memory + 32, 32, streams[0]), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuEventRecord(mark, streams[0]), CUDA_SUCCESS);
  strike(Call::cuEventQuery, {.kind = FaultKind::unknown, .when = FaultWhen::async});
  ASSERT_EQ(cu.cuEventQuery(mark), CUDA_ERROR_NOT_READY);
  begin(2);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[1]), CUDA_ERROR_UNKNOWN);
}

class DocumentedSurfacingTest : public testing::Test {};

TEST_F(DocumentedSurfacingTest, OnlyDocumentedCallsReturnEarlierErrors) {
  FaultPlan plan;
  Driver driver({.surfacing = ErrorSurfacing::documented}, plan);
  const gpu::DriverApi& cu = driver.driver();
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  ASSERT_EQ(cu.cuInit(0), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuCtxCreate(&context, 0, 0), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuStreamCreate(&stream, gpu::kStreamNonBlocking), CUDA_SUCCESS);
  const Call call = Call::cuMemAlloc;
  plan.begin_operation(1, "A");
  plan.strike(std::span(&call, 1), {.kind = FaultKind::unknown, .when = FaultWhen::async});
  CUdeviceptr address = 0;
  ASSERT_EQ(cu.cuMemAlloc(&address, 8), CUDA_SUCCESS);
  plan.begin_operation(2, "B");
  CUdeviceptr pooled = 0;
  EXPECT_EQ(cu.cuMemAllocAsync(&pooled, 8, stream), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamQuery(stream), CUDA_ERROR_UNKNOWN);
  EXPECT_EQ(cu.cuMemFreeAsync(pooled, stream), CUDA_SUCCESS);
}

}  // namespace
}  // namespace taintgraph::sim
