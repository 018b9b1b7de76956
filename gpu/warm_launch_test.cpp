// W2: the success path of a launch allocates nothing on the heap, from the runtime down to the driver's table.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <new>
#include <vector>

#include "core/allocations_for_tests.hpp"
#include "core/runtime.hpp"
#include "gpu/bare_driver_for_tests.hpp"
#include "gpu/cuda_device.hpp"
#include "gpu/fence_pool.hpp"

namespace taintgraph::gpu {
namespace {

constexpr std::uint32_t kStreams = 4;

class WarmLaunch : public testing::Test {
 protected:
  WarmLaunch() {
    CudaDeviceOptions options;
    options.streams = kStreams;
    device_ = std::move(*CudaDevice::create(bare_.driver, bare_.compiler, options));
    runtime_ = std::make_unique<core::Runtime>(*device_, core::RuntimeOptions{});
    for (core::Handle& each : buffers_) each = runtime_->alloc({.size_bytes = 64}).handle;
  }

  // One launch a stream, each reading what the stream before it has just written.
  void round() {
    for (std::uint32_t stream = 0; stream < kStreams; ++stream) {
      const std::array reads = {buffers_[stream].weak()};
      const std::array writes = {buffers_[(stream + 1) % kStreams].weak()};
      const core::Status launched = runtime_->launch({.kernel = "copy",
                                                      .reads = reads,
                                                      .writes = writes,
                                                      .scalars = {},
                                                      .stream = core::StreamIndex{stream},
                                                      .correlation = core::Correlation{1}});
      ASSERT_TRUE(launched);
    }
  }
  std::size_t allocations_of(int rounds) {
    const std::size_t before = allocations;
    for (int i = 0; i < rounds; ++i) round();
    return allocations - before;
  }

  BareDriver bare_;
  std::unique_ptr<CudaDevice> device_;
  std::unique_ptr<core::Runtime> runtime_;
  std::array<core::Handle, kStreams> buffers_;
};

TEST_F(WarmLaunch, AllocatesNothingOverFourStreams) {
  EXPECT_GT(allocations_of(2), 0U) << "cold ones load the kernel; the count counts";
  const std::uint64_t launches = bare_.launches;
  EXPECT_EQ(allocations_of(1000), 0U);
  EXPECT_EQ(bare_.launches - launches, 4000U);
}

TEST_F(WarmLaunch, AllocatesNothingWhereOtherClaimsStandBesideTheWrite) {
  const core::Handle claimed = runtime_->alloc({.size_bytes = 64}).handle;
  const std::array whole = {claimed.weak()};
  const std::array part = {claimed.weak({16, 32})};
  const auto fill = [&](std::span<const core::WeakBinding> writes) {
    const std::uint64_t value = 1;
    return static_cast<bool>(runtime_->launch(
        {.kernel = "fill", .reads = {}, .writes = writes, .scalars = {&value, 1}, .stream = core::StreamIndex{0}}));
  };
  ASSERT_TRUE(fill(whole));
  const auto claim = [&] {  // what a failed launch leaves
    class Throwing final : public core::HostCode {
     public:
      void run() override { throw 1; }
    } throwing;
    const std::uint64_t value = 1;
    EXPECT_THROW(static_cast<void>(runtime_->launch({.kernel = "fill",
                                                     .reads = {},
                                                     .writes = whole,
                                                     .scalars = {&value, 1},
                                                     .stream = core::StreamIndex{0},
                                                     .host_code = &throwing})),
                 int);
  };
  claim();
  ASSERT_TRUE(fill(part));  // cuts the claim in two: the first such cut makes the map
  for (int i = 0; i < 100; ++i) {
    claim();
    const std::size_t before = allocations;
    ASSERT_TRUE(fill(part));
    ASSERT_TRUE(fill(part));
    ASSERT_EQ(allocations, before);
  }
  EXPECT_EQ(runtime_->claims(claimed.weak()).size(), 2U);
}

std::uintptr_t recorded_last = 0;

// The host's memory runs out each time that an event is made; the pool is whole all the same.
TEST(FencePoolTest, KeepsEveryEventOrNone) {
  BareDriver bare;
  bare.driver.cuEventRecord = [](CUevent event, CUstream) {
    recorded_last = reinterpret_cast<std::uintptr_t>(event);
    return CUDA_SUCCESS;
  };
  FencePool fences(bare.driver);
  std::vector<core::FenceId> held(100);
  for (core::FenceId& each : held) {
    allocations_left = 0;
    try {
      each = fences.record(nullptr).value();
    } catch (const std::bad_alloc&) {
      allocations_left = -1;
      recorded_last = 0;
      each = fences.record(nullptr).value();
    }
    allocations_left = -1;
    EXPECT_TRUE(recorded_last != 0 && recorded_last <= bare.next_handle) << "an event that was never made";
  }
  allocations_left = 0;
  EXPECT_NO_THROW(for (const core::FenceId each : held) fences.drop(each));
  allocations_left = -1;
}

}  // namespace
}  // namespace taintgraph::gpu
