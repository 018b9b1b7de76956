// Moving a buffer: its bytes and claims go along, nothing else changes (B4), and nothing at all if it fails.
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <stdexcept>
#include <vector>

#include "core/runtime.hpp"
#include "core/scripted_device_for_tests.hpp"

namespace taintgraph::core {
namespace {

class RelocationTest : public ::testing::TestWithParam<PoolKind> {
 protected:
  static RuntimeOptions options(bool distrust) {
    RuntimeOptions options;
    options.pool = {GetParam(), 32, 256};
    options.distrust_fresh_memory = distrust;
    return options;
  }
  void start(bool distrust = false) { runtime_.emplace(device_, options(distrust)); }
  Handle alloc(std::uint64_t size_bytes) {
    Allocation made = runtime_->alloc({.size_bytes = size_bytes});
    EXPECT_TRUE(made.status);
    return std::move(made.handle);
  }
  Status launch(std::vector<WeakBinding> reads, std::vector<WeakBinding> writes, std::uint32_t stream = 0) {
    return runtime_->launch(
        {.kernel = "kernel", .reads = reads, .writes = writes, .scalars = {}, .stream = StreamIndex{stream}});
  }
  void fail_launch(WeakBinding writes) {
    device_.fail("launch", error_named("launch_out_of_resources"));
    EXPECT_FALSE(launch({}, {writes}));
  }
  Status relocate(const Handle& handle, HostCode* host_code = nullptr) {
    Status status = runtime_->relocate({.buffer = handle.id(), .stream = StreamIndex{1}, .host_code = host_code});
    runtime_->validate();
    return status;
  }
  [[nodiscard]] SliceId slice_of(const Handle& handle) const { return runtime_->buffers().find(handle.id())->slice; }
  [[nodiscard]] DeviceAddress address_of(const Handle& handle) const {
    return runtime_->pool().address(slice_of(handle));
  }
  [[nodiscard]] std::size_t live_slices() const {
    std::size_t count = 0;
    runtime_->pool().for_each([&](SliceId, const Slice& slice) { count += slice.state == SliceState::live ? 1 : 0; });
    return count;
  }

