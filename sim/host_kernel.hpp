// Makes a CompiledKernel from a kernel function, whose parameter types say how its parameters are unpacked.
//
// Included by the translation units that the build makes from gpu/kernels/, after device_language.hpp.
#pragma once

#include <array>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "sim/compiled_kernel.hpp"
#include "sim/device_language.hpp"

namespace taintgraph::sim::device {

template <auto function>
struct HostKernel;

template <class... Parameters, void (*function)(Parameters...)>
struct HostKernel<function> {
  using Values = std::tuple<std::remove_cvref_t<Parameters>...>;

  static_assert((std::is_trivially_copyable_v<std::remove_cvref_t<Parameters>> && ...));
  static constexpr std::array<std::uint32_t, sizeof...(Parameters)> kSizes{
      static_cast<std::uint32_t>(sizeof(Parameters))...};

  static Values unpack(const std::byte* parameters) {
    Values values;
    std::apply(
        [parameters](auto&... each) {
          const std::byte* at = parameters;
          ((std::memcpy(&each, at, sizeof each), at += sizeof each), ...);
        },
        values);
    return values;
  }

  static void run_all(const LaunchDimensions& dimensions, const Values& values) {
    Index3& block = blockIdx;
    Index3& thread = threadIdx;
    for (block.z = 0; block.z < dimensions.grid[2]; ++block.z) {
      for (block.y = 0; block.y < dimensions.grid[1]; ++block.y) {
        for (block.x = 0; block.x < dimensions.grid[0]; ++block.x) {
          for (thread.z = 0; thread.z < dimensions.block[2]; ++thread.z) {
            for (thread.y = 0; thread.y < dimensions.block[1]; ++thread.y) {
              for (thread.x = 0; thread.x < dimensions.block[0]; ++thread.x) std::apply(function, values);
            }
          }
        }
      }
    }
  }

  template <class Body>
  static std::optional<FaultKind> under(const LaunchDimensions& dimensions, AccessChecker& checker, Body&& body) {
    running_checker = &checker;
    gridDim = {dimensions.grid[0], dimensions.grid[1], dimensions.grid[2]};
    blockDim = {dimensions.block[0], dimensions.block[1], dimensions.block[2]};
    blockIdx = {};
    threadIdx = {};
    std::optional<FaultKind> fault;
    try {
      body();
    } catch (const KernelStop& stop) {
      fault = stop.kind;
    }
    running_checker = nullptr;
    return fault;
  }

  static std::optional<FaultKind> run(const LaunchDimensions& dimensions, const std::byte* parameters,
                                      AccessChecker& checker) {
    return under(dimensions, checker, [&] { run_all(dimensions, unpack(parameters)); });
  }

  static std::optional<FaultKind> run_first_thread(const LaunchDimensions& dimensions, const std::byte* parameters,
                                                   AccessChecker& checker) {
    return under(dimensions, checker, [&] { std::apply(function, unpack(parameters)); });
  }

  static constexpr CompiledKernel compiled(std::string_view name, std::string_view source) {
    return {name, source, kSizes, source.find("DEVICE_SPIN()") != std::string_view::npos, &run, &run_first_thread};
  }
};

}  // namespace taintgraph::sim::device
