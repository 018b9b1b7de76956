// What the driver says about a backend that uses it wrongly: a finding, and the code that CUDA would return.
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "sim/machine_fixture.hpp"

namespace taintgraph::sim {
namespace {

class MisuseTest : public MachineFixture {
 protected:
  // One finding, which says `what`.
  void expect_finding(const std::string& what) {
    const std::vector<Finding> found = driver.take_findings();
    ASSERT_EQ(found.size(), 1U) << what;
    EXPECT_NE(found[0].what.find(what), std::string::npos) << found[0].what;
  }
};

TEST_F(MisuseTest, NoCurrentContext) {
  ASSERT_EQ(cu.cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_ERROR_INVALID_CONTEXT);
  expect_finding("without a current context");
}

TEST_F(MisuseTest, TheCurrentContextIsOfTheThread) {
  CUresult result = CUDA_SUCCESS;
  std::thread([&] { result = cu.cuStreamSynchronize(streams[0]); }).join();
  EXPECT_EQ(result, CUDA_ERROR_INVALID_CONTEXT);
  expect_finding("without a current context");
}

TEST_F(MisuseTest, NothingWorksBeforeInitialisation) {
  FaultPlan other_plan;
  Driver other({}, other_plan);
  int count = 0;
  EXPECT_EQ(other.driver().cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(other.take_findings().size(), 1U);
}

TEST_F(MisuseTest, TheNullStream) {
  EXPECT_EQ(cu.cuStreamSynchronize(nullptr), CUDA_ERROR_INVALID_HANDLE);
  expect_finding("the NULL stream");
}

TEST_F(MisuseTest, ABlockingStream) {
  CUstream stream = nullptr;
  EXPECT_EQ(cu.cuStreamCreate(&stream, 0), CUDA_SUCCESS);
  expect_finding("blocking stream");
}

TEST_F(MisuseTest, DeadHandles) {
  const CUevent dead = event();
  ASSERT_EQ(cu.cuEventDestroy(dead), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuEventDestroy(dead), CUDA_ERROR_INVALID_HANDLE);
  expect_finding("cuEventDestroy is given an event that does not exist");
  const CUevent reborn = event();  // in the same place
  EXPECT_NE(reborn, dead);
  EXPECT_EQ(cu.cuEventRecord(dead, streams[0]), CUDA_ERROR_INVALID_HANDLE);
  expect_finding("does not exist");
  ASSERT_EQ(cu.cuStreamDestroy(streams[1]), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamQuery(streams[1]), CUDA_ERROR_INVALID_HANDLE);
  expect_finding("a stream that does not exist");
}

TEST_F(MisuseTest, HandlesOfAnotherKindAreNotFollowed) {
  const auto disguised = reinterpret_cast<CUstream>(event());
  EXPECT_EQ(cu.cuStreamSynchronize(disguised), CUDA_ERROR_INVALID_HANDLE);
  expect_finding("a stream that does not exist");
}

TEST_F(MisuseTest, FreeingWhatIsNoAllocation) {
  const CUdeviceptr memory = allocate(64);
  EXPECT_EQ(cu.cuMemFree(memory + 16), CUDA_ERROR_INVALID_VALUE);
  expect_finding("inside an allocation");
  EXPECT_EQ(cu.cuMemFree(memory), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuMemFree(memory), CUDA_ERROR_INVALID_VALUE);
  expect_finding("not allocated");
  EXPECT_EQ(cu.cuMemFreeHost(host + 1), CUDA_ERROR_INVALID_VALUE);
  expect_finding("cuMemAllocHost did not give");
}

TEST_F(MisuseTest, CopiesStayInsideAllocations) {
  const CUdeviceptr memory = allocate(64);
  EXPECT_EQ(cu.cuMemcpyHtoDAsync(memory, host, 65, streams[0]), CUDA_ERROR_INVALID_VALUE);
  expect_finding("memory that is not allocated");
  EXPECT_EQ(cu.cuMemcpyDtoDAsync(memory, memory + 60, 8, streams[0]), CUDA_ERROR_INVALID_VALUE);
  expect_finding("memory that is not allocated");
}

TEST_F(MisuseTest, PageableHostMemory) {
  const CUdeviceptr memory = allocate(64);
  std::vector<unsigned char> pageable(64, 3);
  EXPECT_EQ(cu.cuMemcpyHtoDAsync(memory, pageable.data(), 64, streams[0]), CUDA_SUCCESS);
  expect_finding("pageable");
  EXPECT_EQ(cu.cuMemcpyDtoHAsync(pageable.data(), memory, 64, streams[0]), CUDA_ERROR_INVALID_VALUE);
  expect_finding("pageable");
}

TEST_F(MisuseTest, HostMemoryFreedUnderACopy) {
  ASSERT_EQ(cu.cuMemcpyHtoDAsync(allocate(64), host, 64, streams[0]), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuMemFreeHost(host), CUDA_SUCCESS);
  expect_finding("freed while in use: cuMemFreeHost");
  EXPECT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_SUCCESS);
}

TEST_F(MisuseTest, LaunchesAreDeclared) {
  const CUdeviceptr memory = allocate(64);
  const CUfunction kernel = function("fill");
  (void)driver.observer();
  TestOperands packed = operands({{memory, 64, true}});
  unsigned long long value = 1;
  void* parameters[] = {&packed, &value};
  EXPECT_EQ(cu.cuLaunchKernel(kernel, 64, 1, 1, 1, 1, 1, 0, streams[0], parameters, nullptr), CUDA_SUCCESS);
  expect_finding("is not declared");
  EXPECT_EQ(read(0, memory, 64), std::vector<unsigned char>(64, 1));
}

TEST_F(MisuseTest, UndeclaredAccessesAreFoundAndNotMade) {
  const CUdeviceptr memory = allocate(64);
  ASSERT_EQ(fill(0, memory, 64, 1), CUDA_SUCCESS);
  const CUfunction kernel = function("fill");
  const gpu::LaunchObserver observer = driver.observer();
  const gpu::DeclaredAccess declared{memory, 60, true};
  observer.declare(observer.self, streams[0], &declared, 1);
  TestOperands packed = operands({{memory, 64, true}});
  unsigned long long value = 2;
  void* parameters[] = {&packed, &value};
  ASSERT_EQ(cu.cuLaunchKernel(kernel, 64, 1, 1, 1, 1, 1, 0, streams[0], parameters, nullptr), CUDA_SUCCESS);
  std::vector<unsigned char> expected(64, 2);
  std::fill(expected.begin() + 60, expected.end(), 1);
  EXPECT_EQ(read(0, memory, 64), expected);
  expect_finding("kernel fill on stream 0 stores 4 times where its launch declared nothing, first at byte 60");
}

TEST_F(MisuseTest, UndeclaredReadsAreFound) {
  const CUdeviceptr from = allocate(16);
  const CUdeviceptr to = allocate(16);
  const gpu::LaunchObserver observer = driver.observer();
  const gpu::DeclaredAccess declared{to, 16, true};
  observer.declare(observer.self, streams[0], &declared, 1);
  TestOperands packed = operands({{from, 16, false}, {to, 16, true}});
  void* parameters[] = {&packed};
  ASSERT_EQ(cu.cuLaunchKernel(function("copy"), 16, 1, 1, 1, 1, 1, 0, streams[0], parameters, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_SUCCESS);
  expect_finding("kernel copy on stream 0 loads 16 times");
}

TEST_F(MisuseTest, DeclaredMemoryExists) {
  const CUdeviceptr memory = allocate(16);
  ASSERT_EQ(launch(function("noop"), 0, 1, {{memory, 17, false}}), CUDA_SUCCESS);
  expect_finding("unallocated memory");
}

TEST_F(MisuseTest, LaunchesThatNoGpuHasRoomFor) {
  const CUfunction noop = function("noop");
  TestOperands packed;
  void* parameters[] = {&packed};
  const auto launch = [&](unsigned blocks, unsigned threads, unsigned shared_bytes) {
    return cu.cuLaunchKernel(noop, blocks, 1, 1, threads, 1, 1, shared_bytes, streams[0], parameters, nullptr);
  };
  EXPECT_EQ(launch(1, 1024, 48U << 10), CUDA_SUCCESS);
  EXPECT_EQ(findings(), "");
  for (const auto& [blocks, threads, shared_bytes] : {std::array{0U, 1U, 0U}, {1U, 1025U, 0U}, {1U, 0U, 0U}}) {
    EXPECT_EQ(launch(blocks, threads, shared_bytes), CUDA_ERROR_INVALID_VALUE);
    expect_finding("impossible grid");
  }
  EXPECT_EQ(launch(1, 1, (48U << 10) + 1), CUDA_ERROR_INVALID_VALUE);
  expect_finding("too much shared memory");
}

TEST_F(MisuseTest, ADestroyedContext) {
  const CUdeviceptr memory = allocate(64);
  ASSERT_EQ(cu.cuCtxDestroy(context), CUDA_SUCCESS);
  EXPECT_TRUE(driver.live_objects().empty());
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(cu.cuCtxDestroy(context), CUDA_ERROR_INVALID_CONTEXT);
  expect_finding("does not exist");
  CUcontext next = nullptr;
  ASSERT_EQ(cu.cuCtxCreate(&next, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamSynchronize(streams[0]), CUDA_ERROR_INVALID_HANDLE);
  expect_finding("a stream that does not exist");
  EXPECT_EQ(cu.cuMemFree(memory), CUDA_ERROR_INVALID_VALUE);
  expect_finding("not allocated");
}

TEST_F(MisuseTest, StreamOrderedMemoryOutlivesItsContext) {
  CUdeviceptr pooled = 0;
  ASSERT_EQ(cu.cuMemAllocAsync(&pooled, 32, streams[0]), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuCtxDestroy(context), CUDA_SUCCESS);
  EXPECT_EQ(driver.live_objects(), std::vector<std::string>{"allocation 1 of 32 bytes"});
}

TEST_F(MisuseTest, EmptyAllocationsAndTooLargeOnes) {
  CUdeviceptr address = 0;
  EXPECT_EQ(cu.cuMemAlloc(&address, 0), CUDA_ERROR_INVALID_VALUE);
  expect_finding("of no bytes");
  EXPECT_EQ(cu.cuMemAlloc(&address, (1U << 20) + 1), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(findings(), "");  // running out is no misuse
}

}  // namespace
}  // namespace taintgraph::sim
