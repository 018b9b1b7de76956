// Pages that come in the order of a stream, on the simulated driver: it finds every use that nothing orders after the
// reservation, and what is not given back.
#include "gpu/stream_ordered_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "gpu/cuda_device.hpp"
#include "sim/driver.hpp"

namespace taintgraph::gpu {
namespace {

using core::DeviceSpan;
using core::StreamIndex;

constexpr std::uint64_t kAll = 1U << 20;

class StreamOrderedMemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    CudaDeviceOptions options;
    options.streams = kStreams;
    options.staging_bytes = 64;
    options.allocator = PageAllocator::stream_ordered;
    options.observer = sim_.observer();
    options.clock = sim_.clock();
    auto made = CudaDevice::create(sim_.driver(), sim_.compiler(), options);
    ASSERT_TRUE(made);
    device_ = std::move(*made);
  }
  void TearDown() override {
    device_.reset();
    EXPECT_EQ(findings(), "");
    EXPECT_EQ(sim_.live_objects(), std::vector<std::string>());
  }

  [[nodiscard]] DeviceSpan reserve(std::uint64_t size = 64) {
    const auto address = device_->reserve(size);
    EXPECT_TRUE(address);
    return {address.value_or(core::DeviceAddress::null), size};
  }
  [[nodiscard]] core::DeviceResult<void> fill(DeviceSpan to, std::uint32_t stream) {
    const DeviceSpan writes[] = {to};
    const std::uint64_t scalars[] = {7};
    return device_->launch(StreamIndex{stream}, {"fill", {}, writes, scalars});
  }
  [[nodiscard]] core::DeviceResult<void> write(DeviceSpan to, std::uint32_t stream) {
    const std::vector<std::byte> bytes(to.size_bytes, std::byte{7});
    return device_->write(StreamIndex{stream}, to.address, bytes);
  }
  [[nodiscard]] bool holds_sevens(DeviceSpan from, std::uint32_t stream) {
    std::vector<std::byte> bytes(from.size_bytes);
    const core::DeviceRead pieces[] = {{from, bytes.data()}};
    return device_->read(StreamIndex{stream}, pieces) &&
           std::all_of(bytes.begin(), bytes.end(), [](std::byte each) { return each == std::byte{7}; });
  }
  void strike(std::vector<Call> calls) {
    plan_.begin_operation(++operation_, {});
    struck_ = std::move(calls);
    plan_.strike(struck_, {.kind = FaultKind::invalid_value, .when = FaultWhen::before});
  }
  void calm() { plan_.begin_operation(++operation_, {}); }
  [[nodiscard]] std::string findings() {
    std::string lines;
    for (const sim::Finding& finding : sim_.take_findings()) lines += finding.what + "\n";
    return lines;
  }

  static constexpr std::uint32_t kStreams = 3;
  sim::FaultPlan plan_;
  sim::Driver sim_{{.memory_bytes = kAll}, plan_};
  std::unique_ptr<CudaDevice> device_;
  std::vector<Call> struck_;
  std::uint64_t operation_ = 0;
};

TEST_F(StreamOrderedMemoryTest, EveryKindOfWorkComesAfterTheReservation) {
  const DeviceSpan filled = reserve();
  EXPECT_TRUE(fill(filled, 0));
  const DeviceSpan written = reserve();
  EXPECT_TRUE(write(written, 1));
  const DeviceSpan copied = reserve();
  EXPECT_TRUE(device_->synchronize(StreamIndex{1}, {}));
  EXPECT_TRUE(device_->copy(StreamIndex{2}, copied, written));
  EXPECT_TRUE(holds_sevens(copied, 2));
  const DeviceSpan fresh = reserve();
  EXPECT_FALSE(holds_sevens(fresh, 0)) << "garbage, but in order";
  EXPECT_EQ(findings(), "");
}

TEST_F(StreamOrderedMemoryTest, AStreamWaitsOnceForAReservation) {
  const DeviceSpan memory = reserve();
  ASSERT_TRUE(fill(memory, 1));
  strike({Call::cuStreamWaitEvent, Call::cuStreamSynchronize});
  EXPECT_TRUE(fill(memory, 1));
  EXPECT_TRUE(plan_.take_fired().empty());
  EXPECT_FALSE(write(reserve(), 1)) << "it has to wait for the next one";
  calm();
}

