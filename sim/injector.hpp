// Applies a fault plan to any driver's tables: a real driver's, so that failures are injected over hardware, or the
// simulated one's.
//
// It stands between the backend and the driver and decides at each entry, as the simulated driver does inside:
// `before`, the call is not made; `after`, it is made and its answer replaced; `async`, it is made, and the error
// surfaces at later calls, at the latest at one that waits for the work it struck. A sticky error, once it has
// surfaced, is the answer to every later call on the context; destroying the context ends it, unless only a new process
// would. Every decision is logged by the plan.
//
// What it is not: a driver. What happened to the device's memory is whatever the driver did, so `bytes_done` has no
// meaning here. A real driver cannot be told that a capture is broken or that a context is lost, so those answers are
// given in its place; before a context counts as lost, all its streams that do not capture are waited for, since the
// backend then takes it that nothing runs any more. What a call created that is reported as failed is given back at
// once, for nobody will. Calls that end something are made whatever is injected.
// Into a context that the driver has lost by itself nothing is injected any more.
//
// One injector is for one context at a time and for one thread at a time; up to 16 may exist. Its costs beside the
// driver's are those of asking the plan, a few lookups of handles, and no memory for launches.
#pragma once

#include <memory>

#include "gpu/compiler_api.hpp"
#include "gpu/driver_api.hpp"
#include "gpu/launch_observer.hpp"
#include "sim/driver.hpp"
#include "sim/fault_plan.hpp"

namespace taintgraph::sim {

class Injector {
 public:
  // The tables are copied; `plan` must outlive the injector. Throws std::runtime_error if there are 16 already.
  Injector(const gpu::DriverApi& driver, const gpu::CompilerApi& compiler, ErrorSurfacing surfacing, FaultPlan& plan);
  ~Injector();
  Injector(const Injector&) = delete;
  Injector& operator=(const Injector&) = delete;

  [[nodiscard]] const gpu::DriverApi& driver() const;
  [[nodiscard]] const gpu::CompilerApi& compiler() const;

  // For the backend, in place of `behind`, which then hears only of launches that are made.
  [[nodiscard]] gpu::LaunchObserver observer(const gpu::LaunchObserver& behind);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace taintgraph::sim
