// One kernel of gpu/kernels/ as compiled for the host, and the table of all of them.
//
// The table is made by the build, one row a file; the simulator itself knows no kernel by name. It is constant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "sim/access_checker.hpp"

namespace taintgraph::sim {

struct LaunchDimensions {
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
};

struct CompiledKernel {
  std::string_view name;  // of the entry point
  std::string_view source;
  std::span<const std::uint32_t> parameter_sizes;  // in bytes, in order
  bool endless = false;                            // it spins until somebody ends it, which nobody does

  // Runs every thread, one after the other in the order of the grid, until one faults. `parameters` holds the values
  // one after the other, without padding.
  std::optional<FaultKind> (*run)(const LaunchDimensions& dimensions, const std::byte* parameters,
                                  AccessChecker& checker) = nullptr;
  // The same for the very first thread alone.
  std::optional<FaultKind> (*run_first_thread)(const LaunchDimensions& dimensions, const std::byte* parameters,
                                               AccessChecker& checker) = nullptr;
};

// In order of name.
[[nodiscard]] std::span<const CompiledKernel* const> compiled_kernels();
// The header that every source includes, as text.
[[nodiscard]] std::string_view compiled_kernel_header();

}  // namespace taintgraph::sim
