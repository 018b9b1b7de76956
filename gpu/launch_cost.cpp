// What tracking adds to a launch: host time of cuLaunchKernel alone, and of Runtime::launch, which calls it, for an
// empty kernel that declares one buffer. Prints both, the difference and the ratio.
//
//   launch_cost [DEVICE]    on the driver of this machine; exits 77 if there is none
//   launch_cost --bare      on tables that do nothing, which needs no GPU and shows the host's part alone
//
// Launches go in batches that fit the driver's queue, and waits between them are not counted. Both kinds take turns,
// and the best batch of each counts: what disturbs a batch can only add to it.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>

#include "core/runtime.hpp"
#include "gpu/bare_driver_for_tests.hpp"
#include "gpu/compiler_loader.hpp"
#include "gpu/cuda_device.hpp"
#include "gpu/driver_loader.hpp"
#include "gpu/kernel_compiler.hpp"
#include "gpu/launch_packet.hpp"

namespace taintgraph::gpu {
namespace {

constexpr int kLaunches = 256;  // of a batch; a driver's queue holds about four times as many
constexpr int kBatches = 400;
constexpr int kNoGpu = 77;
constexpr int kFailed = 70;

struct Ended {
  int status;
};

[[noreturn]] void end(int status, std::string_view what, std::string_view why) {
  std::fprintf(stderr, "launch_cost: %.*s: %.*s\n", static_cast<int>(what.size()), what.data(),
               static_cast<int>(why.size()), why.data());
  throw Ended{status};
}

void expect(bool held, std::string_view what) {
  if (!held) end(kFailed, what, "failed");
}

// Host time of one call of `launch`, the mean over a batch.
template <class Launch>
double batch_nanoseconds(Launch&& launch) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kLaunches; ++i) launch();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / kLaunches;
}

// The driver alone, in a context of its own.
class Raw {
 public:
  Raw(const DriverApi& driver, const CompilerApi& compiler, int device) : driver_(driver) {
    expect(driver.cuInit(0) == CUDA_SUCCESS && driver.cuCtxCreate(&context_, 0, device) == CUDA_SUCCESS, "a context");
    expect(driver.cuStreamCreate(&stream_, kStreamNonBlocking) == CUDA_SUCCESS, "a stream");
    const auto ptx = KernelCompiler(driver, compiler).compile(*find_kernel("noop"), device);
    if (!ptx) end(kFailed, "compiling a kernel", ptx.error().detail);
    CUmodule module = nullptr;
    expect(driver.cuModuleLoadData(&module, ptx->c_str()) == CUDA_SUCCESS, "loading a kernel");
    expect(driver.cuModuleGetFunction(&function_, module, "noop") == CUDA_SUCCESS, "finding a kernel");
    operands_.writes = 1;
  }

  double batch() {
    expect(driver_.cuCtxSetCurrent(context_) == CUDA_SUCCESS, "setting the context");
    std::uint64_t scalar = 0;
    void* parameters[] = {&operands_, &scalar};
    CUresult code = CUDA_SUCCESS;
    const double nanoseconds = batch_nanoseconds([&] {
      const CUresult launched = driver_.cuLaunchKernel(function_, 1, 1, 1, 256, 1, 1, 0, stream_, parameters, nullptr);
      if (launched != CUDA_SUCCESS) code = launched;
    });
    expect(code == CUDA_SUCCESS && driver_.cuStreamSynchronize(stream_) == CUDA_SUCCESS, "launching");
    return nanoseconds;
  }

 private:
  const DriverApi& driver_;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  CUfunction function_ = nullptr;
  PackedOperands operands_;
};

class Tracked {
 public:
  Tracked(const DriverApi& driver, const CompilerApi& compiler, int ordinal) {
    CudaDeviceOptions options;
    options.ordinal = ordinal;
    auto device = CudaDevice::create(driver, compiler, options);
    if (!device) end(kFailed, "making the device", device.error().name);
    device_ = std::move(*device);
    runtime_.emplace(*device_, core::RuntimeOptions{});
    buffer_ = runtime_->alloc({.size_bytes = 256}).handle;
  }

  double batch() {
    const std::array writes = {buffer_.weak()};
    const core::LaunchRequest request{.kernel = "noop", .reads = {}, .writes = writes, .scalars = {}};
    bool held = static_cast<bool>(runtime_->launch(request));  // its context is current and its kernel loaded
    const double nanoseconds = batch_nanoseconds([&] { held = static_cast<bool>(runtime_->launch(request)) && held; });
    expect(held && runtime_->sync({}), "launching through the runtime");
    return nanoseconds;
  }

 private:
  std::unique_ptr<CudaDevice> device_;
  std::optional<core::Runtime> runtime_;
  core::Handle buffer_;
};

void compare(const DriverApi& driver, const CompilerApi& compiler, int device) {
  Raw raw(driver, compiler, device);
  Tracked tracked(driver, compiler, device);
  double least_raw = std::numeric_limits<double>::max();
  double least_tracked = std::numeric_limits<double>::max();
  for (int i = 0; i < kBatches; ++i) {
    least_raw = std::min(least_raw, raw.batch());
    least_tracked = std::min(least_tracked, tracked.batch());
  }
  const double more = least_tracked - least_raw;
  std::printf("launch of an empty kernel, host time: cuLaunchKernel %.0f ns, with tracking %.0f ns\n", least_raw,
              least_tracked);
  std::printf("tracking: %.0f ns more (aim: below 100), ratio %.3f (aim: 1.01)\n", more, least_tracked / least_raw);
}

void compare_on_a_real_driver(int device) {
  const auto driver = load_driver();
  if (!driver) end(kNoGpu, "no GPU", driver.error());
  const auto compiler = load_compiler();
  if (!compiler) end(kNoGpu, "no GPU", compiler.error());
  int count = 0;
  if (driver->cuInit(0) != CUDA_SUCCESS || driver->cuDeviceGetCount(&count) != CUDA_SUCCESS || device >= count)
    end(kNoGpu, "no GPU", "the driver has no such device");
  compare(*driver, *compiler, device);
}

}  // namespace
}  // namespace taintgraph::gpu

int main(int argc, char** argv) {
  using namespace taintgraph::gpu;
  try {
    if (argc > 1 && std::string_view(argv[1]) == "--bare") {
      BareDriver bare;
      compare(bare.driver, bare.compiler, 0);
    } else {
      compare_on_a_real_driver(argc > 1 ? std::atoi(argv[1]) : 0);
    }
  } catch (const Ended& ended) {
    return ended.status;
  }
  return 0;
}
