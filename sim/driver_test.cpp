#include "sim/driver.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include "sim/machine_fixture.hpp"

namespace taintgraph::sim {
namespace {

using Bytes = std::vector<unsigned char>;

class DriverTest : public MachineFixture {};

TEST_F(DriverTest, KernelWritesWhatItsGridCovers) {
  const CUdeviceptr memory = allocate(64);
  std::memset(host, 9, 64);
  ASSERT_EQ(cu.cuMemcpyHtoDAsync(memory, host, 64, streams[0]), CUDA_SUCCESS);
  ASSERT_EQ(launch(function("fill"), 0, 62, {{memory, 63, true}}, 5), CUDA_SUCCESS);
  Bytes expected(64, 5);
  expected[62] = 9;  // no thread for it
  expected[63] = 9;  // beyond the range
  EXPECT_EQ(read(0, memory, 64), expected);
  EXPECT_EQ(findings(), "");
}

TEST_F(DriverTest, NothingRunsBeforeItsTime) {
  const CUdeviceptr memory = allocate(16);
  std::memset(host, 1, 16);
  ASSERT_EQ(cu.cuMemcpyHtoDAsync(memory, host, 16, streams[0]), CUDA_SUCCESS);
  std::memset(host, 2, 16);  // the copy has not read it yet
  EXPECT_EQ(read(0, memory, 16), Bytes(16, 2));
}

TEST_F(DriverTest, SeveralDriversDoNotMeet) {
  FaultPlan other_plan;
  std::vector<std::unique_ptr<Driver>> others;
  for (int i = 0; i < 15; ++i) others.push_back(std::make_unique<Driver>(DriverOptions{}, other_plan));
  EXPECT_THROW(Driver(DriverOptions{}, other_plan), std::runtime_error);
  const gpu::DriverApi& other = others[3]->driver();
  ASSERT_EQ(other.cuInit(0), CUDA_SUCCESS);
  CUcontext other_context = nullptr;
  ASSERT_EQ(other.cuCtxCreate(&other_context, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(other.cuStreamSynchronize(streams[0]), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(others[3]->take_findings().size(), 1U);
  EXPECT_EQ(findings(), "");
  others.pop_back();
  EXPECT_NO_THROW(Driver(DriverOptions{}, other_plan));
}

}  // namespace
}  // namespace taintgraph::sim
