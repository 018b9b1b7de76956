// The fault plan: data that says which driver calls fail, how and when (trace format, section 3).
//
// A plan holds two sources of faults. `strike()` arms a fault for the operation now running: every call of that
// operation that the fault selects fails, so that a retry within the operation fails too. Planned faults select calls
// over the whole run. Both are consulted at each driver call, the operation's own first, and every fault that fires is
// logged with call, ordinal and code; nothing is ever decided above the driver's table.
//
// A planned fault without `call` selects only calls that may return its kind (fault table), host code included. Whether
// a `one_in` fault strikes is a hash of the seed, its place in the plan and the number of the selected call, so one
// fault does not shift another.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/fault_table.hpp"

namespace taintgraph::sim {

struct Fault {
  gpu::FaultKind kind = gpu::FaultKind::invalid_value;
  std::optional<gpu::FaultWhen> when = std::nullopt;  // none: the kind's default
  std::uint64_t bytes_done = 0;                       // the first n bytes of the write set hold the result all the same
  std::optional<std::uint64_t> surface_after_calls = std::nullopt;  // async only

  friend bool operator==(const Fault&, const Fault&) = default;
};

// Classes of driver calls, by the operation they serve.
enum class CallClass : std::uint8_t { alloc, launch, copy, write, read, sync, event, capture, compile, other };

[[nodiscard]] CallClass class_of(gpu::Call call);
[[nodiscard]] std::optional<CallClass> class_from_string(std::string_view name);
[[nodiscard]] std::string_view to_string(CallClass call_class);

// A fault that strikes one call of an operation: what a recorded trace keeps of a plan's decision.
struct CallFault {
  gpu::Call call = gpu::Call::none;
  std::uint64_t nth = 1;  // the n-th call of that name that the operation makes, from 1
  Fault fault;

  friend bool operator==(const CallFault&, const CallFault&) = default;
};

struct PlannedFault {
  std::string id;                 // its own name, for the log
  std::optional<gpu::Call> call;  // selectors: all that are given must hold
  std::optional<CallClass> call_class;
  std::string kernel;
  std::optional<std::uint32_t> stream;
  std::string operation;     // its id, or "#n"
  std::uint64_t skip = 0;    // pass the first n calls selected
  std::uint64_t count = 1;   // then fail this many
  bool persistent = false;   // no limit
  std::uint64_t one_in = 0;  // 0: every selected call; n: one in n, drawn from the seed
  Fault fault;

  friend bool operator==(const PlannedFault&, const PlannedFault&) = default;
};

// One fault that fired, as the log keeps it.
struct FiredFault {
  std::uint64_t operation = 0;  // ordinal of the operation, from 1
  gpu::Call call = gpu::Call::none;
  std::uint64_t call_ordinal = 0;  // the n-th driver call of the run, from 1
  std::uint64_t nth = 0;           // the n-th call of that name within the operation, from 1
  gpu::FaultKind kind = gpu::FaultKind::invalid_value;
  gpu::FaultWhen when = gpu::FaultWhen::before;
  std::int32_t code = 0;
  std::uint64_t bytes_done = 0;
  std::optional<std::uint64_t> surface_after_calls;
  std::string planned;  // id of the planned fault, "#n" if it has none; empty if the operation's own

  friend bool operator==(const FiredFault&, const FiredFault&) = default;
};

// What is known about a driver call when it is made.
struct CallSite {
  gpu::Call call = gpu::Call::none;
  std::optional<std::uint32_t> stream;  // index of the stream, in order of creation
  std::string_view kernel;              // entry point, for launches and compile calls
  std::optional<CallClass> call_class =
      std::nullopt;  // of host code: the class of the operation's own call; else class_of(call)
};

class FaultPlan {
 public:
  FaultPlan() = default;
  FaultPlan(std::uint64_t seed, std::vector<PlannedFault> planned);

  // Opens operation `ordinal`, known as `id` (for the `operation` selector). Ends whatever was armed before. O(planned
  // faults).
  void begin_operation(std::uint64_t ordinal, std::string_view id);

