// A runtime as a shared library: it pulls in the device and the runtime whole, so all of both must be position
// independent.
#include "plugin.hpp"

#include <taintgraph/core/runtime.hpp>
#include <taintgraph/gpu/compiler_loader.hpp>
#include <taintgraph/gpu/cuda_device.hpp>
#include <taintgraph/gpu/driver_loader.hpp>

namespace core = taintgraph::core;
namespace gpu = taintgraph::gpu;

namespace {

template <class... Arguments>
gpu::CUresult refuse(Arguments...) {
  return gpu::CUDA_ERROR_NO_DEVICE;
}

}  // namespace

std::string refusal() {
  gpu::DriverApi driver;
#define REFUSE(name, parameters) driver.name = refuse;
  TAINTGRAPH_DRIVER_ENTRIES(REFUSE)
#undef REFUSE
  auto compiler = gpu::load_compiler({});
  auto device = gpu::CudaDevice::create(driver, compiler ? *compiler : gpu::CompilerApi{}, {});
  if (!device) return std::string(device.error().name);
  core::Runtime runtime(**device, {});
  return runtime.sync({}) ? "nothing" : "too late";
}
