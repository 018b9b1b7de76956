// The host's memory runs out at every single allocation in turn, in the runtime or in the backend under it, over a
// driver that only counts what it has given out. The runtime stays whole and goes on, and in the end all is given back.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "core/allocations_for_tests.hpp"
#include "core/runtime.hpp"
#include "gpu/bare_driver_for_tests.hpp"
#include "gpu/cuda_device.hpp"

namespace taintgraph::gpu {
namespace {

constexpr core::StreamIndex kPlain{0};
constexpr core::StreamIndex kCapturing{1};

// Objects of the driver that live, by sort.
enum Sort { context, stream, event, memory, host_memory, module, window, graph, executable, kSorts };
std::array<std::ptrdiff_t, kSorts> live;

class CountingDriver : public BareDriver {
 public:
  CountingDriver() {
    live = {};
    driver.cuCtxCreate = [](CUcontext* made, unsigned, CUdevice) { return give_out(context, made); };
    driver.cuCtxDestroy = [](CUcontext) { return take_back(context); };
    driver.cuStreamCreate = [](CUstream* made, unsigned) { return give_out(stream, made); };
    driver.cuStreamDestroy = [](CUstream) { return take_back(stream); };
    driver.cuEventCreate = [](CUevent* made, unsigned) { return give_out(event, made); };
    driver.cuEventDestroy = [](CUevent) { return take_back(event); };
    driver.cuMemAlloc = [](CUdeviceptr* made, std::size_t) { return give_out_memory(made); };
    driver.cuMemAllocAsync = [](CUdeviceptr* made, std::size_t, CUstream) { return give_out_memory(made); };
    driver.cuMemFree = [](CUdeviceptr) { return take_back(memory); };
    driver.cuMemFreeAsync = [](CUdeviceptr, CUstream) { return take_back(memory); };
    driver.cuMemAllocHost = [](void** made, std::size_t size_bytes) {
      ++live[host_memory];
      *made = std::malloc(size_bytes);
      return CUDA_SUCCESS;
    };
    driver.cuMemFreeHost = [](void* gone) {
      std::free(gone);
      return take_back(host_memory);
    };
    driver.cuModuleLoadData = [](CUmodule* made, const void*) { return give_out(module, made); };
    driver.cuModuleUnload = [](CUmodule) { return take_back(module); };
    driver.cuStreamBeginCapture = [](CUstream, CUstreamCaptureMode) {
      ++live[window];
      return CUDA_SUCCESS;
    };
    driver.cuStreamEndCapture = [](CUstream, CUgraph* made) {
      --live[window];
      return give_out(graph, made);
    };
    driver.cuGraphDestroy = [](CUgraph) { return take_back(graph); };
    driver.cuGraphInstantiate = [](CUgraphExec* made, CUgraph, unsigned long long) {
      return give_out(executable, made);
    };
    driver.cuGraphExecDestroy = [](CUgraphExec) { return take_back(executable); };
  }

 private:
  template <class Handle>
  static CUresult give_out(Sort sort, Handle* made) {
    static std::uintptr_t last = 4096;
    ++live[sort];
    *made = reinterpret_cast<Handle>(last += 16);
    return CUDA_SUCCESS;
  }
  static CUresult give_out_memory(CUdeviceptr* made) {
    static CUdeviceptr last = 0;
    ++live[memory];
    *made = last += 1 << 20;
    return CUDA_SUCCESS;
  }
  static CUresult take_back(Sort sort) {
    --live[sort];
    return CUDA_SUCCESS;
  }
};

class Program {
 public:
  explicit Program(PageAllocator allocator) {
    options_.streams = 3;
    options_.staging_bytes = 256;
    options_.allocator = allocator;
  }

  // With so many allocations to spare, whatever comes of that; then ends with as many as it takes. False if they
  // sufficed.
  bool run(std::int64_t spared) {
    allocations_left = spared;
    attempt([&] { device_ = std::move(CudaDevice::create(bare_.driver, bare_.compiler, options_).value()); });
    if (device_) attempt([&] { runtime_ = std::make_unique<core::Runtime>(*device_, core::RuntimeOptions{}); });
    if (runtime_) operations();
    allocations_left = -1;
    if (runtime_) end();
    if (device_) {
      EXPECT_TRUE(device_->close().empty());
    }
    device_.reset();
    EXPECT_EQ(live, (std::array<std::ptrdiff_t, kSorts>{}));
    return ran_out_;
  }

