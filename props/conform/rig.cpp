#include "props/conform/rig.hpp"

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include "gpu/compiler_loader.hpp"
#include "gpu/driver_loader.hpp"
#include "gpu/kernel_catalog.hpp"
#include "gpu/kernel_compiler.hpp"
#include "sim/driver.hpp"
#include "traces/session.hpp"

namespace taintgraph::props {
namespace {

using gpu::FaultKind;

constexpr DeviceOnlyKernel kDeviceOnly[] = {
    {FaultKind::not_ready,
     {"busy",
      "#include \"kernel.cuh\"\n"
      "KERNEL busy(Operands operands) {\n"
      "  const long long begin = clock64();\n"
      "  while (clock64() - begin < 100000000 + operands.reads) {}\n"
      "}\n",
      "", 0}},
    {FaultKind::misaligned_address,
     {"misaligned_address",
      "#include \"kernel.cuh\"\n"
      "KERNEL misaligned_address(Operands operands) {\n"
      "  *(volatile u32*)((u64)operands.inlined[0].data + 1) = 1;\n"
      "}\n",
      "", 0}},
    {FaultKind::invalid_pc,
     {"invalid_pc",
      "#include \"kernel.cuh\"\n"
      "KERNEL invalid_pc(Operands operands) { ((void (*)())operands.inlined[0].end)(); }\n",
      "", 0}},
    {FaultKind::invalid_address_space,
     {"invalid_address_space",
      "#include \"kernel.cuh\"\n"
      "KERNEL invalid_address_space(Operands operands) {\n"
      "  volatile int local[8];\n"
      "  local[operands.reads] = 0;\n"
      "  asm volatile(\"{ .reg .u32 r; atom.global.add.u32 r, [%0], 1; }\" ::\"l\"(&local[operands.reads]) : "
      "\"memory\");\n"
      "}\n",
      "", 0}},
    {FaultKind::illegal_instruction,
     {"illegal_instruction",
      "#include \"kernel.cuh\"\n"
      "KERNEL illegal_instruction(Operands operands) {\n"
      "  (void)operands;\n"
      "  asm volatile(\"brkpt;\");\n"
      "}\n",
      "", 0}},
};

// Of the catalog's kernels, the one that faults with `kind` by itself.
std::string_view kernel_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::illegal_address:
      return "out_of_bounds";
    case FaultKind::assert_:
      return "device_assert";
    case FaultKind::launch_failed:
      return "trap";
    default:
      return {};
  }
}

class RealRig final : public Rig {
 public:
  explicit RealRig(int device) : device_(device) {
    auto driver = gpu::load_driver();
    if (!driver) throw traces::NoGpu(driver.error());
    auto compiler = gpu::load_compiler();
    if (!compiler) throw traces::NoGpu(compiler.error());
    driver_ = *driver;
    compiler_ = *compiler;
    int count = 0;
    const gpu::CUresult ready = driver_.cuInit(0);
    if (ready != gpu::CUDA_SUCCESS) throw traces::NoGpu("cuInit returns " + std::to_string(ready));
    if (driver_.cuDeviceGetCount(&count) != gpu::CUDA_SUCCESS || device >= count)
      throw traces::NoGpu("the driver has " + std::to_string(count) + " GPU(s), and device " + std::to_string(device) +
                          " is none of them");
  }

  const gpu::DriverApi& driver() const override { return driver_; }
  const gpu::CompilerApi& compiler() const override { return compiler_; }
  int device() const override { return device_; }

  gpu::CUfunction function_that_meets(FaultKind kind) override {
    if (const gpu::KernelInfo* kernel = gpu::find_kernel(kernel_of(kind))) return load(*this, *kernel);
    for (const DeviceOnlyKernel& each : kDeviceOnly)
      if (each.meets == kind) return load(*this, each.kernel);
    throw std::runtime_error("no kernel meets " + std::string(gpu::row(kind).name));
  }
  void expect(FaultKind) override {}
  void let_time_pass() override { std::this_thread::sleep_for(std::chrono::milliseconds(300)); }

 private:
  int device_;
  gpu::DriverApi driver_;
  gpu::CompilerApi compiler_;
};

class SimulatedRig final : public Rig {
 public:
  const gpu::DriverApi& driver() const override { return driver_.driver(); }
  const gpu::CompilerApi& compiler() const override { return driver_.compiler(); }
  int device() const override { return 0; }

  gpu::CUfunction function_that_meets(FaultKind kind) override {
    const gpu::KernelInfo* kernel = gpu::find_kernel(kernel_of(kind));
    return load(*this, kernel != nullptr ? *kernel : *gpu::find_kernel("noop"));
  }
  // Kernels that fault by themselves do; for the others the fault plan has to.
  void expect(FaultKind kind) override {
    static constexpr gpu::Call kLaunchCall[] = {gpu::Call::cuLaunchKernel};
    if (!kernel_of(kind).empty() || kind == FaultKind::not_ready) return;
    plan_.begin_operation(0, {});
    plan_.strike(kLaunchCall, {.kind = kind, .when = {}, .bytes_done = 0, .surface_after_calls = {}});
  }
  // A call takes time there.
  void let_time_pass() override {
    int version = 0;
    for (int i = 0; i < 10'000; ++i) (void)driver().cuDriverGetVersion(&version);
  }

 private:
  sim::FaultPlan plan_;
  sim::Driver driver_{{}, plan_};
};

}  // namespace

gpu::CUfunction load(const Rig& rig, const gpu::KernelInfo& kernel) {
  const auto ptx = gpu::KernelCompiler(rig.driver(), rig.compiler()).compile(kernel, rig.device());
  if (!ptx) throw std::runtime_error(std::string(kernel.name) + " does not compile: " + ptx.error().detail);
  gpu::CUmodule module = nullptr;
  gpu::CUfunction function = nullptr;
  gpu::CUresult code = rig.driver().cuModuleLoadData(&module, ptx->c_str());
  if (code == gpu::CUDA_SUCCESS) code = rig.driver().cuModuleGetFunction(&function, module, kernel.name.data());
  if (code == gpu::CUDA_SUCCESS) code = rig.driver().cuFuncLoad(function);
  if (code != gpu::CUDA_SUCCESS)
    throw std::runtime_error(std::string(kernel.name) + " does not load: " + std::to_string(code));
  return function;
}

std::span<const DeviceOnlyKernel> device_only_kernels() { return kDeviceOnly; }

RigMaker real_rig(int device) {
  return [device] { return std::make_unique<RealRig>(device); };
}

RigMaker simulated_rig() {
  return [] { return std::make_unique<SimulatedRig>(); };
}

}  // namespace taintgraph::props
