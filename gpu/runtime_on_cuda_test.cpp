// What the backend's errors become in a runtime's hands: reports, refusals, teardown.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/runtime.hpp"
#include "gpu/cuda_device.hpp"
#include "sim/driver.hpp"

namespace taintgraph::gpu {
namespace {

class RuntimeOnCuda : public testing::Test {
 protected:
  void open(const CompilerApi& compiler, bool adopt_primary = false) {
    CudaDeviceOptions options;
    options.streams = 2;
    options.adopt_primary_context = adopt_primary;
    options.observer = driver_.observer();
    options.clock = driver_.clock();
    auto made = CudaDevice::create(driver_.driver(), compiler, options);
    ASSERT_TRUE(made);
    device_ = std::move(*made);
    runtime_ = std::make_unique<core::Runtime>(*device_, core::RuntimeOptions{});
    buffer_ = runtime_->alloc({.size_bytes = 64}).handle;
  }

  core::Status launch(std::string_view kernel) {
    const std::array writes = {buffer_.weak()};
    return runtime_->launch({.kernel = kernel, .reads = {}, .writes = writes, .scalars = {}});
  }
  core::Status read() {
    const std::array pieces = {core::ReadPiece{buffer_.weak(), bytes_.data()}};
    return runtime_->read({.pieces = pieces});
  }
  // Of the n-th error that a read names.
  static std::string report(const core::Status& status, std::size_t n = 0) {
    return status ? std::string() : to_string(status.error().several.reports.at(n));
  }

  sim::FaultPlan plan_;
  sim::Driver driver_{sim::DriverOptions{}, plan_};
  std::unique_ptr<CudaDevice> device_;
  std::unique_ptr<core::Runtime> runtime_;
  core::Handle buffer_;
  std::array<std::byte, 64> bytes_{};
};

TEST_F(RuntimeOnCuda, WhatTheCompilerSaysStandsInTheReport) {
  CompilerApi failing = driver_.compiler();
  static constexpr char kLog[] = "iota.cu(4): error: identifier \"u128\" is undefined\n";
  failing.nvrtcCompileProgram = [](nvrtcProgram, int, const char* const*) { return NVRTC_ERROR_COMPILATION; };
  failing.nvrtcGetProgramLogSize = [](nvrtcProgram, std::size_t* size_bytes) {
    *size_bytes = sizeof kLog;
    return NVRTC_SUCCESS;
  };
  failing.nvrtcGetProgramLog = [](nvrtcProgram, char* log) {
    std::memcpy(log, kLog, sizeof kLog);
    return NVRTC_SUCCESS;
  };
  open(failing);
  EXPECT_FALSE(launch("iota"));
  const std::string told = report(read());
  EXPECT_NE(told.find("compile_error from nvrtcCompileProgram (code 6)"), std::string::npos) << told;
  EXPECT_NE(told.find("iota.cu(4): error: identifier \"u128\" is undefined"), std::string::npos) << told;
}

TEST_F(RuntimeOnCuda, AnAdoptedContextIsNotReset) {
  open(driver_.compiler(), true);
  ASSERT_TRUE(launch("device_assert"));
  ASSERT_FALSE(runtime_->sync({}));
  ASSERT_TRUE(runtime_->poison());
  const core::Status reset = runtime_->reset();
  ASSERT_FALSE(reset);
  EXPECT_EQ(reset.error().outcome, core::Outcome::failed);
  EXPECT_EQ(reset.error().several.reports.at(0).failure, runtime_->poison());
  EXPECT_FALSE(launch("iota")) << "the device stays poisoned";
  EXPECT_EQ(report(read(), 0).find("assert from "), report(read(), 0).find("assert")) << report(read(), 0);
  buffer_.drop();
  (void)runtime_->close();
  (void)device_->close();
  EXPECT_EQ(driver_.live_objects(), std::vector<std::string>());
}

TEST_F(RuntimeOnCuda, TeardownAfterAFaultGoesThroughAndHidesNothing) {
  open(driver_.compiler());
  ASSERT_TRUE(launch("trap"));
  ASSERT_FALSE(runtime_->sync({}));
  const core::FailureReport poison = runtime_->graph().report(runtime_->poison());
  EXPECT_EQ(poison.root.name, "launch_failed");
  const core::Status unread = read();
  ASSERT_FALSE(unread);
  EXPECT_EQ(unread.error().several.reports.back().failure, poison.failure);
  const auto closed = runtime_->close();
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().name, "launch_failed") << "what it is told while tearing down is the same error";
  for (const core::Error& error : device_->close()) EXPECT_EQ(error.name, "launch_failed") << error.call;
  EXPECT_EQ(driver_.live_objects(), std::vector<std::string>());
}

}  // namespace
}  // namespace taintgraph::gpu
