// What the simulated compiler makes of a source and the simulated driver loads: text, zero terminated, that names the
// entry points it stands for. It holds no code; the code was compiled with the simulator.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "gpu/driver_api.hpp"

namespace taintgraph::sim {

// An index into compiled_kernels(), or none.
using KernelIndex = std::optional<std::size_t>;

// Requires: an index into compiled_kernels().
[[nodiscard]] std::string_view kernel_name(std::size_t kernel);
[[nodiscard]] KernelIndex find_kernel_by_name(std::string_view name);
[[nodiscard]] KernelIndex find_kernel_by_source(std::string_view source);

[[nodiscard]] std::string make_image(std::size_t kernel);
// What a driver says to `image` when read_image() finds nothing in it: text goes to the compiler of PTX, which refuses
// it, or finds it meant for a GPU that this one is not; anything else is no image.
[[nodiscard]] gpu::CUresult image_error(const char* image, int compute_capability);
// None if this is no image, or one of a kernel that does not exist.
[[nodiscard]] KernelIndex read_image(const char* image);

}  // namespace taintgraph::sim
