// What the backend could not end or ask when it should have: it does so before anything else.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/faulty_machine_for_tests.hpp"

namespace taintgraph::gpu {
namespace {

using core::DeviceSpan;

// Memory, a graph and a window whose end cannot be told to the driver: the context is not current and cannot be made
// so.
struct Owing : Machine {
  void owe() {
    ASSERT_TRUE(open());
    spare = reserve();
    used = reserve();
    ASSERT_TRUE(device->begin_capture(kStream));
    ASSERT_TRUE(fill(used, 1));
    const auto graph = device->end_capture(kStream);
    ASSERT_TRUE(graph);
    ASSERT_TRUE(device->begin_capture(kStream));
    ASSERT_EQ(driver.driver().cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
    plan = plan_of(Call::cuCtxSetCurrent, FaultKind::invalid_value, FaultWhen::before, 0, 3);
    EXPECT_FALSE(device->give_back(spare.address));
    EXPECT_FALSE(device->drop(*graph));
    EXPECT_FALSE(device->abandon_capture(kStream));
    plan = {};
  }

  DeviceSpan spare;
  DeviceSpan used;
};

TEST(CudaDeviceDebts, WhatCouldNotBeEndedIsEndedByTheNextCall) {
  Owing machine;
  machine.owe();
  const Objects owed = machine.driver.live_objects();
  EXPECT_TRUE(machine.device->synchronize(kOtherStream, {}));
  EXPECT_EQ(machine.driver.live_objects().size() + 3, owed.size()) << "memory, a graph, a window";
  EXPECT_TRUE(machine.fill(machine.used, 9)) << "in no window";
  EXPECT_EQ(machine.value_of(machine.used), 9);
  EXPECT_TRUE(machine.device->give_back(machine.used.address));
  EXPECT_TRUE(machine.device->close().empty());
  EXPECT_EQ(machine.driver.live_objects(), Objects());
  EXPECT_EQ(machine.findings(), "");
}

TEST(CudaDeviceDebts, WhatIsOwedGoesWithItsContext) {
  Owing machine;
  machine.owe();
  EXPECT_TRUE(machine.device->recreate());
  EXPECT_TRUE(machine.device->synchronize(kStream, {}));
  EXPECT_TRUE(machine.device->close().empty());
  EXPECT_EQ(machine.driver.live_objects(), Objects());
  EXPECT_EQ(machine.findings(), "");
}

// A context that could not be made again takes along what is ended meanwhile.
TEST(CudaDeviceDebts, NothingIsOwedToAContextThatIsGone) {
  for (const PageAllocator allocator : {PageAllocator::context, PageAllocator::stream_ordered}) {
    Machine machine;
    machine.options.allocator = allocator;
    ASSERT_TRUE(machine.open());
    const DeviceSpan bytes = machine.reserve();
    ASSERT_TRUE(machine.device->begin_capture(kStream));
    machine.plan = plan_of(Call::cuCtxCreate, FaultKind::out_of_memory);
    EXPECT_FALSE(machine.device->recreate());
    EXPECT_FALSE(machine.device->give_back(bytes.address));
    EXPECT_FALSE(machine.device->abandon_capture(kStream));
    EXPECT_TRUE(machine.device->recreate());
    EXPECT_TRUE(machine.device->synchronize(kStream, {}));
    EXPECT_TRUE(machine.device->close().empty());
    EXPECT_EQ(machine.driver.live_objects(), Objects());
    EXPECT_EQ(machine.findings(), "");
  }
}

TEST(CudaDeviceDebts, WhatIsOwedToAContextThatStaysIsGivenBackToIt) {
  Owing machine;
  machine.options.adopt_primary_context = true;
  CUcontext kept = nullptr;
  ASSERT_EQ(machine.driver.driver().cuInit(0), CUDA_SUCCESS);
  ASSERT_EQ(machine.driver.driver().cuDevicePrimaryCtxRetain(&kept, 0), CUDA_SUCCESS);
  const Objects before = machine.driver.live_objects();
  machine.owe();
  EXPECT_TRUE(machine.device->give_back(machine.used.address));
  EXPECT_TRUE(machine.device->close().empty());
  EXPECT_EQ(machine.driver.live_objects(), before);
  EXPECT_EQ(machine.findings(), "");
}

// A window opens though the call fails, and asking whether it did fails, too.
struct Unsure : Machine {
  void fail_to_begin() {
    ASSERT_TRUE(open());
    bytes = reserve();
    begin_in_doubt();
  }