  // Arms `fault` for the operation just begun: it strikes every call to one of `calls` that the operation makes
  // (Call::none among them: its host code).
  void strike(std::span<const gpu::Call> calls, const Fault& fault);

  // Arms faults for single calls of the operation just begun. `faults` must live until the next operation begins.
  void strike(std::span<const CallFault> faults);

  // Asks about one driver call; counts it, unless it only asks whether a stream is done. Such a call is struck only
  // where a planned fault names it. A result is logged as fired.
  [[nodiscard]] std::optional<FiredFault> decide(const CallSite& site) {
    if (site.call != gpu::Call::none && !is_poll(site.call)) ++calls_;
    if (asleep_) return std::nullopt;
    const auto call = static_cast<std::size_t>(site.call);
    ++made_[call];
    if (!endangered_.test(call)) return std::nullopt;
    return decide_endangered(site);
  }

  // While it sleeps nothing strikes and no call is counted as selected: the making of a device and its end are no part
  // of the program that a plan is about.
  void sleep(bool asleep) { asleep_ = asleep; }
  [[nodiscard]] bool asleep() const { return asleep_; }

  // Counts a driver call that had its answer already (a sticky error, say), so that no fault can strike it.
  void pass() { ++calls_; }

  // Asks whether host code of the running operation must throw (host_exception); logged if so.
  // Requires: `site` is of no call.
  [[nodiscard]] bool host_code_throws(const CallSite& site = {});

  [[nodiscard]] const std::vector<FiredFault>& fired() const { return fired_; }
  // The same, emptying the log: a long run would otherwise keep every fault it ever saw.
  [[nodiscard]] std::vector<FiredFault> take_fired();
  [[nodiscard]] std::uint64_t calls() const { return calls_; }
  // How many calls of this name a fault could have struck in the operation now running; none: how often its host code
  // ran.
  [[nodiscard]] std::uint64_t made(gpu::Call call) const { return made_[static_cast<std::size_t>(call)]; }
  // The ordinal of the operation now running; 0 before the first.
  [[nodiscard]] std::uint64_t operation() const { return operation_; }

 private:
  using Calls = std::bitset<gpu::kCallCount>;
  struct Armed {
    Calls calls;
    Fault fault;
  };
  // How a planned fault stands.
  struct Standing {
    Calls selectable;             // calls that it can select, seen by their names alone
    std::uint64_t operation = 0;  // the ordinal that it gives as "#n"; 0: none
    bool in_reach = true;         // it may select calls of the operation now running
    std::uint64_t selected = 0;   // calls it has selected so far
    std::uint64_t struck = 0;     // times it has fired
  };

  // How often a wait asks is a matter of time, and what a plan strikes is not to be.
  [[nodiscard]] static bool is_poll(gpu::Call call) { return call == gpu::Call::cuStreamQuery; }
  // Requires: the call is counted, and some fault may strike it.
  [[nodiscard]] std::optional<FiredFault> decide_endangered(const CallSite& site);
  [[nodiscard]] static Calls selectable(const PlannedFault& planned);
  // Requires: the fault is in reach and the call is selectable.
  [[nodiscard]] static bool selects(const PlannedFault& planned, const CallSite& site);
  // Counts one selected call of planned fault `index`; true if it is to fail.
  [[nodiscard]] bool strikes(std::size_t index);
  [[nodiscard]] const Fault* recorded_for(gpu::Call call) const;
  FiredFault fire(const Fault& fault, gpu::Call call, std::string_view planned);

  std::uint64_t seed_ = 0;
  std::vector<PlannedFault> planned_;
  std::vector<Standing> standings_;  // of the planned faults, in their order
  Calls endangered_;                 // calls of the operation that some fault may strike, planned or its own
  std::optional<Armed> armed_;
  std::span<const CallFault> recorded_;
  std::array<std::uint32_t, gpu::kCallCount> made_{};  // calls of each name by the operation
  std::uint64_t operation_ = 0;
  std::uint64_t calls_ = 0;
  bool asleep_ = false;
  std::vector<FiredFault> fired_;
};

}  // namespace taintgraph::sim
