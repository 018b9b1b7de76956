// The backend when calls fail: the simulated driver fails them as planned.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "gpu/faulty_machine_for_tests.hpp"

namespace taintgraph::gpu {
namespace {

using core::DeviceSpan;
using core::StreamIndex;

TEST(CudaDeviceFaults, CreationUndoesWhatItDid) {
  std::uint64_t skip = 0;
  for (;; ++skip) {
    for (const FaultWhen when : {FaultWhen::before, FaultWhen::after}) {
      Machine machine(plan_of({}, FaultKind::invalid_value, when, skip));
      const auto opened = machine.open();
      if (machine.plan.fired().empty()) {
        EXPECT_TRUE(opened);
        // Init, device, context, is it current; 2 streams with an event and 2 blocks of memory each; how much memory
        // there is.
        EXPECT_EQ(skip, 13U);
        return;
      }
      if (machine.plan.fired()[0].call == Call::cuCtxGetCurrent) {
        EXPECT_TRUE(opened) << "what is current is not asked twice: the context is made so";
        continue;
      }
      ASSERT_FALSE(opened) << skip;
      EXPECT_EQ(opened.error().call, to_string(machine.plan.fired()[0].call)) << skip;
      EXPECT_EQ(opened.error().name, "invalid_value");
      EXPECT_EQ(machine.driver.live_objects(), Objects()) << skip;
      EXPECT_EQ(machine.findings(), "") << skip;
    }
  }
}

TEST(CudaDeviceFaults, WhatCannotBeUndoneIsSaid) {
  // An event, then asking for the context, which nobody minds, then waiting to undo.
  Machine machine(plan_of({}, FaultKind::invalid_value, FaultWhen::before, 5, 3));
  const auto opened = machine.open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().call, "cuEventCreate");
  EXPECT_NE(opened.error().detail.find("then, undoing it, cuCtxSetCurrent returned invalid_value"), std::string::npos)
      << opened.error().detail;
}

// Fails each call of a teardown in turn: it goes on, and says so.
TEST(CudaDeviceFaults, TeardownGoesOnThroughErrors) {
  for (std::uint64_t skip = 0;; ++skip) {
    Machine machine;
    ASSERT_TRUE(machine.open());
    const DeviceSpan bytes = machine.reserve();
    ASSERT_TRUE(machine.fill(bytes, 3));
    ASSERT_TRUE(machine.device->fence(kStream));
    ASSERT_TRUE(machine.device->give_back(machine.reserve().address));
    machine.plan = plan_of({}, FaultKind::invalid_value, FaultWhen::before, skip);
    const std::vector<core::Error> errors = machine.device->close();
    if (machine.plan.fired().empty()) {
      EXPECT_TRUE(errors.empty());
      EXPECT_EQ(machine.driver.live_objects(), Objects());
      EXPECT_EQ(skip, 14U);
      return;
    }
    if (machine.plan.fired()[0].call == Call::cuCtxGetCurrent) {
      EXPECT_TRUE(errors.empty());
      EXPECT_EQ(machine.driver.live_objects(), Objects());
      continue;
    }
    ASSERT_EQ(errors.size(), 1U) << skip;
    EXPECT_EQ(errors[0].call, to_string(machine.plan.fired()[0].call));
    EXPECT_EQ(machine.findings(), "") << errors[0].call;
    EXPECT_EQ(machine.driver.live_objects(), Objects()) << errors[0].call;
  }
}

// Memory that a queued copy or kernel may still use is left to the context, which waits for them.
TEST(CudaDeviceFaults, TeardownOfAStreamThatCannotBeWaitedFor) {
  Machine machine;
  ASSERT_TRUE(machine.open());
  const DeviceSpan bytes = machine.reserve();
  ASSERT_TRUE(machine.write(bytes, 1));
  const std::vector<DeviceSpan> many(20, DeviceSpan{bytes.address, 0});
  ASSERT_TRUE(machine.device->launch(kStream, {"noop", many, {}, {}}));
  const Call waits[] = {Call::cuStreamSynchronize};
  machine.plan.begin_operation(1, "close");
  machine.plan.strike(waits,
                      {.kind = FaultKind::invalid_value, .when = {}, .bytes_done = 0, .surface_after_calls = {}});
  EXPECT_EQ(machine.device->close().size(), 4U);  // tried twice, for either stream
  EXPECT_EQ(machine.findings(), "");
  EXPECT_EQ(machine.driver.live_objects(), Objects());
}

TEST(CudaDeviceFaults, LoadingAKernelIsWholeOrNotAtAll) {
  for (const Call call :
       {Call::cuDeviceGetAttribute, Call::nvrtcVersion, Call::nvrtcCreateProgram, Call::nvrtcCompileProgram,
        Call::nvrtcGetPTXSize, Call::nvrtcGetPTX, Call::nvrtcDestroyProgram, Call::cuModuleLoadData,
        Call::cuModuleGetFunction, Call::cuFuncLoad, Call::cuLaunchKernel}) {
    const bool compiler = to_string(call).substr(0, 5) == "nvrtc";
    Machine machine(plan_of(call, compiler ? FaultKind::compile_error : FaultKind::invalid_value));
    ASSERT_TRUE(machine.open());
    const DeviceSpan bytes = machine.reserve();
    const auto failed = machine.fill(bytes, 3);
    ASSERT_FALSE(failed) << to_string(call);
    EXPECT_EQ(failed.error().call, to_string(call));
    EXPECT_EQ(failed.error().name, compiler ? "compile_error" : "invalid_value");
    EXPECT_FALSE(failed.error().sticky);
    EXPECT_EQ(machine.count("module"), call == Call::cuLaunchKernel ? 1 : 0) << to_string(call);
    EXPECT_EQ(machine.count("program"), 0) << to_string(call);
    EXPECT_TRUE(machine.fill(bytes, 4)) << to_string(call);
    EXPECT_EQ(machine.value_of(bytes), 4);
    EXPECT_TRUE(machine.device->close().empty());
    EXPECT_EQ(machine.driver.live_objects(), Objects()) << to_string(call);
    EXPECT_EQ(machine.findings(), "") << to_string(call);
  }
}

TEST(CudaDeviceFaults, AForgottenKernelIsCompiledAgain) {
  Machine machine(plan_of(Call::nvrtcCompileProgram, FaultKind::compile_error, FaultWhen::before, 1));
  ASSERT_TRUE(machine.open());
  const DeviceSpan bytes = machine.reserve();
  ASSERT_TRUE(machine.fill(bytes, 3));
  ASSERT_TRUE(machine.fill(bytes, 3));
  ASSERT_TRUE(machine.device->forget_kernel("fill"));
  ASSERT_TRUE(machine.device->forget_kernel("fill"));
  const auto failed = machine.fill(bytes, 4);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().name, "compile_error");
  EXPECT_TRUE(machine.fill(bytes, 5));
  EXPECT_EQ(machine.value_of(bytes), 5);
}

