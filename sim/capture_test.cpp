#include "sim/capture.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "sim/machine_fixture.hpp"

namespace taintgraph::sim {
namespace {

using Bytes = std::vector<unsigned char>;

class CaptureTest : public MachineFixture {
 protected:
  void SetUp() override {
    ASSERT_EQ(cu.cuFuncLoad(fill_kernel), CUDA_SUCCESS);
    ASSERT_EQ(cu.cuFuncLoad(trap_kernel), CUDA_SUCCESS);
  }

  void begin(unsigned stream, CUstreamCaptureMode mode = gpu::CU_STREAM_CAPTURE_MODE_RELAXED) {
    ASSERT_EQ(cu.cuStreamBeginCapture(streams[stream], mode), CUDA_SUCCESS);
  }
  CUresult put(unsigned stream, CUdeviceptr to, unsigned char value) {
    return launch(fill_kernel, stream, 8, {{to, 8, true}}, value);
  }
  CUgraphExec end(unsigned stream) {
    CUgraph graph = nullptr;
    CUgraphExec exec = nullptr;
    EXPECT_EQ(cu.cuStreamEndCapture(streams[stream], &graph), CUDA_SUCCESS);
    EXPECT_EQ(cu.cuGraphInstantiate(&exec, graph, 0), CUDA_SUCCESS);
    EXPECT_EQ(cu.cuGraphDestroy(graph), CUDA_SUCCESS);
    return exec;
  }
  CUstreamCaptureStatus status(unsigned stream) {
    CUstreamCaptureStatus result = gpu::CU_STREAM_CAPTURE_STATUS_NONE;
    EXPECT_EQ(cu.cuStreamIsCapturing(streams[stream], &result), CUDA_SUCCESS);
    return result;
  }
  void expect_finding(const std::string& what) { EXPECT_NE(findings().find(what), std::string::npos) << what; }