  void begin_in_doubt() {
    sim::PlannedFault begins;
    begins.call = Call::cuStreamBeginCapture;
    begins.fault.kind = FaultKind::invalid_value;
    begins.fault.when = FaultWhen::after;
    sim::PlannedFault says_nothing;
    says_nothing.call = Call::cuStreamIsCapturing;
    says_nothing.count = 2;
    says_nothing.fault.kind = FaultKind::invalid_value;
    plan = sim::FaultPlan(1, {begins, says_nothing});
    EXPECT_FALSE(device->begin_capture(kStream));
    EXPECT_EQ(plan.fired().size(), 3U);
    plan = {};
  }

  DeviceSpan bytes;
};

TEST(CudaDeviceDebts, AWindowThatNobodyKnowsOfIsEndedBeforeAnythingElse) {
  for (const bool elsewhere : {false, true}) {
    Unsure machine;
    machine.fail_to_begin();
    if (elsewhere) {
      EXPECT_TRUE(machine.device->order_after(kOtherStream, kStream));
    } else {
      EXPECT_TRUE(machine.device->synchronize(kStream, {}));
    }
    EXPECT_TRUE(machine.fill(machine.bytes, 9));
    EXPECT_EQ(machine.value_of(machine.bytes), 9);
    EXPECT_EQ(machine.findings(), "");
  }
}

TEST(CudaDeviceDebts, NothingIsDoneOnStreamsWhileAWindowIsInDoubt) {
  Unsure machine;
  machine.fail_to_begin();
  machine.plan = plan_of(Call::cuStreamIsCapturing, FaultKind::invalid_value, FaultWhen::before, 0, 2);
  EXPECT_EQ(machine.fill(machine.bytes, 9).error().call, "cuStreamIsCapturing");
  EXPECT_TRUE(machine.device->begin_capture(kStream)) << "asked once more, and ended";
  EXPECT_TRUE(machine.device->abandon_capture(kStream));
  EXPECT_EQ(machine.findings(), "");
}

TEST(CudaDeviceDebts, AWindowInDoubtGoesWithItsContext) {
  Unsure machine;
  machine.fail_to_begin();
  machine.plan = plan_of(Call::cuStreamIsCapturing, FaultKind::invalid_value, FaultWhen::before, 0, 2);
  EXPECT_TRUE(machine.device->recreate());
  const std::uint64_t calls = machine.plan.calls();
  EXPECT_TRUE(machine.device->synchronize(kStream, {}));
  EXPECT_EQ(machine.plan.calls() - calls, 2U) << "whether the context is current, and the wait";
  EXPECT_TRUE(machine.device->close().empty());
  EXPECT_EQ(machine.findings(), "");
}

// The stream alone: it may be in the window still, so it can be neither waited for nor destroyed.
TEST(CudaDeviceDebts, AStreamInDoubtIsAllThatIsLeftInAContextThatStays) {
  for (const PageAllocator allocator : {PageAllocator::context, PageAllocator::stream_ordered}) {
    Unsure machine;
    machine.options.adopt_primary_context = true;
    machine.options.allocator = allocator;
    CUcontext kept = nullptr;
    ASSERT_EQ(machine.driver.driver().cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(machine.driver.driver().cuDevicePrimaryCtxRetain(&kept, 0), CUDA_SUCCESS);
    const Objects before = machine.driver.live_objects();
    machine.fail_to_begin();
    EXPECT_TRUE(machine.device->synchronize(kOtherStream, {})) << "which ends the window";
    EXPECT_TRUE(machine.fill(machine.bytes, 9));
    EXPECT_TRUE(machine.device->synchronize(kStream, {}));
    EXPECT_TRUE(machine.device->give_back(machine.bytes.address));
    machine.begin_in_doubt();
    machine.plan = plan_of(Call::cuStreamIsCapturing, FaultKind::invalid_value, FaultWhen::before, 0, 2);
    EXPECT_EQ(machine.device->close().size(), 1U) << "of asking";
    Objects left = machine.driver.live_objects();
    EXPECT_EQ(std::erase(left, "stream"), 1);
    EXPECT_EQ(std::erase(left, "open capture"), 1);
    EXPECT_EQ(left, before);
    EXPECT_EQ(machine.findings(), "");
  }
}

}  // namespace
}  // namespace taintgraph::gpu
