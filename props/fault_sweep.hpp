// Every fault that one more driver call of a program could meet, one at a time: each entry of the tables, each kind
// that its row allows, the first call of it, the second and so on until there is no further one to strike; once for
// that call alone (transient) and once for it and all later ones (persistent). After each the program must recover.
//
// Judged by check(), that is by the reference model and everything it watches; then new work must run, unless the fault
// was one that only a new process recovers from. A crash or a hang is a finding.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "props/campaign.hpp"
#include "props/checker.hpp"
#include "props/disagreement.hpp"
#include "traces/program.hpp"

namespace taintgraph::props {

struct SweepFailure {
  sim::PlannedFault fault;
  Disagreement disagreement;
};

struct FaultSweepResult {
  std::uint64_t runs = 0;
  std::uint64_t struck = 0;  // runs in which the added fault fired
  std::uint64_t operations = 0;
  std::vector<SweepFailure> failures;  // at most FaultSweepOptions::most_failures
  bool finished = true;                // false: stopped early
};

struct FaultSweepOptions {
  std::size_t most_failures = 1;
  std::function<bool()> stopped;  // asked now and then, and ends what runs; may be empty
  Judge judge = check;            // runs each program and says whether all held
  std::chrono::milliseconds stall_limit{60'000};
};

[[nodiscard]] FaultSweepResult sweep_faults(const traces::Program& program, const FaultSweepOptions& options);

// The program with one more fault in front of its plan.
[[nodiscard]] traces::Program with_fault(traces::Program program, const sim::PlannedFault& fault);

}  // namespace taintgraph::props
