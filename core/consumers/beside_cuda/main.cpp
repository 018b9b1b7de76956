// Stands between a file that includes cuda.h before the package's headers and one that does so after them, and includes
// it not at all: all three must mean the same types and the same table.
#include <iostream>

#include <taintgraph/gpu/driver_api.hpp>

using CUstream = taintgraph::gpu::CUstream;

#include "adopt.hpp"

namespace gpu = taintgraph::gpu;

int main() {
  int anything = 0;
  const auto stream = reinterpret_cast<CUstream>(&anything);
  gpu::DriverApi driver;
  const bool passed = cuda_first(driver, stream) == stream && cuda_last(driver, stream) == stream;
  const bool filled = driver.cuMemFree(0) == gpu::CUDA_ERROR_NOT_SUPPORTED &&
                      driver.cuStreamDestroy(stream) == gpu::CUDA_ERROR_NOT_PERMITTED;
  std::cout << (passed ? "streams pass" : "streams are lost") << ", entries are " << (filled ? "" : "not ")
            << "where they belong\n";
  return passed && filled ? 0 : 1;
}
