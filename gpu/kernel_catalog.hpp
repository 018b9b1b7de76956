// The kernels of the trace language: their source, and what a launch of each must look like.
//
// Source is the CUDA C++ in gpu/kernels/, embedded as text; nothing about how a kernel computes is known here, only its
// signature. The fitting rules are those of the trace format: counts, lengths, overlaps, the one scalar argument.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/device.hpp"

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

// The header "kernel.cuh" that every source includes, as text.
[[nodiscard]] std::string_view kernel_header();

// Whether `shape` fits its kernel (see core::Device::check). Ranges are compared as the program states them, by buffer
// and bytes; an inverted range counts as empty here, since the core refuses it for what it is.
[[nodiscard]] core::DeviceResult<void> check_fit(const core::LaunchShape& shape);

// Threads of a block in every launch.
inline constexpr std::uint32_t kBlockThreads = 256;

// Blocks that a launch needs for one thread an element: a byte of what it writes, or a single thread where the kernel
// touches nothing that it declares. At least 1, since a launch always submits work. 64 bits wide because the ranges of
// a program are; more than 2^31-1 fit no grid.
[[nodiscard]] std::uint64_t grid_blocks(const KernelInfo& kernel, std::span<const core::DeviceSpan> writes);

}  // namespace taintgraph::gpu
