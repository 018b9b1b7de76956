// What reaches the driver in a launch, and that a warm one allocates nothing.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "core/allocations_for_tests.hpp"
#include "gpu/bare_driver_for_tests.hpp"
#include "gpu/cuda_device.hpp"

namespace taintgraph::gpu {
namespace {

constexpr core::StreamIndex kStream{1};

core::DeviceSpan span(std::uint64_t address, std::uint64_t size) { return {core::DeviceAddress{address}, size}; }

class LauncherTest : public testing::Test {
 protected:
  void make(std::uint64_t staging_bytes = 4096) {
    CudaDeviceOptions options;
    options.staging_bytes = staging_bytes;
    options.observer = {this, [](void* self, CUstream, const DeclaredAccess* accesses, std::size_t count) {
                          auto& declared = static_cast<LauncherTest*>(self)->declared_;
                          declared.assign(accesses, accesses + count);
                        }};
    auto made = CudaDevice::create(bare_.driver, bare_.compiler, options);
    ASSERT_TRUE(made);
    device_ = std::move(*made);
  }

  // Lengths are 8, 9, 10, ... bytes, addresses 0x1000 apart.
  [[nodiscard]] static std::vector<core::DeviceSpan> spans(std::uint64_t first, std::size_t count) {
    std::vector<core::DeviceSpan> result;
    for (std::size_t i = 0; i < count; ++i) result.push_back(span(first + 0x1000 * i, 8 + i));
    return result;
  }

  BareDriver bare_;
  std::vector<DeclaredAccess> declared_;
  std::unique_ptr<CudaDevice> device_;
};

TEST_F(LauncherTest, FewOperandsTravelInTheParameters) {
  make();
  const std::vector<core::DeviceSpan> reads = {span(0x1000, 300)};
  const std::vector<core::DeviceSpan> writes = {span(0x2000, 300)};
  const std::uint64_t scalars[] = {7};
  ASSERT_TRUE(device_->launch(kStream, {"scale", reads, writes, scalars}));
  EXPECT_EQ(bare_.operands.reads, 1U);
  EXPECT_EQ(bare_.operands.writes, 1U);
  EXPECT_EQ(bare_.operands.table, 0U);
  EXPECT_EQ(bare_.operands.inlined[0].address, 0x1000U);
  EXPECT_EQ(bare_.operands.inlined[1].address, 0x2000U);
  EXPECT_EQ(bare_.operands.inlined[1].end, 300U);
  EXPECT_EQ(bare_.operands.inlined[2].address, 0U);
  EXPECT_EQ(bare_.scalar, 7U);
  EXPECT_EQ(bare_.blocks, 2U);
  EXPECT_EQ(bare_.threads, 256U);
}

TEST_F(LauncherTest, ManyOperandsTravelInATable) {
  make();
  const auto reads = spans(0x10000, 10);
  const auto writes = spans(0x50000, 7);
  ASSERT_TRUE(device_->launch(kStream, {"noop", reads, writes, {}}));
  EXPECT_NE(bare_.operands.table, 0U);
  EXPECT_EQ(bare_.operands.table, bare_.uploaded_to);
  EXPECT_EQ(bare_.operands.inlined[0].address, 0U);
  EXPECT_EQ(bare_.uploaded[9].address, 0x19000U);
  EXPECT_EQ(bare_.uploaded[9].end, 125U);
  EXPECT_EQ(bare_.uploaded[10].address, 0x50000U);
  EXPECT_EQ(bare_.uploaded[10].end, 8U);
  EXPECT_EQ(bare_.uploaded[16].address, 0x56000U);
  EXPECT_EQ(bare_.uploaded[16].end, 77U);
  ASSERT_EQ(declared_.size(), 18U);
  EXPECT_EQ(declared_[10].address, bare_.operands.table);
  EXPECT_EQ(declared_[10].size_bytes, 17 * sizeof(PackedOperand));
  EXPECT_FALSE(declared_[10].writes);
}

TEST_F(LauncherTest, SixteenOperandsAreStillFew) {
  make();
  ASSERT_TRUE(device_->launch(kStream, {"noop", spans(0x10000, 8), spans(0x50000, 8), {}}));
  EXPECT_EQ(bare_.operands.table, 0U);
  EXPECT_EQ(bare_.operands.inlined[15].address, 0x57000U);
}

TEST_F(LauncherTest, TheTableOfALaterLaunchMayBeLonger) {
  make();
  ASSERT_TRUE(device_->launch(kStream, {"noop", spans(0x10000, 17), {}, {}}));
  const CUdeviceptr first = bare_.operands.table;
  ASSERT_TRUE(device_->launch(kStream, {"noop", spans(0x10000, 20), {}, {}}));
  EXPECT_EQ(bare_.operands.table, first);  // 17 operands had been given room for 32
  ASSERT_TRUE(device_->launch(kStream, {"noop", spans(0x10000, 33), {}, {}}));
  EXPECT_NE(bare_.operands.table, first);
  EXPECT_EQ(bare_.uploaded[32].address, 0x30000U);
}

TEST_F(LauncherTest, DeclaresReadsThenWritesWithoutEmptyOnes) {
  make();
  const std::vector<core::DeviceSpan> reads = {span(0x1000, 4), span(0, 0), span(0x3000, 5)};
  const std::vector<core::DeviceSpan> writes = {span(0, 0), span(0x1000, 4)};
  ASSERT_TRUE(device_->launch(kStream, {"noop", reads, writes, {}}));
  ASSERT_EQ(declared_.size(), 3U);
  EXPECT_EQ(declared_[0].address, 0x1000U);
  EXPECT_FALSE(declared_[0].writes);
  EXPECT_EQ(declared_[1].address, 0x3000U);
  EXPECT_EQ(declared_[1].size_bytes, 5U);
  EXPECT_EQ(declared_[2].address, 0x1000U);
  EXPECT_TRUE(declared_[2].writes);
}

TEST_F(LauncherTest, WarmWorkAllocatesNothing) {
  make(256);
  const auto few = spans(0x10000, 3);
  const auto many = spans(0x20000, 40);
  const std::byte bytes[1000] = {};
  std::byte into[1000];
  const core::DeviceRead pieces[] = {{span(0x1000, 700), into}, {span(0x2000, 300), into + 700}};
  const auto work = [&] {
    bool good = true;
    good &= device_->launch(kStream, {"noop", few, few, {}}).has_value();
    good &= device_->launch(kStream, {"noop", many, few, {}}).has_value();
    good &= device_->copy(kStream, span(0x1000, 10), span(0x2000, 10)).has_value();
    good &= device_->write(kStream, core::DeviceAddress{0x1000}, bytes).has_value();
    good &= device_->read(kStream, pieces).has_value();
    good &= device_->order_after(kStream, core::StreamIndex{0}).has_value();
    const auto fence = device_->fence(kStream);
    good &= fence && device_->reached(*fence) && device_->drop(*fence);
    return good;
  };
  ASSERT_TRUE(work());
  const std::size_t before = allocations;
  const bool good = work();
  EXPECT_EQ(allocations, before);
  EXPECT_TRUE(good);
  EXPECT_EQ(bare_.launches, 4U);
}

}  // namespace
}  // namespace taintgraph::gpu
