// The backend at work on the simulated driver. What it does when calls fail is in cuda_device_fault_test.cpp.
#include "gpu/cuda_device.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/driver.hpp"

namespace taintgraph::gpu {
namespace {

using Bytes = std::vector<std::uint8_t>;
using core::DeviceSpan;
using core::StreamIndex;

constexpr StreamIndex kFirst{0};
constexpr StreamIndex kSecond{1};

class CudaDeviceTest : public testing::Test {
 protected:
  void SetUp() override { make({}); }

  void make(CudaDeviceOptions options) {
    device_.reset();
    if (options.staging_bytes > 4096) options.staging_bytes = 64;  // small, so that most transfers do not fit
    options.observer = sim_.observer();
    options.clock = sim_.clock();
    auto made = CudaDevice::create(sim_.driver(), sim_.compiler(), options);
    ASSERT_TRUE(made) << made.error().name << " " << made.error().call;
    device_ = std::move(*made);
  }

  void TearDown() override {
    device_.reset();
    EXPECT_EQ(findings(), "");
    EXPECT_EQ(sim_.live_objects(), std::vector<std::string>());
  }

  // Findings since the last call, one a line.
  [[nodiscard]] std::string findings() {
    std::string lines;
    for (const sim::Finding& finding : sim_.take_findings()) lines += finding.what + "\n";
    return lines;
  }

  [[nodiscard]] DeviceSpan reserve(std::uint64_t size) {
    const auto address = device_->reserve(size);
    EXPECT_TRUE(address);
    return {address.value_or(core::DeviceAddress::null), size};
  }
  [[nodiscard]] DeviceSpan holding(const Bytes& bytes, StreamIndex stream = kFirst) {
    const DeviceSpan span = reserve(bytes.size());
    EXPECT_TRUE(device_->write(stream, span.address, std::as_bytes(std::span(bytes))));
    return span;
  }
  [[nodiscard]] Bytes read(DeviceSpan from, StreamIndex stream = kFirst) {
    Bytes bytes(from.size_bytes);
    const core::DeviceRead pieces[] = {{from, reinterpret_cast<std::byte*>(bytes.data())}};
    EXPECT_TRUE(device_->read(stream, pieces));
    return bytes;
  }
  void launch(std::string_view kernel, std::vector<DeviceSpan> reads, std::vector<DeviceSpan> writes,
              std::vector<std::uint64_t> scalars = {}, StreamIndex stream = kFirst) {
    const auto launched = device_->launch(stream, {kernel, reads, writes, scalars});
    EXPECT_TRUE(launched) << kernel << ": " << launched.error().name << " " << launched.error().call;
  }
  [[nodiscard]] static DeviceSpan part(DeviceSpan of, std::uint64_t begin, std::uint64_t end) {
    return {of.address + begin, end - begin};
  }
  [[nodiscard]] static Bytes pattern(std::size_t size) {
    Bytes bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
    return bytes;
  }

