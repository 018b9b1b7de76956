// Kernels in the form that can be launched: compiled and loaded at their first use, kept until they are forgotten.
//
// A kernel is in the cache whole or not at all: when a step of loading fails, the earlier ones are undone and the next
// use begins anew. A hit costs one comparison.
#pragma once

#include <vector>

#include "core/error.hpp"
#include "gpu/driver_api.hpp"
#include "gpu/kernel_catalog.hpp"
#include "gpu/kernel_compiler.hpp"

namespace taintgraph::gpu {

class KernelCache {
 public:
  KernelCache(const DriverApi& driver, const CompilerApi& compiler)
      : driver_(driver), compiler_(driver, compiler), kernels_(kernel_catalog().size()) {}
  KernelCache(const KernelCache&) = delete;
  KernelCache& operator=(const KernelCache&) = delete;

  // Requires: `kernel` is the catalog's; a context of `device` is current.
  [[nodiscard]] core::DeviceResult<CUfunction> function(const KernelInfo& kernel, CUdevice device);

  // Unloads `kernel`; a no-op if it is not loaded. It is gone from the cache whatever comes back.
  [[nodiscard]] core::DeviceResult<void> forget(const KernelInfo& kernel);

  // Forgets everything; its context is about to go.
  void abandon_all() { kernels_.assign(kernels_.size(), {}); }
  // Unloads everything; errors are appended.
  void close(std::vector<core::Error>& errors);

 private:
  struct Loaded {
    CUmodule module = nullptr;
    CUfunction function = nullptr;  // null: not loaded
  };
  [[nodiscard]] Loaded& slot(const KernelInfo& kernel);
  [[nodiscard]] core::DeviceResult<Loaded> load(const KernelInfo& kernel, CUdevice device);
  [[nodiscard]] core::DeviceResult<CUfunction> look_up(CUmodule module, const KernelInfo& kernel);

  const DriverApi& driver_;
  KernelCompiler compiler_;
  std::vector<Loaded> kernels_;  // by index in the catalog
};

}  // namespace taintgraph::gpu
