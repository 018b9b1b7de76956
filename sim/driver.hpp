// A CUDA driver in software, deterministic from one seed, that fails as it is told to.
//
// What it is: everything behind gpu::DriverApi. Enqueueing never executes: work sits in its stream until virtual time
// reaches it or something waits for it. Virtual time moves a little at each call and to the end of the work at a wait;
// how long each piece of work takes is drawn from the seed. Host memory of an asynchronous copy is touched when the
// copy runs and not before. Fresh and freed device memory is filled with seeded garbage. Kernels run thread by thread
// from grid, block and parameters, every access checked.
//
// What it watches: the backend's own use of the driver (a call without a current context, a dead stream, a freed
// pointer, work still pending on freed memory, leaked objects), accesses that no event or wait orders (vector clocks),
// accesses that the launch did not declare. Each is a *finding*: never an error code, since a program must not be able
// to handle it away. A run with a finding has failed.
//
// A stream's index is the lowest that is free when it is created: that of a destroyed stream is used again once the
// host has waited for all its work.
//
// Several drivers may exist at once (up to 16), in different threads too; each fills a table of its own. One driver is
// for one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/compiler_api.hpp"
#include "gpu/device_clock.hpp"
#include "gpu/driver_api.hpp"
#include "gpu/launch_observer.hpp"
#include "sim/device_order.hpp"
#include "sim/fault_plan.hpp"
#include "sim/unscheduled.hpp"

namespace taintgraph::sim {

// At which calls an asynchronous error may surface. It always surfaces at a call that waits for the faulted work.
enum class ErrorSurfacing : std::uint8_t {
  strict,      // at the next operation's first call, and then at every call on the context
  documented,  // when the work has run, at the calls that CUDA documents to return errors of earlier work
};

struct DriverOptions {
  std::uint64_t seed = 0;
  std::uint64_t memory_bytes = 16U << 20;  // device memory; cuMemAlloc beyond it is out_of_memory
  std::uint64_t page_alignment = 256;      // of the addresses that cuMemAlloc gives out
  ErrorSurfacing surfacing = ErrorSurfacing::strict;
  DeviceOrder* order = nullptr;  // decides in place of virtual time when work runs; must outlive the driver
};

struct Finding {
  std::string what;  // one line: the rule broken and the call
  friend bool operator==(const Finding&, const Finding&) = default;
};

// How many objects of each kind exist, of those that somebody was told of.
struct LiveObjects {
  std::size_t contexts = 0;
  std::size_t streams = 0;
  std::size_t events = 0;
  std::size_t modules = 0;
  std::size_t graphs = 0;
  std::size_t executable_graphs = 0;
  std::size_t programs = 0;
  std::size_t allocations = 0;
  std::size_t host_allocations = 0;
};

class Driver {
 public:
  // `plan` must outlive the driver; it is asked at every call of both tables. Throws std::runtime_error if there are 16
  // drivers already.
  Driver(const DriverOptions& options, FaultPlan& plan);
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  [[nodiscard]] const gpu::DriverApi& driver() const;
  [[nodiscard]] const gpu::CompilerApi& compiler() const;
  // To be given to the backend, so that accesses can be checked against what launches declare.
  [[nodiscard]] gpu::LaunchObserver observer();

  // Findings since the last call, in order; takes them.
  [[nodiscard]] std::vector<Finding> take_findings();

  // Streams (by index, in order of creation) in the order in which the device ran their memory-touching work since the
  // last call; takes them. One entry a kernel or copy.
  [[nodiscard]] std::vector<std::uint32_t> take_schedule();

  // Makes the device run its next pieces of work in this order (stream indices as above) before it goes back to virtual
  // time, which is when the schedule is taken. Until then each entry runs as soon as it can and nothing else runs but
  // what a wait needs; an entry whose stream has nothing runnable when a wait needs it is passed over. With
  // Unscheduled::stays a wait finds no other work done.
  void force_schedule(std::span<const std::uint32_t> streams, Unscheduled unscheduled = Unscheduled::runs_if_needed);

  [[nodiscard]] LiveObjects count_objects() const;
  // What was alive in the context that was destroyed last, and went with it.
  [[nodiscard]] const LiveObjects& left_to_context() const;
  // What still exists: to be empty after teardown. One line an object (context, stream, event, allocation, ...).
  [[nodiscard]] std::vector<std::string> live_objects() const;

  // Streams (by index, in order) that have kernels or copies queued which did not run yet.
  [[nodiscard]] std::vector<std::uint32_t> busy_streams() const;
  // Nothing at all is queued which did not run yet, reservations and frees in stream order included.
  [[nodiscard]] bool is_idle() const;

  // Whether work is queued that is never done: a kernel that spins, and whatever comes after it.
  [[nodiscard]] bool hangs() const;

  [[nodiscard]] std::uint64_t now_nanoseconds() const;
  // Virtual time, to be given to the backend. Whoever waits by it lets the device work.
  [[nodiscard]] gpu::DeviceClock clock();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace taintgraph::sim
