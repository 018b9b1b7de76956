// A program's machine: the production runtime over the CUDA backend over a driver, driven one operation at a time.
//
// This is where trace operations meet the core. Replay, fuzzing, shrinking and rendering all go through it, so what
// they see is what the runtime does. A Session adds no judgement of its own: outcomes, roots and chains are the core's
// answers, put in the trace's words.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sim/device_order.hpp"
#include "traces/program.hpp"
#include "traces/snapshot.hpp"

namespace taintgraph::traces {

// What a read is told about one of its roots, besides its name (R2).
struct ReportedRoot {
  std::uint64_t carriers = 0;         // allocations and unallocated buffers that carry it
  std::uint64_t dropped_records = 0;  // skips no longer on record
  friend bool operator==(const ReportedRoot&, const ReportedRoot&) = default;
};

// A claimed input of a skip, or a claim: operations stand for the buffer that they allocated and the failure that they
// caused.
struct ReportedInput {
  std::uint64_t buffer = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t root = 0;
  friend bool operator==(const ReportedInput&, const ReportedInput&) = default;
};

// One skip in a chain: its kernel, and what it needed, in argument order (R2).
struct ReportedHop {
  std::string kernel;
  std::vector<ReportedInput> inputs;
  friend bool operator==(const ReportedHop&, const ReportedHop&) = default;
};

// Calls of one name that an operation made and a fault could have struck; of none: runs of its host code.
struct CallsMade {
  gpu::Call call = gpu::Call::none;
  std::uint64_t times = 0;
};

// What one operation did. Operations are named by ordinal, counted from 1 in the order of execute().
struct StepResult {
  Outcome outcome = Outcome::ok;
  std::vector<std::uint64_t> roots;   // as the trace format defines them for this outcome
  std::vector<std::uint64_t> via;     // of the first root, for an unwritten read
  std::vector<ReportedRoot> reports;  // one a root; empty unless SessionOptions::keep_reports
  std::vector<ReportedHop> hops;      // one an operation of `via`; likewise
  // Of the first root that has some: the operations that may have caused it, newest last, and how many more.
  std::vector<std::uint64_t> suspects;
  std::uint64_t suspects_dropped = 0;
  std::string_view error;                  // name of the first root's error, or of the program error; empty if ok
  std::string detail;                      // of a failed operation: more for a human, where there is more to say
  std::vector<std::uint8_t> bytes;         // of a read that is ok: all refs, one after the other
  std::uint64_t failures = 0;              // the graph's size after the operation
  std::uint64_t tags = 0;                  // sum of all tag counts after the operation
  std::uint64_t bytes_in_use = 0;          // of all buffers that have memory; SessionOptions::keep_reports
  std::vector<ReportedInput> claims;       // on the buffer or the first range named, after it (B1); likewise
  std::uint64_t fragments = 0;             // claimed ranges of the buffer it may write that has most, after it
  std::vector<sim::FiredFault> fired;      // faults that struck during the operation
  std::vector<CallsMade> calls;            // empty unless SessionOptions::keep_calls
  std::vector<std::uint32_t> schedule;     // streams in the order in which the device ran work during the operation
  std::vector<std::string> findings;       // misuse of the driver, races, undeclared accesses, broken invariants
  std::vector<std::string> failed_checks;  // of a `check`: what does not hold, one line each
};

// Which driver a session runs on.
enum class Backend : std::uint8_t { sim, cuda };

// Who injects a session's faults: the simulated driver itself, which can leave work half done, or sim::Injector, which
// stands before any driver's tables. On a real driver it is always the injector.
enum class Injection : std::uint8_t { in_the_driver, at_the_tables };

// There is no real driver to run on; what() says what is missing.
class NoGpu : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The highest number of a device that a command line takes: far above what a machine holds, and short to say.
inline constexpr int kMostDevice = 1023;

struct SessionOptions {
  Backend backend = Backend::sim;
  Injection injection = Injection::in_the_driver;
  int device = 0;                          // ordinal of the GPU, on a real driver
  std::uint64_t staging_bytes = 1U << 10;  // small, so that programs go round it; see gpu::CudaDeviceOptions
  sim::DeviceOrder* order = nullptr;       // of the simulated driver's device; see there
  // Faults of plan and operations strike no operation from this ordinal on; zero: they strike all.
  std::uint64_t spared_from = 0;
  bool validate = false;    // run every structure's own validation after each operation; slow
  bool keep_calls = false;  // say which driver calls each operation made
  // Say all of a report (StepResult::reports, hops), not its names alone, and what is claimed; grows with the run.
  bool keep_reports = false;
  bool keep_history =
      false;  // remember every operation and buffer, so that snapshots can name them; grows with the run
};

class Session {
 public:
  // `names` must outlive the session. Throws NoGpu if the real driver is wanted and missing,
  // std::runtime_error if the device itself cannot be made.
  Session(const Header& header, const NameTable& names, const SessionOptions& options = {});
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  // Executes the next operation.
  [[nodiscard]] StepResult execute(const Operation& operation);

  // The failure graph and its carriers as they are now. Requires: keep_history.
  [[nodiscard]] Snapshot snapshot() const;

  // Ends the run: frees everything, tears the device down. Returns what is left that should not be (failures in the
  // graph, tags, live driver objects), and findings; empty if all is well. Nothing may be executed afterwards.
  [[nodiscard]] std::vector<std::string> finish();

  // A hash over every step's outcome and counters so far; no address, id of a failure or time goes into it.
  [[nodiscard]] std::uint64_t fingerprint() const;
  [[nodiscard]] std::uint64_t operations() const;
  [[nodiscard]] std::uint64_t driver_calls() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace taintgraph::traces