// The order that events cannot keep is kept by the host's waiting.
TEST(CudaDeviceFaults, OrderingFallsBackToWaiting) {
  for (const Call call : {Call::cuEventRecord, Call::cuStreamWaitEvent}) {
    for (const FaultWhen when : {FaultWhen::before, FaultWhen::after}) {
      Machine machine(plan_of(call, FaultKind::invalid_handle, when));
      ASSERT_TRUE(machine.open());
      const DeviceSpan bytes = machine.reserve();
      ASSERT_TRUE(machine.fill(bytes, 3, kStream));
      EXPECT_TRUE(machine.device->order_after(kOtherStream, kStream));
      EXPECT_EQ(machine.plan.fired().size(), 1U);
      EXPECT_EQ(machine.value_of(bytes, kOtherStream), 3);
      EXPECT_EQ(machine.findings(), "");
    }
  }
}

TEST(CudaDeviceFaults, OrderingFailsWhenWaitingFailsToo) {
  Machine machine;
  ASSERT_TRUE(machine.open());
  const DeviceSpan bytes = machine.reserve();
  ASSERT_TRUE(machine.fill(bytes, 3, kStream));
  const Call calls[] = {Call::cuEventRecord, Call::cuStreamSynchronize};
  machine.plan.begin_operation(1, "order");
  machine.plan.strike(calls,
                      {.kind = FaultKind::invalid_handle, .when = {}, .bytes_done = 0, .surface_after_calls = {}});
  const auto ordered = machine.device->order_after(kOtherStream, kStream);
  machine.plan.begin_operation(2, "");
  ASSERT_FALSE(ordered);
  EXPECT_EQ(ordered.error().call, "cuStreamSynchronize");
}