TEST_F(StreamOrderedMemoryTest, AGraphComesAfterWhatItRecordedWhenItRuns) {
  ASSERT_TRUE(fill(reserve(), 1));  // loads the kernel
  ASSERT_TRUE(device_->synchronize(StreamIndex{1}, {}));
  const DeviceSpan before = reserve();
  ASSERT_TRUE(device_->begin_capture(StreamIndex{1}));
  ASSERT_TRUE(fill(before, 1));
  const DeviceSpan within = reserve();
  ASSERT_TRUE(device_->copy(StreamIndex{1}, within, before));
  auto graph = device_->end_capture(StreamIndex{1});
  ASSERT_TRUE(graph) << graph.error().name;
  ASSERT_TRUE(device_->replay(StreamIndex{2}, *graph));
  EXPECT_TRUE(holds_sevens(within, 2));
  EXPECT_TRUE(device_->drop(*graph));
}

TEST_F(StreamOrderedMemoryTest, TheHostWaitsWhereAnEventFails) {
  strike({Call::cuEventRecord});
  const DeviceSpan unmarked = reserve();
  EXPECT_TRUE(fill(unmarked, 1));
  EXPECT_EQ(plan_.take_fired().size(), 1U);
  calm();
  const DeviceSpan marked = reserve();
  strike({Call::cuStreamWaitEvent});
  EXPECT_TRUE(fill(marked, 2));
  EXPECT_EQ(plan_.take_fired().size(), 1U);
  EXPECT_TRUE(fill(marked, 2)) << "and no stream has to wait again";
  EXPECT_TRUE(plan_.take_fired().empty());
  calm();
}

TEST_F(StreamOrderedMemoryTest, AReservationThatNobodyCanBeOrderedAfterIsUndone) {
  strike({Call::cuEventRecord, Call::cuStreamSynchronize});
  EXPECT_FALSE(device_->reserve(64));
  calm();
  EXPECT_EQ(sim_.count_objects().allocations, 0U);
  const DeviceSpan memory = reserve();
  strike({Call::cuStreamWaitEvent, Call::cuStreamSynchronize});
  EXPECT_FALSE(fill(memory, 1)) << "nothing is submitted without its order";
  calm();
}

TEST_F(StreamOrderedMemoryTest, WhatWasGivenBackServesOnceItHasSettled) {
  const DeviceSpan whole = reserve(kAll);
  EXPECT_FALSE(device_->reserve(64));
  ASSERT_TRUE(device_->give_back(whole.address));
  const auto refused = device_->reserve(kAll / 2);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().name, row(FaultKind::out_of_memory).name);
  ASSERT_TRUE(device_->settle());
  const DeviceSpan half = reserve(kAll / 2);
  ASSERT_TRUE(fill({half.address, 64}, 1));
  EXPECT_TRUE(holds_sevens({half.address, 64}, 1));
  strike({Call::cuStreamSynchronize});
  EXPECT_TRUE(device_->settle()) << "nothing was given back, so nothing is waited for";
  calm();
}

TEST_F(StreamOrderedMemoryTest, ResetGivesBackWhatOutlivesTheContext) {
  const DeviceSpan memory = reserve();
  ASSERT_TRUE(device_->launch(StreamIndex{0}, {"device_assert", {}, {}, {}}));
  EXPECT_FALSE(device_->synchronize(StreamIndex{0}, {}));
  ASSERT_TRUE(device_->reset());
  EXPECT_EQ(sim_.count_objects().allocations, 0U);
  static_cast<void>(memory);
  const DeviceSpan next = reserve(kAll);
  EXPECT_TRUE(fill({next.address, 64}, 2));
  EXPECT_TRUE(holds_sevens({next.address, 64}, 2));
}

TEST_F(StreamOrderedMemoryTest, WhatAStreamMayStillUseIsNotFreed) {
  const DeviceSpan used = reserve();
  ASSERT_TRUE(fill(used, 0));
  strike({Call::cuStreamSynchronize, Call::cuCtxSynchronize});
  EXPECT_FALSE(device_->close().empty());
  calm();
  EXPECT_EQ(sim_.count_objects().allocations, 1U) << "lost to the process";
  EXPECT_EQ(findings(), "");
  // Given back here, so that the test leaves nothing.
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  const DriverApi& cu = sim_.driver();
  ASSERT_EQ(cu.cuCtxCreate(&context, 0, 0), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuStreamCreate(&stream, kStreamNonBlocking), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuMemFreeAsync(static_cast<CUdeviceptr>(used.address), stream), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuCtxDestroy(context), CUDA_SUCCESS);
}

}  // namespace
}  // namespace taintgraph::gpu
