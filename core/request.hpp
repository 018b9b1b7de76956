// What a Runtime is asked to do, and how it says no.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "core/binding.hpp"
#include "core/failure.hpp"
#include "core/handle.hpp"

namespace taintgraph::core {

// Why an operation did not do what it was asked.
enum class Outcome : std::uint8_t {
  failed,     // it ran and failed, or could not start; what it was to write is claimed by its failure
  skipped,    // it would have read claimed bytes; what it was to write carries the first failure found (W1)
  unwritten,  // a read of claimed bytes (R1), or a host write to an unallocated buffer (W5)
  poisoned,   // refused: a sticky error holds the device (D1)
  rejected,   // a program error; nothing changed (R4)
  timeout,    // the wait that was asked for was given up; nothing is claimed, and nothing is known to have failed
};

// Every failure that is to blame, each once, in the order found (R1): of `failed` the operation's own; of `skipped` the
// one carried on; of `unwritten` and `poisoned` all that were found; of `rejected` and `timeout` none.
struct Several {
  std::vector<FailureReport> reports;
};

struct OperationError {
  Outcome outcome = Outcome::failed;
  Error error;  // of the first report; of `rejected`, the program error; of `timeout`, timed_out()
  Several several;
};

using Status = tl::expected<void, OperationError>;

// Host code that an operation runs inside its write scope, once its work is submitted or, if it waits, once the wait is
// over. `alloc` runs it before it reserves, `capture_begin` inside the window, `capture_end` when there is a graph. It
// does not run if the operation fails, is skipped or refused before that, nor if there is nothing to submit or wait
// for: a copy, write or read of no bytes, a stream that waits for itself, the move of an empty buffer (unless to a
// new page), and a recorded copy of no bytes or between buffers that both lack memory.
//
// May throw: the exception reaches the caller (but of `alloc`, see there) and the write set stays claimed (W2); an
// operation that writes nothing claims nothing. Must not use the runtime that runs it.
class HostCode {
 public:
  virtual void run() = 0;

 protected:
  ~HostCode() = default;
};

struct AllocRequest {
  std::uint64_t size_bytes = 0;
  bool from_new_page = false;  // ask the driver even where free memory would do
  Correlation correlation{};
  HostCode* host_code = nullptr;  // an exception of it ends here, as a failed reservation: a buffer must come back (W5)
};

// A buffer comes back in any case (W5): without an error it is ready; with one it is unallocated, and says why when
// used.
struct Allocation {
  Handle handle;
  Status status;
};

struct WriteRequest {
  WeakBinding to{};
  // As many as the range has; free to change once the call returns. Of a buffer without memory (W5) they are counted,
  // and never looked at.
  std::span<const std::byte> bytes{};
  StreamIndex stream{};
  Correlation correlation{};
  HostCode* host_code = nullptr;
};

struct LaunchRequest {
  std::string_view kernel;
  std::span<const WeakBinding> reads{};
  std::span<const WeakBinding> writes{};
  std::span<const std::uint64_t> scalars{};
  StreamIndex stream{};
  Correlation correlation{};
  HostCode* host_code = nullptr;
};

struct CopyRequest {
  WeakBinding from{};
  WeakBinding to{};
  StreamIndex stream{};
  Correlation correlation{};
  HostCode* host_code = nullptr;
};

struct ReadPiece {
  WeakBinding from{};
  std::byte* to = nullptr;  // room for from.range.size() bytes
};

struct ReadRequest {
  std::span<const ReadPiece> pieces{};
  StreamIndex stream{};
  Correlation correlation{};
  HostCode* host_code = nullptr;  // an exception of it claims nothing
};

struct SyncRequest {
  std::optional<StreamIndex> stream = std::nullopt;  // none: every stream
  // Give up after so long; none: after the device's patience.
  std::optional<std::uint64_t> deadline_nanoseconds = std::nullopt;
  Correlation correlation{};
  HostCode* host_code = nullptr;  // as of a read; not run by a wait that was given up
};

struct WaitRequest {
  StreamIndex stream{};  // its later work comes after
  StreamIndex on{};      // what this one has queued so far
  Correlation correlation{};
  HostCode* host_code = nullptr;  // as of a read
};

// A graph of a runtime. Counted up, never used twice.
enum class GraphId : std::uint64_t { none = 0 };

// A graph, or why there is none.
using Captured = tl::expected<GraphId, OperationError>;

struct CaptureRequest {
  StreamIndex stream{};
  Correlation correlation{};
  HostCode* host_code = nullptr;
};

struct ReplayRequest {
  GraphId graph = GraphId::none;
  StreamIndex stream{};
  Correlation correlation{};
  HostCode* host_code = nullptr;
};

struct RelocateRequest {
  BufferId buffer{};
  bool from_new_page = false;  // as of AllocRequest
  StreamIndex stream{};        // the bytes are copied on; if it captures, on the first that does not
  Correlation correlation{};
  HostCode* host_code = nullptr;
};

}  // namespace taintgraph::core