  CUfunction fill_kernel = function("fill");
  CUfunction trap_kernel = function("trap");
  CUdeviceptr memory = allocate(16);
};

TEST_F(CaptureTest, CapturedWorkRunsWhenTheGraphIsLaunched) {
  ASSERT_EQ(put(0, memory, 1), CUDA_SUCCESS);
  begin(0);
  EXPECT_EQ(status(0), gpu::CU_STREAM_CAPTURE_STATUS_ACTIVE);
  ASSERT_EQ(put(0, memory, 2), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuMemcpyDtoDAsync(memory + 8, memory, 8, streams[0]), CUDA_SUCCESS);
  const CUgraphExec exec = end(0);
  EXPECT_EQ(status(0), gpu::CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_EQ(read(0, memory, 8), Bytes(8, 1));
  (void)driver.take_schedule();
  ASSERT_EQ(cu.cuGraphLaunch(exec, streams[0]), CUDA_SUCCESS);
  EXPECT_EQ(read(0, memory, 16), Bytes(16, 2));
  EXPECT_EQ(driver.take_schedule(), (std::vector<std::uint32_t>{0, 0, 0}));
  EXPECT_EQ(cu.cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(findings(), "");
}

TEST_F(CaptureTest, ALaunchedGraphIsWorkOfItsStream) {
  begin(0);
  ASSERT_EQ(put(0, memory, 2), CUDA_SUCCESS);
  const CUgraphExec exec = end(0);
  ASSERT_EQ(cu.cuGraphLaunch(exec, streams[1]), CUDA_SUCCESS);
  ASSERT_EQ(put(0, memory, 3), CUDA_SUCCESS);
  expect_finding("race");
}

TEST_F(CaptureTest, LaunchesOfOneGraphComeOneAfterTheOther) {
  begin(0);
  ASSERT_EQ(put(0, memory, 2), CUDA_SUCCESS);
  const CUgraphExec exec = end(0);
  ASSERT_EQ(cu.cuGraphLaunch(exec, streams[0]), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuGraphLaunch(exec, streams[1]), CUDA_SUCCESS);
  EXPECT_EQ(findings(), "");
}

TEST_F(CaptureTest, AnEventPullsAStreamInAndItMustJoinAgain) {
  const CUevent fork = event();
  const CUevent join = event();
  begin(0);
  ASSERT_EQ(put(0, memory, 1), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuEventRecord(fork, streams[0]), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuStreamWaitEvent(streams[1], fork, 0), CUDA_SUCCESS);
  EXPECT_EQ(status(1), gpu::CU_STREAM_CAPTURE_STATUS_ACTIVE);
  ASSERT_EQ(put(1, memory + 8, 2), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuEventRecord(join, streams[1]), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuStreamWaitEvent(streams[0], join, 0), CUDA_SUCCESS);
  const CUgraphExec exec = end(0);
  EXPECT_EQ(status(1), gpu::CU_STREAM_CAPTURE_STATUS_NONE);
  ASSERT_EQ(cu.cuGraphLaunch(exec, streams[0]), CUDA_SUCCESS);
  Bytes expected(16, 1);
  std::fill(expected.begin() + 8, expected.end(), 2);
  EXPECT_EQ(read(0, memory, 16), expected);
  EXPECT_EQ(findings(), "");
}

TEST_F(CaptureTest, AnUnjoinedStreamGivesNoGraph) {
  const CUevent fork = event();
  begin(0);
  ASSERT_EQ(cu.cuEventRecord(fork, streams[0]), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuStreamWaitEvent(streams[1], fork, 0), CUDA_SUCCESS);
  ASSERT_EQ(put(1, memory, 2), CUDA_SUCCESS);
  CUgraph graph = nullptr;
  EXPECT_EQ(cu.cuStreamEndCapture(streams[1], &graph), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  EXPECT_EQ(cu.cuStreamEndCapture(streams[0], &graph), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  EXPECT_EQ(graph, nullptr);
  expect_finding("not joined back");
}

TEST_F(CaptureTest, AnOutsideEventInvalidatesTheCapture) {
  const CUevent outside = event();
  ASSERT_EQ(cu.cuEventRecord(outside, streams[1]), CUDA_SUCCESS);
  begin(0);
  EXPECT_EQ(cu.cuStreamWaitEvent(streams[0], outside, 0), CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  expect_finding("recorded outside");
  EXPECT_EQ(status(0), gpu::CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  EXPECT_EQ(put(0, memory, 2), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  CUgraph graph = nullptr;
  EXPECT_EQ(cu.cuStreamEndCapture(streams[0], &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(put(0, memory, 2), CUDA_SUCCESS);  // usable again
  EXPECT_EQ(read(0, memory, 8), Bytes(8, 2));
}

TEST_F(CaptureTest, CapturedEventsMeanNothingOutside) {
  const CUevent inside = event();
  begin(0);
  ASSERT_EQ(cu.cuEventRecord(inside, streams[0]), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuEventQuery(inside), CUDA_ERROR_CAPTURED_EVENT);
  EXPECT_EQ(cu.cuEventSynchronize(inside), CUDA_ERROR_CAPTURED_EVENT);
  expect_finding("captured event");
  (void)end(0);
  EXPECT_EQ(cu.cuStreamWaitEvent(streams[1], inside, 0), CUDA_ERROR_CAPTURED_EVENT);
  ASSERT_EQ(cu.cuEventRecord(inside, streams[1]), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuEventSynchronize(inside), CUDA_SUCCESS);
}

TEST_F(CaptureTest, TwoCapturesDoNotMerge) {
  const CUevent inside = event();
  begin(0);
  begin(1);
  ASSERT_EQ(cu.cuEventRecord(inside, streams[0]), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamWaitEvent(streams[1], inside, 0), CUDA_ERROR_STREAM_CAPTURE_MERGE);
  EXPECT_EQ(status(0), gpu::CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  EXPECT_EQ(status(1), gpu::CU_STREAM_CAPTURE_STATUS_INVALIDATED);
}

TEST_F(CaptureTest, WaitingForACapturingStreamInvalidates) {
  begin(0);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  expect_finding("cuStreamSynchronize of a capturing stream");
  EXPECT_EQ(status(0), gpu::CU_STREAM_CAPTURE_STATUS_INVALIDATED);
}

TEST_F(CaptureTest, ModesSayWhoIsBarredFromUnsafeCalls) {
  CUdeviceptr address = 0;
  const auto allocate_in_thread = [&] {
    CUresult result = CUDA_SUCCESS;
    std::thread([&] {
      EXPECT_EQ(cu.cuCtxSetCurrent(context), CUDA_SUCCESS);
      result = cu.cuMemAlloc(&address, 8);
    }).join();
    return result;
  };
  begin(0, gpu::CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_EQ(cu.cuMemAlloc(&address, 8), CUDA_SUCCESS);
  (void)end(0);
  EXPECT_EQ(findings(), "");

  CUgraph graph = nullptr;
  begin(0, gpu::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  EXPECT_EQ(allocate_in_thread(), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuMemAlloc(&address, 8), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(cu.cuStreamEndCapture(streams[0], &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  expect_finding("cuMemAlloc while a stream captures");

  begin(0, gpu::CU_STREAM_CAPTURE_MODE_GLOBAL);
  EXPECT_EQ(allocate_in_thread(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(cu.cuStreamEndCapture(streams[0], &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_F(CaptureTest, AFunctionIsLoadedBeforehand) {
  const CUfunction unloaded = function("noop");
  begin(0);
  EXPECT_EQ(launch(unloaded, 0, 1, {}), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  expect_finding("would load its function");
}

TEST_F(CaptureTest, AFailedCallIsNoNodeAndNeedNotInvalidate) {
  const Call call = Call::cuLaunchKernel;
  begin(0);
  plan.begin_operation(1, "A");
  plan.strike(std::span(&call, 1), {.kind = FaultKind::launch_out_of_resources, .bytes_done = 4});
  EXPECT_EQ(put(0, memory, 2), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  plan.begin_operation(2, "B");
  EXPECT_EQ(status(0), gpu::CU_STREAM_CAPTURE_STATUS_ACTIVE);
  const CUgraphExec exec = end(0);
  ASSERT_EQ(cu.cuGraphLaunch(exec, streams[0]), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_SUCCESS);
  EXPECT_TRUE(driver.take_schedule().empty());
}

TEST_F(CaptureTest, AnInjectedCaptureErrorInvalidatesItsCapture) {
  const Call call = Call::cuLaunchKernel;
  begin(0);
  begin(1);
  plan.begin_operation(1, "A");
  plan.strike(std::span(&call, 1), {.kind = FaultKind::capture_unsupported});
  EXPECT_EQ(put(0, memory, 2), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  plan.begin_operation(2, "B");
  EXPECT_EQ(status(0), gpu::CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  EXPECT_EQ(status(1), gpu::CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(findings(), "");
}

TEST_F(CaptureTest, AFailedEndLeavesAStreamThatDoesNotCapture) {
  const Call call = Call::cuStreamEndCapture;
  begin(0);
  plan.begin_operation(1, "A");
  plan.strike(std::span(&call, 1), {.kind = FaultKind::capture_unjoined});
  CUgraph graph = nullptr;
  EXPECT_EQ(cu.cuStreamEndCapture(streams[0], &graph), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  EXPECT_EQ(graph, nullptr);
  plan.begin_operation(2, "B");
  EXPECT_EQ(status(0), gpu::CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_EQ(findings(), "");
}

TEST_F(CaptureTest, AFaultingNodeFaultsAtEachLaunch) {
  begin(0);
  ASSERT_EQ(launch(trap_kernel, 0, 1, {}), CUDA_SUCCESS);
  const CUgraphExec exec = end(0);
  ASSERT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_SUCCESS);  // nothing ran yet
  ASSERT_EQ(cu.cuGraphLaunch(exec, streams[0]), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_ERROR_LAUNCH_FAILED);
}

TEST_F(CaptureTest, AnInjectedAsynchronousFaultIsPartOfItsNode) {
  const Call call = Call::cuLaunchKernel;
  begin(0);
  plan.begin_operation(1, "A");
  plan.strike(std::span(&call, 1), {.kind = FaultKind::ecc_uncorrectable});
  ASSERT_EQ(put(0, memory, 2), CUDA_SUCCESS);
  plan.begin_operation(2, "B");
  const CUgraphExec exec = end(0);
  ASSERT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuGraphLaunch(exec, streams[0]), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_ERROR_ECC_UNCORRECTABLE);
}

TEST_F(CaptureTest, GraphsAreObjectsToBeDestroyed) {
  const std::size_t before = driver.live_objects().size();
  begin(0);
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  ASSERT_EQ(cu.cuStreamEndCapture(streams[0], &graph), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuGraphInstantiate(&exec, graph, 0), CUDA_SUCCESS);
  EXPECT_EQ(driver.live_objects().size(), before + 2);
  EXPECT_EQ(cu.cuGraphDestroy(graph), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(driver.live_objects().size(), before);
  EXPECT_EQ(cu.cuGraphDestroy(graph), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu.cuGraphExecDestroy(exec), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver.take_findings().size(), 2U);
}

}  // namespace
}  // namespace taintgraph::sim