  ScriptedDevice device_;
  std::optional<Runtime> runtime_;
};

TEST_P(RelocationTest, MovesTheClaimsAndNobodyElses) {  // B4
  start();
  const Handle moved = alloc(64);
  const Handle other = alloc(64);
  fail_launch(moved.weak({8, 16}));
  fail_launch(other.weak({0, 4}));
  const std::vector<Claim> before = runtime_->claims(moved.weak());
  const std::vector<Claim> before_of_other = runtime_->claims(other.weak());
  const DeviceAddress from = address_of(moved);
  const DeviceAddress from_of_other = address_of(other);

  ASSERT_TRUE(relocate(moved));
  EXPECT_NE(address_of(moved), from);
  EXPECT_EQ(runtime_->claims(moved.weak()), before);
  EXPECT_EQ(address_of(other), from_of_other);
  EXPECT_EQ(runtime_->claims(other.weak()), before_of_other);
  EXPECT_EQ(runtime_->graph().size(), 2u);
  EXPECT_EQ(runtime_->graph().tags(), 2u) << "a move carries nothing twice (C2)";
  EXPECT_EQ(device_.calls("copy"), 1);
}

TEST_P(RelocationTest, TheOldPlaceWaitsForItsStreams) {  // W6
  start();
  device_.finish_work(false);
  const Handle moved = alloc(256);
  ASSERT_TRUE(launch({}, {moved.weak()}, 2));
  const DeviceAddress old = address_of(moved);
  ASSERT_TRUE(relocate(moved));
  EXPECT_EQ(device_.orders(), (std::vector<std::string>{"1<-2"})) << "the copy comes after the last write";
  EXPECT_EQ(runtime_->pool().retired().size(), 1u);
  const Handle next = alloc(256);
  EXPECT_NE(address_of(next), old) << "the copy may still read it";
  device_.finish_work(true);
  const Handle last = alloc(256);
  EXPECT_EQ(address_of(last), old);
}

TEST_P(RelocationTest, BothPlacesWaitForTheCopy) {  // W6
  start();
  device_.finish_work(false);
  const Handle moved = alloc(256);
  const DeviceAddress old = address_of(moved);
  ASSERT_TRUE(relocate(moved));
  EXPECT_NE(address_of(alloc(256)), old) << "the copy may still read it";
  ASSERT_TRUE(launch({moved.weak()}, {}, 3));
  EXPECT_EQ(device_.orders(), (std::vector<std::string>{"3<-1"})) << "and may not have written the new one yet";
}

TEST_P(RelocationTest, ClaimsNothingAnewWhereFreshMemoryIsDistrusted) {  // B3
  start(true);
  const Handle moved = alloc(64);
  ASSERT_EQ(runtime_->claims(moved.weak()).size(), 1u);
  ASSERT_TRUE(launch({}, {moved.weak({0, 32})}));
  const std::vector<Claim> before = runtime_->claims(moved.weak());
  ASSERT_EQ(before.size(), 1u);
  ASSERT_TRUE(relocate(moved));
  EXPECT_EQ(runtime_->claims(moved.weak()), before);
  EXPECT_EQ(runtime_->graph().size(), 1u);
}

TEST_P(RelocationTest, AnEmptyBufferMovesWithoutTheDevice) {
  start();
  const Handle empty = alloc(0);
  ASSERT_TRUE(relocate(empty));
  EXPECT_EQ(device_.calls("reserve"), 0);
  EXPECT_EQ(device_.calls("copy"), 0);
  // One that the device was asked for has a piece of memory all the same, and no bytes in it.
  Allocation asked = runtime_->alloc({.size_bytes = 0, .from_new_page = true});
  ASSERT_TRUE(asked.status);
  ASSERT_TRUE(relocate(asked.handle));
  EXPECT_EQ(device_.calls("reserve"), 1);
  EXPECT_EQ(device_.calls("copy"), 0);
}

TEST_P(RelocationTest, AFailureHalfWayLeavesEverythingAsItWas) {
  start();
  const Handle moved = alloc(64);
  fail_launch(moved.weak({8, 16}));
  ASSERT_TRUE(launch({}, {moved.weak({0, 8})}, 2));
  const std::vector<Claim> claims = runtime_->claims(moved.weak());
  const DeviceAddress address = address_of(moved);
  const SliceId slice = slice_of(moved);

  struct Throws final : HostCode {
    void run() override { throw std::runtime_error("host code"); }
  } throws;
  const auto reserve_fails = [&] {
    device_.fail("reserve", out_of_memory(), 9);
    const Status status = runtime_->relocate({.buffer = moved.id(), .from_new_page = true, .stream = StreamIndex{1}});
    device_.fail("reserve", out_of_memory(), 0);
    EXPECT_FALSE(status);
  };
  const auto order_fails = [&] {
    device_.fail("order_after", error_named("invalid_value"));
    EXPECT_FALSE(relocate(moved));
  };
  const auto copy_fails = [&] {
    device_.fail("copy", error_named("invalid_value"));
    EXPECT_FALSE(relocate(moved));
  };
  const auto host_fails = [&] { EXPECT_THROW(static_cast<void>(relocate(moved, &throws)), std::runtime_error); };
  const std::vector<std::function<void()>> ways = {reserve_fails, order_fails, copy_fails, host_fails};
  for (std::size_t i = 0; i < ways.size(); ++i) {
    ways[i]();
    runtime_->validate();
    EXPECT_EQ(runtime_->claims(moved.weak()), claims) << i;
    EXPECT_EQ(address_of(moved), address) << i;
    EXPECT_EQ(slice_of(moved), slice) << i;
    EXPECT_EQ(live_slices(), 1u) << i;
    EXPECT_EQ(runtime_->graph().size(), 1u) << "the failed move is carried by nothing (C1)";
  }
  ASSERT_TRUE(runtime_->sync({}));
  ASSERT_TRUE(runtime_->cleanup(CleanupMode::immediate, Correlation::none));
  EXPECT_EQ(runtime_->pool().pages(), 1u) << "what was reserved for nothing is given back";
}

INSTANTIATE_TEST_SUITE_P(Pools, RelocationTest, ::testing::Values(PoolKind::sliced, PoolKind::exclusive),
                         [](const auto& kind) { return kind.param == PoolKind::sliced ? "Sliced" : "Exclusive"; });

}  // namespace
}  // namespace taintgraph::core
