// A driver for probes to work on: its tables, and what each driver has its own way of doing.
//
// A rig is made in the process that uses it: a real driver must not be touched by the parent of processes that use it.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "gpu/compiler_api.hpp"
#include "gpu/driver_api.hpp"
#include "gpu/fault_table.hpp"
#include "gpu/kernel_info.hpp"

namespace taintgraph::props {

class Rig {
 public:
  virtual ~Rig() = default;

  [[nodiscard]] virtual const gpu::DriverApi& driver() const = 0;
  [[nodiscard]] virtual const gpu::CompilerApi& compiler() const = 0;
  [[nodiscard]] virtual int device() const = 0;

  // A function that runs into `kind` when it is launched with PackedOperands. One whose launch makes the device busy
  // for some milliseconds, if `kind` is not_ready. Compiled and loaded into the current context.
  // Throws std::runtime_error if it cannot be made.
  [[nodiscard]] virtual gpu::CUfunction function_that_meets(gpu::FaultKind kind) = 0;

  // Right before such a function is launched.
  virtual void expect(gpu::FaultKind kind) = 0;

  // Lets the device finish what it has, without waiting for it by any call.
  virtual void let_time_pass() = 0;
};

// `kernel`, compiled and loaded into the current context. Throws std::runtime_error if that fails.
[[nodiscard]] gpu::CUfunction load(const Rig& rig, const gpu::KernelInfo& kernel);

// The kernels that only a GPU can run, by what each meets: what they do has no meaning in the language of the simulated
// one.
struct DeviceOnlyKernel {
  gpu::FaultKind meets;
  gpu::KernelInfo kernel;
};
[[nodiscard]] std::span<const DeviceOnlyKernel> device_only_kernels();

using RigMaker = std::function<std::unique_ptr<Rig>()>;

// Of the driver of this machine. Throws traces::NoGpu if there is none.
[[nodiscard]] RigMaker real_rig(int device);
[[nodiscard]] RigMaker simulated_rig();

}  // namespace taintgraph::props
