// The kernels of the trace language: their source, and what a launch of each must look like.
//
// Source is the CUDA C++ in gpu/kernels/, embedded as text; nothing about how a kernel computes is known here, only its
// signature. The fitting rules are those of the trace format: counts, lengths, overlaps, the one scalar argument.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/device.hpp"
#include "gpu/kernel_info.hpp"

namespace taintgraph::gpu {

// The header "kernel.cuh" that every source includes, as text.
[[nodiscard]] std::string_view kernel_header();

// Whether `shape` fits its kernel (see core::Device::check). Ranges are compared as the program states them, by buffer
// and bytes; an inverted range counts as empty here, since the core refuses it for what it is.
[[nodiscard]] core::DeviceResult<void> check_fit(const core::LaunchShape& shape);

// Threads of a block in a launch that fills one, and of a warp: a smaller launch is one block of as few warps as do.
inline constexpr std::uint32_t kBlockThreads = 256;
inline constexpr std::uint32_t kWarpThreads = 32;
// Blocks of the largest grid: CUDA's limit along x.
inline constexpr std::uint64_t kMaxGridBlocks = 0x7FFFFFFF;

struct LaunchGrid {
  std::uint64_t blocks = 1;  // 64 bits wide because the ranges of a program are; more than kMaxGridBlocks fit no grid
  std::uint32_t block_threads = kWarpThreads;

  friend bool operator==(const LaunchGrid&, const LaunchGrid&) = default;
};

// What a launch needs for one thread an element: a byte of what it writes, or a single thread where the kernel touches
// nothing that it declares. Never nothing, since a launch always submits work.
[[nodiscard]] LaunchGrid launch_grid(const KernelInfo& kernel, std::span<const core::DeviceSpan> writes);

}  // namespace taintgraph::gpu
