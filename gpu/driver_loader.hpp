// Fills a driver table from the CUDA driver of this machine, opened at run time and never linked.
//
// The library stays open until the process ends: the driver has threads of its own and cannot be unloaded safely.
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "gpu/driver_api.hpp"

namespace taintgraph::gpu {

// Returns a full table, or what is missing: the library (no driver installed), or the symbols that it lacks (a driver
// older than CUDA 12.4). Calls no driver function but cuGetProcAddress.
[[nodiscard]] tl::expected<DriverApi, std::string> load_driver(const char* library = "libcuda.so.1");

}  // namespace taintgraph::gpu
