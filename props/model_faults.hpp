// What the faults that fired during an operation mean for it.
//
// The driver decides which calls fail; which of them an operation can survive is a rule of the backend's contract: an
// event that cannot be recorded costs only a wait on the host, a reservation is retried once, the operation's own call
// fails it. Where the contract leaves it open (a fault in housekeeping that the operation happened to do), so does
// this.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "gpu/fault_table.hpp"
#include "props/model_failures.hpp"
#include "sim/fault_plan.hpp"
#include "traces/operation.hpp"

namespace taintgraph::props::reference {

// A fault that the device causes on its own time; it shows at a later operation.
struct AsyncFault {
  gpu::FaultKind kind = gpu::FaultKind::unknown;
  bool doubtful = false;            // may never be caused: the work was perhaps not submitted, or comes after a fault
  bool late = false;                // may stay hidden until something waits for the faulted work
  std::set<std::uint32_t> streams;  // whose work comes after the faulted work: waiting for them is waiting for it
  std::vector<Range> reads;         // by the faulted work, and by all that is known to come after it:
  std::vector<Range> writes;        // whoever touches these comes after it too (W6)
  bool apart = false;        // on a stream that is none of the program's: waiting for all of those is no wait for it
  std::uint32_t stream = 0;  // the faulted work's own,
  std::uint64_t place = 0;   // of which it is the n-th piece of work; 0: of none
};

// How much of its write set failed work changed all the same.
enum class Effect : std::uint8_t { nothing, first_bytes, everything, unknown };

// A fault of an operation itself.
struct Strike {
  gpu::FaultKind kind = gpu::FaultKind::invalid_value;
  Effect effect = Effect::nothing;
  std::uint64_t bytes_done = 0;  // with Effect::first_bytes
  gpu::Call call = gpu::Call::none;
  gpu::FaultWhen when = gpu::FaultWhen::before;  // async: once the device does the work
};

struct Verdict {
  std::optional<Strike> fails;     // the operation fails with this, if it gets as far as doing its work
  std::optional<Strike> may_fail;  // it may fail with this before it comes to that, or not
  std::optional<AsyncFault> leaves_behind;
  std::vector<AsyncFault> more_behind;  // of other calls that the operation made
  bool assumed = false;                 // `fails` is the operation's own fault, which has not fired: it had no turn
  std::optional<Strike> unordered;      // an event could not be used: without waiting there is no order
  bool unordered_open = false;          // several could not, of different errors
  bool behind_runs = false;             // what it leaves behind strikes when its work runs
  bool elsewhere = false;               // a planned fault struck a call that is not the operation's very work
  bool planned_behind = false;  // ...by a planned fault that fired, so whether or not the operation did its own work
  bool work_behind = false;     // ...by the work itself, so a recorded one does at each replay
};

[[nodiscard]] Cause cause_of(gpu::FaultKind kind);

// Whether one of `fired` may leave something to be ended by operations to come: there was no context to end it in, or
// nobody could say whether a window had opened.
[[nodiscard]] bool may_owe(std::span<const sim::FiredFault> fired);

// A call that may come before all that an operation is about. The backend begins everything by making the context
// current, by asking of streams that may be in a window that failed to open, and by ending what is owed, if that may be
// anything.
[[nodiscard]] bool may_come_first(traces::OpKind kind, gpu::Call call, bool owing);

// An error of capturing, which leaves a capture unusable.
[[nodiscard]] bool invalidates_captures(gpu::FaultKind kind);

// Whether one of `fired` invalidates every open capture: an error of capturing from a call that is about no stream.
[[nodiscard]] bool invalidates_every_capture(std::span<const sim::FiredFault> fired);
// Of faults during a capture_end: the same for its own window, which is closed when its graph is made or given up.
[[nodiscard]] bool invalidates_what_it_ends(std::span<const sim::FiredFault> fired);

// What `fired`, the faults during `operation`, and its own fault make of it. The operation's own fault always strikes:
// it counts even if `fired` does not show it. `documented`: every asynchronous fault may surface late. `owing`: this or
// an earlier operation may have left something to be ended. `recorded`: it is recorded, if it is work.
[[nodiscard]] Verdict judge(const traces::Operation& operation, std::span<const sim::FiredFault> fired, bool documented,
                            bool owing, bool recorded);

}  // namespace taintgraph::props::reference
