#include "props/every_fault.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>

#include "props/order_search.hpp"
#include "props/random.hpp"

namespace taintgraph::props {
namespace {

using traces::Program;

// How often each operation made each call, at most, over all orders.
using Calls = std::vector<std::map<gpu::Call, std::uint64_t>>;

// The same judge, noting the calls of what it runs.
CheckedRun judge_and_note(const Judge& judge, const Program& program, const CheckOptions& options, Calls& calls) {
  calls.assign(program.operations.size(), {});
  CheckOptions noting = options;
  noting.session.keep_calls = true;
  noting.after_step = [&](std::uint64_t ordinal, const traces::StepResult& result) {
    for (const traces::CallsMade& made : result.calls) {
      std::uint64_t& most = calls[static_cast<std::size_t>(ordinal - 1)][made.call];
      most = std::max(most, made.times);
    }
    if (options.after_step) options.after_step(ordinal, result);
  };
  return judge_every_order(judge, program, noting);
}

std::vector<gpu::FaultKind> kinds_of(gpu::Call call) {
  std::vector<gpu::FaultKind> kinds;
  for (const gpu::FaultRow& row : gpu::fault_table()) {
    const bool host_code = row.kind == gpu::FaultKind::host_exception;
    if (!row.injectable || host_code != (call == gpu::Call::none)) continue;
    if (host_code || gpu::may_return(call, row.kind)) kinds.push_back(row.kind);
  }
  return kinds;
}

std::vector<SingleFault> faults_at(const Program& program, const Calls& calls) {
  static const auto kKinds = [] {
    std::array<std::vector<gpu::FaultKind>, gpu::kCallCount> kinds;
    for (std::size_t i = 0; i < kinds.size(); ++i) kinds[i] = kinds_of(static_cast<gpu::Call>(i));
    return kinds;
  }();
  std::vector<SingleFault> faults;
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    if (program.operations[i].id == traces::NameId::none) continue;
    for (const auto& [call, times] : calls[i]) {
      for (std::uint64_t nth = 1; nth <= times; ++nth) {
        for (const gpu::FaultKind kind : kKinds[static_cast<std::size_t>(call)]) {
          faults.push_back({i, {call, nth, {.kind = kind}}});
        }
      }
    }
  }
  return faults;
}

void strike(traces::Operation& operation, const sim::CallFault& fault) {
  if (fault.call == gpu::Call::none) {  // not a call: the operation's own
    operation.fault = fault.fault;
    return;
  }
  traces::Annotations annotations;
  annotations.fired = {fault};
  operation.annotations = std::make_shared<const traces::Annotations>(std::move(annotations));
}

}  // namespace

Program with_single_fault(Program program, const SingleFault& fault) {
  strike(program.operations[fault.operation], fault.fault);
  return program;
}

std::vector<SingleFault> single_faults_of(const Judge& judge, const Program& program) {
  Calls calls;
  (void)judge_and_note(judge, program, {}, calls);
  return faults_at(program, calls);
}

CheckedRun judge_every_fault(const Judge& judge, const Program& program, const CheckOptions& options) {
  Calls calls;
  CheckedRun total = judge_and_note(judge, program, options, calls);
  Program struck = program;
  for (const SingleFault& fault : faults_at(program, calls)) {
    if (total.disagreement) break;
    traces::Operation& operation = struck.operations[fault.operation];
    strike(operation, fault.fault);
    CheckedRun run = judge_every_order(judge, struck, options);
    operation = program.operations[fault.operation];
    run.operations += total.operations;
    run.faults = total.faults + 1;
    run.fingerprint = mix(total.fingerprint, run.fingerprint);
    run.runs += total.runs;
    run.orders += total.orders;
    run.features.add(total.features);
    run.cells.add(total.cells);
    run.shape.add(total.shape);
    total = std::move(run);
  }
  return total;
}

}  // namespace taintgraph::props
