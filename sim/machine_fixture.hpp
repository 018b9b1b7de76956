// For tests of the driver through its tables: a driver with a context, two streams and page-locked memory, ready to
// work.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "sim/compiled_kernel.hpp"
#include "sim/driver.hpp"
#include "sim/driver_types.hpp"
#include "sim/kernel_image.hpp"

namespace taintgraph::sim {

// As the kernels take them.
struct TestOperands {
  std::uint32_t reads = 0;
  std::uint32_t writes = 0;
  std::uint64_t table = 0;
  struct {
    std::uint64_t address = 0;
    std::uint64_t end = 0;
  } inlined[16];
};

class MachineFixture : public testing::Test {
 protected:
  explicit MachineFixture(std::uint64_t seed = 7) : driver({.seed = seed, .memory_bytes = 1U << 20}, plan) {
    EXPECT_EQ(cu.cuInit(0), CUDA_SUCCESS);
    EXPECT_EQ(cu.cuCtxCreate(&context, 0, 0), CUDA_SUCCESS);
    open();
  }

  // Streams and host memory in the current context.
  void open() {
    for (CUstream& stream : streams) {
      ASSERT_EQ(cu.cuStreamCreate(&stream, gpu::kStreamNonBlocking), CUDA_SUCCESS);
    }
    void* memory = nullptr;
    ASSERT_EQ(cu.cuMemAllocHost(&memory, kHostBytes), CUDA_SUCCESS);
    host = static_cast<unsigned char*>(memory);
  }

  CUdeviceptr allocate(std::size_t size_bytes) {
    CUdeviceptr address = 0;
    EXPECT_EQ(cu.cuMemAlloc(&address, size_bytes), CUDA_SUCCESS);
    return address;
  }

  CUevent event() {
    CUevent made = nullptr;
    EXPECT_EQ(cu.cuEventCreate(&made, gpu::kEventDisableTiming), CUDA_SUCCESS);
    return made;
  }

  CUfunction function(const char* kernel) {
    CUmodule module = nullptr;
    CUfunction found = nullptr;
    const KernelIndex index = find_kernel_by_name(kernel);
    EXPECT_TRUE(index);
    EXPECT_EQ(cu.cuModuleLoadData(&module, make_image(*index).c_str()), CUDA_SUCCESS);
    EXPECT_EQ(cu.cuModuleGetFunction(&found, module, kernel), CUDA_SUCCESS);
    return found;
  }

  static TestOperands operands(std::initializer_list<gpu::DeclaredAccess> accesses) {
    TestOperands result;
    std::size_t i = 0;
    std::uint64_t ends[2] = {};
    for (const gpu::DeclaredAccess& access : accesses) {
      (access.writes ? result.writes : result.reads) += 1;
      result.inlined[i++] = {access.address, ends[access.writes ? 1 : 0] += access.size_bytes};
    }
    return result;
  }

  // Launches `kernel` on one row of `threads` threads, reads before writes, with a scalar that it may ignore.
  CUresult launch(CUfunction kernel, unsigned stream, unsigned threads,
                  std::initializer_list<gpu::DeclaredAccess> accesses, unsigned long long scalar = 0) {
    const gpu::LaunchObserver observer = driver.observer();
    observer.declare(observer.self, streams[stream], accesses.begin(), accesses.size());
    TestOperands packed = operands(accesses);
    void* parameters[] = {&packed, &scalar};
    return cu.cuLaunchKernel(kernel, threads, 1, 1, 1, 1, 1, 0, streams[stream], parameters, nullptr);
  }

  CUresult fill(unsigned stream, CUdeviceptr to, std::size_t size_bytes, unsigned char value) {
    return launch(function("fill"), stream, static_cast<unsigned>(size_bytes), {{to, size_bytes, true}}, value);
  }

  // Copies to page-locked memory and waits.
  std::vector<unsigned char> read(unsigned stream, CUdeviceptr from, std::size_t size_bytes) {
    EXPECT_EQ(cu.cuMemcpyDtoHAsync(host, from, size_bytes, streams[stream]), CUDA_SUCCESS);
    EXPECT_EQ(cu.cuStreamSynchronize(streams[stream]), CUDA_SUCCESS);
    return {host, host + size_bytes};
  }

  // The findings so far, one a line.
  std::string findings() {
    std::string lines;
    for (const Finding& finding : driver.take_findings()) lines += finding.what + "\n";
    return lines;
  }

  static constexpr std::size_t kHostBytes = 4096;

  FaultPlan plan;
  Driver driver;
  const gpu::DriverApi& cu = driver.driver();
  CUcontext context = nullptr;
  CUstream streams[2] = {};
  unsigned char* host = nullptr;
};

}  // namespace taintgraph::sim
