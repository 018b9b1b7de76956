// For tests and measurements: tables whose every entry succeeds and does nothing, but that handles are told apart, host
// memory is real and launches are remembered. Not a simulator: nothing that is queued ever runs.
//
// Kept by plain functions behind a C ABI, hence one instance at a time: the last one made.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "gpu/compiler_api.hpp"
#include "gpu/driver_api.hpp"
#include "gpu/launch_packet.hpp"

namespace taintgraph::gpu {

struct BareDriver {
  DriverApi driver;
  CompilerApi compiler;

  // The last launch.
  PackedOperands operands;
  std::uint64_t scalar = 0;
  unsigned blocks = 0;
  unsigned threads = 0;
  std::uint64_t launches = 0;
  // The last copy to the device.
  CUdeviceptr uploaded_to = 0;
  PackedOperand uploaded[64] = {};

  std::uintptr_t next_handle = 4096;

  BareDriver() {
    current() = this;
#define TAINTGRAPH_SUCCEED(name, parameters) driver.name = succeed;
    TAINTGRAPH_DRIVER_ENTRIES(TAINTGRAPH_SUCCEED)
#undef TAINTGRAPH_SUCCEED
#define TAINTGRAPH_SUCCEED(name, parameters) compiler.name = compile_nothing;
    TAINTGRAPH_COMPILER_ENTRIES(TAINTGRAPH_SUCCEED)
#undef TAINTGRAPH_SUCCEED
    driver.cuCtxCreate = [](CUcontext* context, unsigned, CUdevice) { return hand_out(context); };
    driver.cuStreamCreate = [](CUstream* stream, unsigned) { return hand_out(stream); };
    driver.cuEventCreate = [](CUevent* event, unsigned) { return hand_out(event); };
    driver.cuModuleLoadData = [](CUmodule* module, const void*) { return hand_out(module); };
    driver.cuModuleGetFunction = [](CUfunction* function, CUmodule, const char*) { return hand_out(function); };
    driver.cuMemAlloc = [](CUdeviceptr* address, std::size_t) {
      *address = current()->next_handle += 4096;
      return CUDA_SUCCESS;
    };
    driver.cuMemAllocHost = [](void** memory, std::size_t size_bytes) {
      *memory = std::malloc(size_bytes);
      return CUDA_SUCCESS;
    };
    driver.cuMemFreeHost = [](void* memory) {
      std::free(memory);
      return CUDA_SUCCESS;
    };
    driver.cuMemcpyHtoDAsync = upload;
    driver.cuLaunchKernel = launch;
  }
  BareDriver(const BareDriver&) = delete;
  BareDriver& operator=(const BareDriver&) = delete;

 private:
  static BareDriver*& current() {
    static BareDriver* instance = nullptr;
    return instance;
  }

  template <class... Arguments>
  static CUresult succeed(Arguments...) {
    return CUDA_SUCCESS;
  }
  template <class... Arguments>
  static nvrtcResult compile_nothing(Arguments...) {
    return NVRTC_SUCCESS;
  }
  template <class Handle>
  static CUresult hand_out(Handle* handle) {
    *handle = reinterpret_cast<Handle>(current()->next_handle += 16);
    return CUDA_SUCCESS;
  }
  static CUresult upload(CUdeviceptr to, const void* from, std::size_t size_bytes, CUstream) {
    current()->uploaded_to = to;
    if (size_bytes <= sizeof current()->uploaded) std::memcpy(current()->uploaded, from, size_bytes);
    return CUDA_SUCCESS;
  }
  static CUresult launch(CUfunction, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned, unsigned,
                         unsigned, CUstream, void** parameters, void**) {
    BareDriver& self = *current();
    std::memcpy(&self.operands, parameters[0], sizeof self.operands);
    std::memcpy(&self.scalar, parameters[1], sizeof self.scalar);
    self.blocks = blocks;
    self.threads = threads;
    ++self.launches;
    return CUDA_SUCCESS;
  }
};

}  // namespace taintgraph::gpu
