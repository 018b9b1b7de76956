// The parts of a session, in the order in which they stand on each other.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/runtime.hpp"
#include "gpu/cuda_device.hpp"
#include "sim/driver.hpp"
#include "sim/fault_plan.hpp"
#include "sim/injector.hpp"
#include "traces/program.hpp"
#include "traces/session.hpp"

namespace taintgraph::traces::internal {

struct Machine {
  // Throws NoGpu if there is no real driver or compiler to open, std::runtime_error if the driver refuses to give a
  // device.
  Machine(const Header& header, const SessionOptions& options);

  // Opens an operation for everything that counts or decides by operations.
  void begin_operation(std::uint64_t ordinal, std::string_view id);

  // Of the simulated driver; nothing on a real one.
  [[nodiscard]] std::vector<std::string> take_findings();
  [[nodiscard]] std::vector<std::uint32_t> take_schedule();
  void force_schedule(std::span<const std::uint32_t> streams, sim::Unscheduled unscheduled);
  [[nodiscard]] bool hangs() const;
  [[nodiscard]] std::vector<std::uint32_t> busy_streams() const;
  [[nodiscard]] bool is_idle() const { return !driver || driver->is_idle(); }
  [[nodiscard]] std::optional<sim::LiveObjects> count_objects() const;
  [[nodiscard]] std::optional<sim::LiveObjects> left_to_context() const;
  // Leaves the thread without a current context, as any library of the process may do between two operations.
  void unset_context();
  [[nodiscard]] std::vector<std::string> live_objects() const;

  sim::FaultPlan plan;
  sim::FaultPlan nothing_planned;           // of a simulated driver that is injected into from outside
  std::unique_ptr<sim::Driver> driver;      // none on a real driver
  std::unique_ptr<sim::Injector> injector;  // none where the simulated driver injects by itself
  gpu::DriverApi table;
  std::unique_ptr<gpu::CudaDevice> device;
  std::unique_ptr<core::Runtime> runtime;
};

}  // namespace taintgraph::traces::internal