 private:
  template <class Operation>
  void attempt(Operation operation) {
    try {
      operation();
    } catch (const std::bad_alloc&) {
      ran_out_ = true;
    }
  }

  void operations() {
    allocate(x_);
    allocate(y_);
    launch(kPlain);
    launch(core::StreamIndex{2});
    launch_wide(kPlain);
    const std::array<std::byte, 300> bytes{};
    attempt([&] { (void)runtime_->write({.to = x_.weak({0, 300}), .bytes = bytes, .stream = kPlain}); });
    std::array<std::byte, 600> into{};
    const std::array pieces = {core::ReadPiece{x_.weak({0, 600}), into.data()}};
    attempt([&] { (void)runtime_->read({.pieces = pieces}); });
    attempt([&] { (void)runtime_->capture_begin({.stream = kCapturing}); });
    launch(kCapturing);
    launch_wide(kCapturing);
    attempt([&] { (void)runtime_->copy({.from = x_.weak({0, 8}), .to = y_.weak({0, 8}), .stream = kCapturing}); });
    core::GraphId graph_id = core::GraphId::none;
    attempt([&] { graph_id = runtime_->capture_end({.stream = kCapturing}).value_or(core::GraphId::none); });
    attempt([&] { (void)runtime_->replay({.graph = graph_id, .stream = kPlain}); });
    attempt([&] { (void)runtime_->relocate({.buffer = y_.id(), .from_new_page = true, .stream = kPlain}); });
    attempt([&] { (void)runtime_->destroy(graph_id, {}); });
    attempt([&] { (void)runtime_->relocate({.buffer = y_.id(), .from_new_page = true, .stream = kPlain}); });
    attempt([&] { (void)runtime_->free(x_); });
    attempt([&] { (void)runtime_->cleanup(core::CleanupMode::immediate, {}); });
    attempt([&] { (void)runtime_->sync({}); });
  }

  void end() {
    x_.drop();
    y_.drop();
    runtime_->drain_dropped();
    EXPECT_TRUE(runtime_->drop_recorded_work({}));
    runtime_->validate();
    EXPECT_TRUE(runtime_->graph().empty());
    EXPECT_TRUE(runtime_->sync({}));
    EXPECT_TRUE(runtime_->close());
    runtime_.reset();
  }

  void allocate(core::Handle& into) {
    attempt([&] { into = runtime_->alloc({.size_bytes = 1000}).handle; });
  }

  void launch(core::StreamIndex on) {
    attempt([&] {
      const std::array reads = {x_.weak({0, 500})};
      const std::array writes = {y_.weak({0, 500})};
      (void)runtime_->launch({.kernel = "copy", .reads = reads, .writes = writes, .stream = on});
    });
  }

  // Of so many ranges that they go through a table.
  void launch_wide(core::StreamIndex on) {
    attempt([&] {
      const std::vector<core::WeakBinding> reads(40, x_.weak({0, 1}));
      const std::array writes = {y_.weak({0, 1})};
      (void)runtime_->launch({.kernel = "reduce", .reads = reads, .writes = writes, .stream = on});
    });
  }

  CountingDriver bare_;
  CudaDeviceOptions options_;
  std::unique_ptr<CudaDevice> device_;
  std::unique_ptr<core::Runtime> runtime_;
  core::Handle x_;
  core::Handle y_;
  bool ran_out_ = false;
};

class BackendHostMemory : public testing::TestWithParam<PageAllocator> {};

TEST_P(BackendHostMemory, RunsOutAtEveryAllocationInTurn) {
  std::int64_t spared = 0;
  for (bool ran_out = true; ran_out; ++spared) {
    SCOPED_TRACE("with " + std::to_string(spared) + " allocations to spare");
    ran_out = Program(GetParam()).run(spared);
    if (HasFailure()) return;
  }
  EXPECT_GT(spared, 60) << "the program allocates more than that";
}

INSTANTIATE_TEST_SUITE_P(, BackendHostMemory, testing::Values(PageAllocator::context, PageAllocator::stream_ordered));

}  // namespace
}  // namespace taintgraph::gpu
