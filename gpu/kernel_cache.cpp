#include "gpu/kernel_cache.hpp"

#include <cstddef>
#include <utility>

#include "gpu/error_mapping.hpp"

namespace taintgraph::gpu {

core::DeviceResult<CUfunction> KernelCache::function(const KernelInfo& kernel, CUdevice device) {
  Loaded& cached = slot(kernel);
  if (cached.function == nullptr) {
    auto loaded = load(kernel, device);
    if (!loaded) return tl::unexpected(std::move(loaded.error()));
    cached = *loaded;
  }
  return cached.function;
}

core::DeviceResult<void> KernelCache::forget(const KernelInfo& kernel) {
  const Loaded gone = std::exchange(slot(kernel), {});
  if (gone.module == nullptr) return {};
  return checked(driver_, driver_.cuModuleUnload(gone.module), Call::cuModuleUnload);
}

void KernelCache::close(std::vector<core::Error>& errors) {
  for (const KernelInfo& kernel : kernel_catalog()) {
    append_error(forget(kernel), errors);
  }
}

KernelCache::Loaded& KernelCache::slot(const KernelInfo& kernel) { return kernels_[kernel_index(kernel)]; }

core::DeviceResult<KernelCache::Loaded> KernelCache::load(const KernelInfo& kernel, CUdevice device) {
  auto ptx = compiler_.compile(kernel, device);
  if (!ptx) return tl::unexpected(std::move(ptx.error()));
  CUmodule module = nullptr;
  auto loaded = checked(driver_, driver_.cuModuleLoadData(&module, ptx->c_str()), Call::cuModuleLoadData);
  if (!loaded) return tl::unexpected(std::move(loaded.error()));

  auto function = look_up(module, kernel);
  if (function) return Loaded{module, *function};
  auto unloaded = checked(driver_, driver_.cuModuleUnload(module), Call::cuModuleUnload);
  if (!unloaded) add_undo_failure(function.error(), unloaded.error());
  return tl::unexpected(std::move(function.error()));
}

core::DeviceResult<CUfunction> KernelCache::look_up(CUmodule module, const KernelInfo& kernel) {
  CUfunction function = nullptr;
  auto found =
      checked(driver_, driver_.cuModuleGetFunction(&function, module, kernel.name.data()), Call::cuModuleGetFunction);
  // A module may be loaded lazily, at its first launch; asked for here, a failure to load is one of loading.
  if (found) found = checked(driver_, driver_.cuFuncLoad(function), Call::cuFuncLoad);
  if (!found) return tl::unexpected(std::move(found.error()));
  return function;
}

}  // namespace taintgraph::gpu
