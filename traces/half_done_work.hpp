// Faults that leave a part of a call's work done (`bytes_done`). Only the simulated driver can: of a real one a call
// can be made or not be made, and nothing in between.
#pragma once

#include <algorithm>
#include <memory>

#include "traces/program.hpp"

namespace taintgraph::traces {

[[nodiscard]] inline bool leaves_work_half_done(const Header& header) {
  return std::any_of(header.faults.begin(), header.faults.end(),
                     [](const sim::PlannedFault& each) { return each.fault.bytes_done != 0; });
}

[[nodiscard]] inline bool leaves_work_half_done(const Operation& operation) {
  if (operation.fault && operation.fault->bytes_done != 0) return true;
  if (!operation.annotations) return false;
  const auto& fired = operation.annotations->fired;
  return std::any_of(fired.begin(), fired.end(), [](const sim::CallFault& each) { return each.fault.bytes_done != 0; });
}

[[nodiscard]] inline bool leaves_work_half_done(const Program& program) {
  return leaves_work_half_done(program.header) ||
         std::any_of(program.operations.begin(), program.operations.end(),
                     [](const Operation& each) { return leaves_work_half_done(each); });
}

// The same program with such faults doing nothing of their call's work. Of faults that a recording holds nothing is
// changed.
inline void leave_no_work_half_done(Program& program) {
  for (sim::PlannedFault& each : program.header.faults) each.fault.bytes_done = 0;
  for (Operation& each : program.operations) {
    if (each.fault) each.fault->bytes_done = 0;
  }
}

}  // namespace taintgraph::traces
