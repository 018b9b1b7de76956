// Which faults can strike which operation: what the drawing of faults chooses from. Made from gpu::fault_table().
#pragma once

#include <span>

#include "gpu/fault_table.hpp"
#include "traces/operation.hpp"

namespace taintgraph::props {

// A driver call that operations make, and the kinds of operation that make it, the usual one first.
struct CallMakers {
  gpu::Call call = gpu::Call::none;
  std::span<const traces::OpKind> makers;
};

// The calls that programs drawn blindly make often enough for a planned fault to meet them.
[[nodiscard]] std::span<const CallMakers> calls_to_plan_for();

// Kinds that the call may return and that pass: none of them poisons the context.
[[nodiscard]] std::span<const gpu::FaultKind> passing_faults_of(gpu::Call call);

// The kinds of fault that pass and that the generator puts on an operation of this kind: those which the call that they
// strike may return. In the table's order; empty if there are none.
[[nodiscard]] std::span<const gpu::FaultKind> faults_for(traces::OpKind kind);
// The same for sticky kinds that no reset recovers from.
[[nodiscard]] std::span<const gpu::FaultKind> fatal_faults_for(traces::OpKind kind);

}  // namespace taintgraph::props
