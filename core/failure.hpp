// What is known about a failure beyond its root error: the skips that it caused, and the report that a read gets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/binding.hpp"
#include "core/error.hpp"
#include "core/ids.hpp"

namespace taintgraph::core {

// An input that was claimed when a launch was judged, and by which failure (the lowest claimed byte's).
struct ClaimedInput {
  WeakBinding binding;  // the whole declared range
  FailureId failure;
};

// One launch that a failure stopped (W1). Holds ids and ranges, never a handle: a record pins no memory.
struct SkipRecord {
  std::string kernel;                // what did not run
  Correlation correlation{};         // the caller's number for it
  std::vector<ClaimedInput> inputs;  // every claimed input in argument order; the first one decided
  std::vector<WeakBinding> outputs;  // what it would have written, and now carries the failure
};

// Work that may have caused an asynchronous error: it was queued, and nothing has proved it since.
struct Suspect {
  std::string kernel;         // what it was; a long name is cut off
  Correlation correlation{};  // the caller's number for it
  StreamIndex stream{};
};

// All that may be to blame, newest last; of each stream a bounded number, the others counted.
struct Suspects {
  std::vector<Suspect> newest;
  std::uint64_t dropped = 0;
};

// What a read is told about one failure among those that claim its bytes (R2).
struct FailureReport {
  FailureId failure;
  std::uint64_t carriers = 0;  // allocations (and unallocated buffers) that carry it
  Correlation correlation{};   // of the operation that failed
  Error root;
  std::vector<SkipRecord> chain;      // newest skip first, back towards the root; at most ErrorGraph::kSkipRecords long
  std::uint64_t dropped_records = 0;  // skips no longer on record, so that the chain may stop before the root
  Suspects suspects;                  // of a failure that poisoned the device: what may have caused it (D1)
};

// One line for the root, one a hop and a suspect, none ended by a newline behind the last; bounded in length whatever
// the names and counts are. Operations go by the caller's correlation numbers, buffers by slot and generation of their
// ids.
[[nodiscard]] std::string to_string(const FailureReport& report);

}  // namespace taintgraph::core