  sim::FaultPlan plan_;
  sim::Driver sim_{{}, plan_};
  std::unique_ptr<CudaDevice> device_;
};

TEST_F(CudaDeviceTest, SaysHowMuchMemoryThereIs) {
  EXPECT_EQ(device_->capacity_bytes(), sim::DriverOptions{}.memory_bytes);
  EXPECT_TRUE(device_->reserve(device_->capacity_bytes()));
}

TEST_F(CudaDeviceTest, WritesAndReadsInPiecesOfTheStagingMemory) {
  for (const std::size_t size : {1U, 63U, 64U, 65U, 128U, 1000U}) {
    const Bytes bytes = pattern(size);
    EXPECT_EQ(read(holding(bytes)), bytes) << size;
  }
}

TEST_F(CudaDeviceTest, HostBytesMayBeReusedAtOnce) {
  const Bytes bytes = pattern(40);
  const DeviceSpan to = reserve(80);
  Bytes volatile_bytes = bytes;
  for (const std::uint64_t offset : {0U, 40U}) {
    volatile_bytes = bytes;
    ASSERT_TRUE(device_->write(kFirst, to.address + offset, std::as_bytes(std::span(volatile_bytes))));
    volatile_bytes.assign(volatile_bytes.size(), 0xEE);
  }
  EXPECT_EQ(read(part(to, 0, 40)), bytes);
  EXPECT_EQ(read(part(to, 40, 80)), bytes);
}

TEST_F(CudaDeviceTest, ReadsManyPiecesEmptyOnesToo) {
  const Bytes bytes = pattern(300);
  const DeviceSpan from = holding(bytes);
  const std::uint64_t cuts[] = {0, 0, 1, 60, 60, 130, 131, 300, 300};
  Bytes into(300);
  std::vector<core::DeviceRead> pieces;
  for (std::size_t i = 0; i + 1 < std::size(cuts); ++i) {
    pieces.push_back({part(from, cuts[i], cuts[i + 1]), reinterpret_cast<std::byte*>(into.data()) + cuts[i]});
  }
  ASSERT_TRUE(device_->read(kFirst, pieces));
  EXPECT_EQ(into, bytes);
  EXPECT_TRUE(device_->read(kFirst, {}));
}

TEST_F(CudaDeviceTest, KernelsCompute) {
  const DeviceSpan out = reserve(600);
  launch("fill", {}, {part(out, 0, 300), part(out, 400, 401)}, {9});
  EXPECT_EQ(read(part(out, 0, 300)), Bytes(300, 9));
  EXPECT_EQ(read(part(out, 400, 401)), Bytes(1, 9));

  launch("iota", {}, {part(out, 10, 14), part(out, 20, 280)});
  EXPECT_EQ(read(part(out, 10, 14)), (Bytes{0, 1, 2, 3}));
  EXPECT_EQ(read(part(out, 274, 280)), (Bytes{254, 255, 0, 1, 2, 3}));
  EXPECT_EQ(read(part(out, 14, 20)), Bytes(6, 9));

  const DeviceSpan a = holding({1, 2, 3, 4});
  const DeviceSpan b = holding({100, 200, 50, 255});
  launch("add", {a, b, a}, {part(out, 0, 4)});
  EXPECT_EQ(read(part(out, 0, 4)), (Bytes{102, 204, 56, 7}));
  launch("scale", {b}, {b}, {3});
  EXPECT_EQ(read(b), (Bytes{44, 88, 150, 253}));
  launch("copy", {a}, {part(out, 5, 9)});
  EXPECT_EQ(read(part(out, 5, 9)), (Bytes{1, 2, 3, 4}));
  launch("gather", {part(a, 0, 3), b}, {b});  // 44, 88, 150, 253 mod 3 are 2, 1, 0, 1
  EXPECT_EQ(read(b), (Bytes{3, 2, 1, 2}));
  launch("reduce", {a, b}, {part(out, 0, 3)});
  EXPECT_EQ(read(part(out, 0, 3)), (Bytes{18, 0, 0}));
  launch("matmul", {a, b}, {part(out, 0, 4)}, {2});  // [1 2; 3 4] [3 2; 1 2]
  EXPECT_EQ(read(part(out, 0, 4)), (Bytes{5, 6, 13, 14}));
  launch("noop", {a}, {b});
  EXPECT_EQ(read(b), (Bytes{3, 2, 1, 2}));
}

TEST_F(CudaDeviceTest, ManyOperandsOnOneStreamOneAfterTheOther) {
  const DeviceSpan in = holding(pattern(64));
  const DeviceSpan out = reserve(64);
  std::size_t objects = 0;
  for (const std::size_t count : {20U, 17U, 40U, 64U}) {
    std::vector<DeviceSpan> reads;
    std::uint8_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      reads.push_back(part(in, i, i + 1));
      sum = static_cast<std::uint8_t>(sum + pattern(64)[i]);
    }
    launch("add", reads, {part(out, count - 1, count)});
    EXPECT_EQ(read(part(out, count - 1, count)), Bytes{sum}) << count;
    if (count == 20) objects = sim_.live_objects().size();
  }
  EXPECT_EQ(sim_.live_objects().size(), objects);  // the table grew, and the old one is gone
}

TEST_F(CudaDeviceTest, ATableGrowsWhileItsKernelIsStillToRun) {
  const DeviceSpan in = holding(Bytes(64, 1));
  const DeviceSpan out = reserve(2);
  launch("add", std::vector<DeviceSpan>(20, part(in, 0, 1)), {part(out, 0, 1)});
  launch("add", std::vector<DeviceSpan>(50, part(in, 0, 1)), {part(out, 1, 2)});
  EXPECT_EQ(read(out), (Bytes{20, 50}));
}

TEST_F(CudaDeviceTest, CopiesOnTheDevice) {
  const Bytes bytes = pattern(200);
  const DeviceSpan from = holding(bytes);
  const DeviceSpan to = reserve(200);
  ASSERT_TRUE(device_->copy(kFirst, to, from));
  EXPECT_EQ(read(to), bytes);
  const std::uint64_t calls = plan_.calls();
  EXPECT_TRUE(device_->copy(kFirst, part(to, 3, 3), part(from, 3, 3)));
  EXPECT_TRUE(device_->write(kFirst, to.address, {}));
  EXPECT_EQ(plan_.calls(), calls + 2);  // each asks whether the context is current, and nothing more
}

TEST_F(CudaDeviceTest, OrdersStreamsOnlyWhenTold) {
  const DeviceSpan bytes = holding(pattern(64), kFirst);
  launch("fill", {}, {bytes}, {5}, kFirst);
  ASSERT_TRUE(device_->order_after(kSecond, kFirst));
  EXPECT_EQ(read(bytes, kSecond), Bytes(64, 5));
  EXPECT_EQ(findings(), "");
  // Nobody ordered these two, and the simulator knows.
  launch("fill", {}, {bytes}, {6}, kFirst);
  launch("fill", {}, {bytes}, {7}, kSecond);
  EXPECT_TRUE(device_->synchronize(kFirst, {}));
  EXPECT_TRUE(device_->synchronize(kSecond, {}));
  EXPECT_NE(findings(), "");
}

TEST_F(CudaDeviceTest, AStreamAfterItselfIsNoWork) {
  const std::uint64_t calls = plan_.calls();
  EXPECT_TRUE(device_->order_after(kFirst, kFirst));
  EXPECT_EQ(plan_.calls(), calls + 1);  // whether the context is current
}

TEST_F(CudaDeviceTest, FencesTellHowFarAStreamIs) {
  const DeviceSpan bytes = reserve(64);
  launch("fill", {}, {bytes}, {5});
  const auto fence = device_->fence(kFirst);
  ASSERT_TRUE(fence);
  EXPECT_FALSE(device_->reached(*fence).value_or(true));
  ASSERT_TRUE(device_->synchronize(kFirst, {}));
  EXPECT_TRUE(device_->reached(*fence).value_or(false));
  EXPECT_TRUE(device_->drop(*fence));

  launch("fill", {}, {bytes}, {6});
  const auto early = device_->fence(kFirst);
  ASSERT_TRUE(device_->synchronize(kFirst, {}));
  for (int i = 0; i < 100; ++i) launch("fill", {}, {bytes}, {7});  // more than is done by the time of asking
  const auto late = device_->fence(kFirst);
  ASSERT_TRUE(early && late);
  EXPECT_TRUE(device_->reached(*early).value_or(false));
  EXPECT_FALSE(device_->reached(*late).value_or(true));
}

TEST_F(CudaDeviceTest, ChecksWhatALaunchLooksLike) {
  const core::WeakBinding bytes[] = {{core::BufferId(1, 1), {0, 8}}};
  EXPECT_TRUE(device_->check({"iota", {}, bytes, {}}));
  EXPECT_EQ(device_->check({"sort", {}, bytes, {}}).error().name, "unknown_kernel");
}

TEST_F(CudaDeviceTest, GivesMemoryBack) {
  const DeviceSpan bytes = reserve(1000);
  EXPECT_EQ(static_cast<std::uint64_t>(bytes.address) % 256, 0U);
  EXPECT_TRUE(device_->give_back(bytes.address));
  const auto too_much = device_->reserve(std::uint64_t{1} << 40);
  ASSERT_FALSE(too_much);
  EXPECT_EQ(too_much.error().name, "out_of_memory");
  EXPECT_EQ(too_much.error().call, "cuMemAlloc");
  EXPECT_EQ(too_much.error().recovery, core::Recovery::retry);
}

TEST_F(CudaDeviceTest, SharesThePrimaryContext) {
  CudaDeviceOptions options;
  options.adopt_primary_context = true;
  make(options);
  const DeviceSpan bytes = holding(pattern(100));
  EXPECT_EQ(read(bytes), pattern(100));
  const auto reset = device_->reset();
  ASSERT_FALSE(reset);
  EXPECT_EQ(reset.error().name, "not_permitted");
  EXPECT_EQ(read(bytes), pattern(100));
  EXPECT_TRUE(device_->give_back(bytes.address));
}

TEST_F(CudaDeviceTest, WorksAmongOtherContexts) {
  std::unique_ptr<CudaDevice> first = std::move(device_);
  make({});
  auto address = first->reserve(8);
  ASSERT_TRUE(address);
  EXPECT_EQ(read(holding(pattern(100))), pattern(100));
  EXPECT_TRUE(first->give_back(*address));
  EXPECT_TRUE(first->close().empty());
}

TEST_F(CudaDeviceTest, ClosedIsClosed) {
  EXPECT_TRUE(device_->close().empty());
  EXPECT_EQ(sim_.live_objects(), std::vector<std::string>());
  EXPECT_TRUE(device_->close().empty());
  EXPECT_EQ(device_->reserve(8).error().name, "invalid_context");
  EXPECT_EQ(device_->synchronize(kFirst, {}).error().name, "invalid_context");
  EXPECT_EQ(device_->fence(kFirst).error().name, "invalid_context");
  EXPECT_EQ(device_->forget_kernel("fill").error().name, "invalid_context");
}

}  // namespace
}  // namespace taintgraph::gpu