// A copy whose call failed may be queued all the same: its staging space must not be handed out again before its time.
TEST(CudaDeviceFaults, StagingSpaceOfAFailedCopyIsLeftAlone) {
  for (const Call call : {Call::cuMemcpyHtoDAsync, Call::cuMemcpyDtoHAsync}) {
    Machine machine(plan_of(call, FaultKind::invalid_value, FaultWhen::after));
    ASSERT_TRUE(machine.open());
    const DeviceSpan first = machine.reserve();
    const DeviceSpan second = machine.reserve(16);  // fits beside the first; the third does not
    const DeviceSpan third = machine.reserve();
    std::vector<std::uint8_t> into;
    if (call == Call::cuMemcpyHtoDAsync) {
      EXPECT_FALSE(machine.write(first, 1));
    } else {
      EXPECT_TRUE(machine.write(first, 1));
      EXPECT_FALSE(machine.read(first, into));
    }
    EXPECT_TRUE(machine.write(second, 2));
    EXPECT_TRUE(call == Call::cuMemcpyDtoHAsync || machine.write(third, 3));
    const std::uint64_t calls = machine.plan.calls();
    EXPECT_EQ(machine.value_of(second), 2);
    // Whether the context is current, the copy, its wait; after a failed read another wait before them.
    EXPECT_EQ(machine.plan.calls() - calls, call == Call::cuMemcpyDtoHAsync ? 4U : 3U);
    EXPECT_EQ(machine.value_of(first), 1);
    EXPECT_EQ(machine.findings(), "") << to_string(call);
  }
}

TEST(CudaDeviceFaults, AWaitForStagingSpaceMayFail) {
  Machine machine(plan_of(Call::cuStreamSynchronize, FaultKind::invalid_value));
  ASSERT_TRUE(machine.open());
  const DeviceSpan first = machine.reserve();
  const DeviceSpan second = machine.reserve();
  ASSERT_TRUE(machine.write(first, 1));
  const auto failed = machine.write(second, 2);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().call, "cuStreamSynchronize");
  EXPECT_TRUE(machine.write(second, 3));
  EXPECT_EQ(machine.value_of(first), 1);
  EXPECT_EQ(machine.value_of(second), 3);
  EXPECT_EQ(machine.findings(), "");
}

TEST(CudaDeviceFaults, AFenceThatFailsIsNoFence) {
  for (const Call call : {Call::cuEventCreate, Call::cuEventRecord, Call::cuEventQuery}) {
    Machine machine;
    ASSERT_TRUE(machine.open());
    machine.plan = plan_of(call, FaultKind::invalid_value);
    auto fence = machine.device->fence(kStream);
    if (call == Call::cuEventQuery) {
      ASSERT_TRUE(fence);
      EXPECT_FALSE(machine.device->reached(*fence));
    } else {
      EXPECT_FALSE(fence);
      fence = machine.device->fence(kStream);
      ASSERT_TRUE(fence);
    }
    EXPECT_TRUE(machine.device->synchronize(kStream, {}));
    EXPECT_TRUE(machine.device->reached(*fence).value_or(false));
    EXPECT_TRUE(machine.device->drop(*fence));
    EXPECT_EQ(machine.findings(), "");
  }
}

struct Faulting {
  std::string_view kernel;
  std::string_view error;
  core::Recovery recovery;
};

TEST(CudaDeviceFaults, FaultingKernelsPoisonAndResetRecoversWhereItCan) {
  for (const Faulting& each : {Faulting{"device_assert", "assert", core::Recovery::context},
                               Faulting{"out_of_bounds", "illegal_address", core::Recovery::process},
                               Faulting{"trap", "launch_failed", core::Recovery::process}}) {
    Machine machine;
    ASSERT_TRUE(machine.open());
    const DeviceSpan bytes = machine.reserve();
    const auto fence = machine.device->fence(kOtherStream);
    ASSERT_TRUE(machine.run(each.kernel));
    const auto surfaced = machine.device->synchronize(kStream, {});
    ASSERT_FALSE(surfaced) << each.kernel;
    EXPECT_EQ(surfaced.error().name, each.error);
    EXPECT_TRUE(surfaced.error().sticky);
    EXPECT_EQ(surfaced.error().recovery, each.recovery);
    EXPECT_EQ(machine.fill(bytes, 1).error().name, each.error);

    const auto reset = machine.device->reset();
    EXPECT_EQ(reset.has_value(), each.recovery == core::Recovery::context) << each.kernel;
    if (!reset) continue;
    EXPECT_FALSE(reset->empty());  // the old context's error, once more
    const DeviceSpan fresh = machine.reserve();
    EXPECT_TRUE(machine.fill(fresh, 2));
    EXPECT_EQ(machine.value_of(fresh), 2);
    EXPECT_TRUE(machine.device->reached(*fence).value_or(false));  // of the old context: over
    EXPECT_TRUE(machine.device->drop(*fence));
    EXPECT_TRUE(machine.device->close().empty());
    EXPECT_EQ(machine.driver.live_objects(), Objects());
  }
}

}  // namespace
}  // namespace taintgraph::gpu
