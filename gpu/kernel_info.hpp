// The kernels of the trace language by name and number, and nothing about the shape of their launches.
//
// For whoever names kernels without launching them: it looks at nothing of the core.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace taintgraph::gpu {

struct KernelInfo {
  std::string_view name;         // also the name of its entry point; static storage, zero terminated
  std::string_view source;       // CUDA C++; includes "kernel.cuh"; zero terminated
  std::string_view scalar;       // name of its by-value argument ("value", "by", "n"), empty if it has none
  std::uint64_t scalar_max = 0;  // largest legal value of that argument
};

// In a fixed order; an index into it names a kernel within one build.
[[nodiscard]] std::span<const KernelInfo> kernel_catalog();

// nullptr if there is no such kernel.
[[nodiscard]] const KernelInfo* find_kernel(std::string_view name);

// Where it stands in the catalog. Requires: it is the catalog's own, or there is one of that name.
[[nodiscard]] inline std::uint16_t kernel_index(const KernelInfo& kernel) {
  return static_cast<std::uint16_t>(&kernel - kernel_catalog().data());
}
[[nodiscard]] inline std::uint16_t kernel_index(std::string_view name) { return kernel_index(*find_kernel(name)); }

}  // namespace taintgraph::gpu
