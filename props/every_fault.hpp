// A program with every single fault that it could meet: each driver call that its operations make, each kind that the
// call may return, at the kind's own time, and host code that throws.
//
// Only operations with an id are failed. What calls there are is known from the runs without a fault, in every order of
// the device: until a fault strikes, a run is one of those.
#pragma once

#include <cstddef>
#include <vector>

#include "props/determinism.hpp"
#include "sim/fault_plan.hpp"
#include "traces/program.hpp"

namespace taintgraph::props {

// The n-th call of its name by one operation, and what it returns.
struct SingleFault {
  std::size_t operation = 0;  // index
  sim::CallFault fault;

  friend bool operator==(const SingleFault&, const SingleFault&) = default;
};

[[nodiscard]] traces::Program with_single_fault(traces::Program program, const SingleFault& fault);

// Runs the program without a fault. Requires: nothing in it fails.
[[nodiscard]] std::vector<SingleFault> single_faults_of(const Judge& judge, const traces::Program& program);

// Judges a program in every order, without a fault and then with each, until one run fails: that run, or the last one,
// with the counts of all.
[[nodiscard]] CheckedRun judge_every_fault(const Judge& judge, const traces::Program& program,
                                           const CheckOptions& options);

}  // namespace taintgraph::props
