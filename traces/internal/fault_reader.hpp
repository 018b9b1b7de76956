// Reads faults: an operation's own ("fault"), and the entries of a header's plan ("faults").
#pragma once

#include <optional>
#include <vector>

#include "sim/fault_plan.hpp"
#include "traces/internal/value_reader.hpp"

namespace taintgraph::traces::internal {

// A kind of fault; `injectable`: one that a driver may be told to return.
enum class FaultUse : std::uint8_t { injected, expected };
[[nodiscard]] std::optional<gpu::FaultKind> read_fault_kind(ValueReader& in, FaultUse use);

// "kind", or {"kind":...,"when":...,"bytes_done":n,"surface":{"after_calls":n}}.
[[nodiscard]] std::optional<sim::Fault> read_fault(ValueReader& in);

// [{"call":"cuMemAlloc","nth":1,"kind":...}, ...]: what a plan decided during an operation.
[[nodiscard]] std::vector<sim::CallFault> read_fired(ValueReader& in);

// The list of a header.
[[nodiscard]] std::vector<sim::PlannedFault> read_fault_plan(ValueReader& in);

}  // namespace taintgraph::traces::internal
