// The parts of a session, in the order in which they stand on each other.
#pragma once

#include <memory>

#include "core/runtime.hpp"
#include "gpu/cuda_device.hpp"
#include "sim/driver.hpp"
#include "sim/fault_plan.hpp"
#include "traces/program.hpp"
#include "traces/session.hpp"

namespace taintgraph::traces::internal {

struct Machine {
  // Throws std::runtime_error if the driver refuses to give a device.
  Machine(const Header& header, const SessionOptions& options);

  sim::FaultPlan plan;
  sim::Driver driver;
  std::unique_ptr<gpu::CudaDevice> device;
  std::unique_ptr<core::Runtime> runtime;
};

}  // namespace taintgraph::traces::internal
