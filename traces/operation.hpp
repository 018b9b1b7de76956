// One operation of a trace, as plain data: what a line of the file says, with names interned.
//
// Every field means what the trace format says of it; fields that an operation does not have keep their defaults. An
// Operation is independent of everything but the fault vocabulary: it knows no runtime and no file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/fault_plan.hpp"

namespace taintgraph::traces {

// An interned string of one NameTable. Buffers, graphs and operation ids are names.
enum class NameId : std::uint32_t { none = 0xFFFFFFFF };

enum class OpKind : std::uint8_t {
  alloc,
  free,
  write,
  launch,
  copy,
  read,
  sync,
  wait,
  trust,
  cleanup,
  relocate,
  capture_begin,
  capture_end,
  replay,
  destroy,
  reset,
  check,
};
inline constexpr std::size_t kOpKindCount = 17;

[[nodiscard]] std::string_view to_string(OpKind kind);
[[nodiscard]] std::optional<OpKind> op_from_string(std::string_view name);

enum class Outcome : std::uint8_t { ok, failed, skipped, unwritten, poisoned, rejected, timeout };
inline constexpr std::size_t kOutcomeCount = 7;

[[nodiscard]] std::string_view to_string(Outcome outcome);
[[nodiscard]] std::optional<Outcome> outcome_from_string(std::string_view name);

// "A" or ["A", begin, end]: bytes [begin, end) of a buffer, or all of it.
struct Ref {
  NameId buffer = NameId::none;
  bool whole = true;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  friend bool operator==(const Ref&, const Ref&) = default;
};

enum class CleanupMode : std::uint8_t { explicit_, periodic };

struct Expectation {
  std::optional<Outcome> outcome;
  std::optional<std::vector<std::uint8_t>> bytes;
  std::optional<std::uint8_t> fill;
  std::optional<std::vector<NameId>> roots;  // operation ids; "#n" is interned as written
  std::optional<std::vector<NameId>> via;
  std::optional<gpu::FaultKind> error;

  friend bool operator==(const Expectation&, const Expectation&) = default;
};

struct Check {
  std::optional<std::uint64_t> failures;
  std::optional<std::uint64_t> tags;
  std::optional<std::uint64_t> pages;
  std::optional<std::uint64_t> bytes_in_use;
  std::vector<Ref> clean;
  std::vector<std::pair<Ref, NameId>> claimed;

  friend bool operator==(const Check&, const Check&) = default;
};

// What most operations of a long trace do not carry; shared, because operations are copied when programs shrink.
struct Annotations {
  std::optional<Expectation> expect;
  std::optional<Check> check;           // of a `check`
  std::vector<std::uint32_t> schedule;  // streams in the order in which the device ran work during this operation
  std::vector<sim::CallFault> fired;    // faults that a plan struck single calls of this operation with
  bool has_schedule = false;            // an empty schedule is a decision too
  std::string note;
  std::string extensions;  // the fields that begin with "x-", as JSON members: "\"x-a\":1,\"x-b\":2"

  friend bool operator==(const Annotations&, const Annotations&) = default;
};

struct Operation {
  OpKind kind = OpKind::check;
  CleanupMode cleanup = CleanupMode::explicit_;
  bool has_bytes = false;   // a write gives `bytes` rather than `fill`
  bool has_stream = false;  // `sync` without a stream waits for the whole device
  std::uint8_t fill = 0;
  std::uint16_t kernel = 0;  // index into gpu::kernel_catalog()
  std::uint32_t stream = 0;
  std::uint32_t on = 0;  // `wait`
  NameId id = NameId::none;
  NameId buffer = NameId::none;           // alloc, free, relocate
  NameId graph = NameId::none;            // capture_end, replay, destroy
  std::uint64_t size = 0;                 // alloc, bytes
  std::optional<std::uint64_t> deadline;  // sync: virtual nanoseconds from its start
  std::uint64_t scalar = 0;               // the kernel's one by-value argument, 0 if it has none
  std::vector<Ref> reads;                 // launch: reads; copy: its `from`; read: its refs, in order
  std::vector<Ref> writes;                // launch: writes; copy, write, trust: its `to`
  std::vector<std::uint8_t> bytes;
  std::optional<sim::Fault> fault;
  std::shared_ptr<const Annotations> annotations;  // may be null
  std::uint64_t line = 0;                          // where it stood in its file, 0 if nowhere

  [[nodiscard]] const Expectation* expect() const {
    return annotations && annotations->expect ? &*annotations->expect : nullptr;
  }
};

// All fields but `line`, annotations by value; `has_stream` only where it means something, in a `sync`.
[[nodiscard]] bool same(const Operation& a, const Operation& b);

// What an operation is about: the buffer that it names, else the first range that it writes, else the first it reads.
// Nothing of an operation that names no memory.
[[nodiscard]] std::optional<Ref> subject_of(const Operation& operation);

}  // namespace taintgraph::traces
