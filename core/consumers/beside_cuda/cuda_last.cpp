#include <taintgraph/gpu/cuda_device.hpp>
//
#include <cuda.h>
//
#include "adopt.hpp"

namespace gpu = taintgraph::gpu;

#include <taintgraph/gpu/driver_names_begin.hpp>

gpu::CUstream cuda_last(gpu::DriverApi& driver, CUstream stream) {
  driver.cuStreamDestroy = [](CUstream) { return static_cast<gpu::CUresult>(::CUDA_ERROR_NOT_PERMITTED); };
  return stream;
}

#include <taintgraph/gpu/driver_names_end.hpp>
