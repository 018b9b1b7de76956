#include <cuda.h>
//
#include <taintgraph/gpu/cuda_device.hpp>
//
#include "adopt.hpp"

namespace gpu = taintgraph::gpu;

#include <taintgraph/gpu/driver_names_begin.hpp>

gpu::CUstream cuda_first(gpu::DriverApi& driver, CUstream stream) {
  driver.cuMemFree = [](CUdeviceptr) { return static_cast<gpu::CUresult>(::CUDA_ERROR_NOT_SUPPORTED); };
  return stream;
}

#include <taintgraph/gpu/driver_names_end.hpp>

#ifndef cuMemFree
#error "cuda.h's own names are lost"
#endif
