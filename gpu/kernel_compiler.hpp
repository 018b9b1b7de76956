// Compiles kernel sources to PTX with NVRTC, for the GPU that is there.
//
// Not a cache: each call compiles. The virtual architecture is the newest that both the GPU and this NVRTC know; PTX
// for an older one runs on a newer GPU.
#pragma once

#include <span>
#include <string>

#include "core/error.hpp"
#include "gpu/compiler_api.hpp"
#include "gpu/driver_api.hpp"
#include "gpu/kernel_catalog.hpp"

namespace taintgraph::gpu {

// A virtual architecture ("compute_90" is 90) and the versions of NVRTC that compile for it, as major * 100 + minor.
struct Architecture {
  int compute;
  int since;
  int until;  // the first version without it
};

// Oldest first.
[[nodiscard]] std::span<const Architecture> architectures();

// The newest architecture that a GPU of compute capability `device` (major * 10 + minor) runs and NVRTC `version`
// compiles for. `device` itself if there is none: the compiler then says so in its own words.
[[nodiscard]] int choose_architecture(int device, int version);

class KernelCompiler {
 public:
  KernelCompiler(const DriverApi& driver, const CompilerApi& compiler) : driver_(driver), compiler_(compiler) {}
  KernelCompiler(const KernelCompiler&) = delete;
  KernelCompiler& operator=(const KernelCompiler&) = delete;

  // PTX, zero terminated, for `device`. Errors: compile_error with the compiler's log in Error::detail; anything else
  // that either table returns.
  [[nodiscard]] core::DeviceResult<std::string> compile(const KernelInfo& kernel, CUdevice device) const;

 private:
  [[nodiscard]] core::DeviceResult<int> architecture(CUdevice device) const;
  [[nodiscard]] core::DeviceResult<std::string> compile(nvrtcProgram program, int architecture) const;
  [[nodiscard]] core::DeviceResult<std::string> ptx(nvrtcProgram program) const;
  [[nodiscard]] std::string log(nvrtcProgram program) const;

  const DriverApi& driver_;
  const CompilerApi& compiler_;
};

}  // namespace taintgraph::gpu
