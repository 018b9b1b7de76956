// Which driver calls an operation's own fault strikes: a trace names an operation and a kind of failure, a driver only
// knows calls.
#pragma once

#include <span>

#include "gpu/fault_table.hpp"
#include "traces/operation.hpp"

namespace taintgraph::traces {

// The calls of an operation of this kind that a fault of `kind` strikes. Where a call of the operation may return the
// kind (the fault table knows), it is that call; else it is the operation's main call, since a driver may answer
// anything. Call::none stands for host code. Static storage; empty if the operation makes no call that could fail.
[[nodiscard]] std::span<const gpu::Call> calls_struck(OpKind operation, gpu::FaultKind kind);

// The operation's main call; Call::none if it makes no call that could fail.
[[nodiscard]] gpu::Call main_call(OpKind operation);

// False for what only a compiler answers, on an operation that compiles nothing: no call of it could return the kind.
[[nodiscard]] bool may_stand_on(OpKind operation, gpu::FaultKind kind);

// The same for one call of either table; anything may be the answer of a call of the right one.
[[nodiscard]] bool may_strike(gpu::Call call, gpu::FaultKind kind);

// True if the fault strikes before the kernel is launched, while it is compiled, loaded or looked up: work that a
// backend does only once, so that it has to be made to do it again.
[[nodiscard]] bool strikes_loading(OpKind operation, gpu::FaultKind kind);

}  // namespace taintgraph::traces
