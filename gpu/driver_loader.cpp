#include "gpu/driver_loader.hpp"

#include <dlfcn.h>

#include "gpu/driver_entries.hpp"

namespace taintgraph::gpu {
namespace {

// cuGetProcAddress as of CUDA 12.0; `status` says why there is no symbol, which the null pointer says well enough.
using GetProcAddress = CUresult (*)(const char* symbol, void** function, int version, std::uint64_t flags, int* status);

constexpr std::uint64_t kLegacyStream = 1;  // CU_GET_PROC_ADDRESS_LEGACY_STREAM: the forms that the table declares

template <class Function>
void resolve(GetProcAddress get, const char* symbol, int version, Function*& function, std::string& missing) {
  void* found = nullptr;
  int status = 0;
  if (get(symbol, &found, version, kLegacyStream, &status) == CUDA_SUCCESS && found != nullptr) {
    function = reinterpret_cast<Function*>(found);
    return;
  }
  missing.append(missing.empty() ? "" : ", ").append(symbol).append(" (CUDA ").append(std::to_string(version / 1000));
  missing.append(".").append(std::to_string(version % 1000 / 10)).append(")");
}

}  // namespace

tl::expected<DriverApi, std::string> load_driver(const char* library) {
  void* opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return tl::unexpected(std::string("no CUDA driver: ") + dlerror());
  const auto get = reinterpret_cast<GetProcAddress>(dlsym(opened, "cuGetProcAddress_v2"));
  if (get == nullptr) {
    return tl::unexpected(std::string(library) + " has no cuGetProcAddress_v2: the driver is older than CUDA 12.0");
  }
  DriverApi driver;
  std::string missing;
#define TAINTGRAPH_RESOLVE(entry, symbol, version) resolve(get, #symbol, version, driver.entry, missing);
  TAINTGRAPH_DRIVER_PINS(TAINTGRAPH_RESOLVE)
#undef TAINTGRAPH_RESOLVE
  if (!missing.empty()) return tl::unexpected(std::string(library) + " lacks " + missing);
  return driver;
}

}  // namespace taintgraph::gpu
