// What the reference model says an operation must answer.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "props/model_failures.hpp"
#include "traces/operation.hpp"

namespace taintgraph::props {

// What a read is told of a root besides its name (R2).
struct Told {
  std::uint64_t carriers = 0;
  std::uint64_t dropped_records = 0;
};

// Operations are named by ordinal, counted from 1; a failure is named by the operation that caused it.
struct Prediction {
  traces::Outcome outcome = traces::Outcome::ok;
  std::vector<std::uint64_t> roots;   // as the trace format defines them for this outcome
  std::vector<std::uint64_t> via;     // of the first root, for an unwritten read
  std::vector<reference::Skip> hops;  // the skips that `via` names
  std::vector<Told> told;             // of each root, for a read
  // Of the first root that has some: who may have caused it, newest last, and how many more.
  std::vector<std::uint64_t> suspects;
  std::uint64_t suspects_dropped = 0;
  bool suspects_open = false;  // nobody can say
  // Of a read that is ok: all refs laid end to end. kUnknown: any value will do, for nobody wrote the byte, or
  // something whose result nobody can know did.
  reference::Values bytes;
  std::string_view error;          // of the first root; empty if there is none, or if it may be one of several
  std::uint64_t failures = 0;      // in the graph after the operation (C1)
  std::uint64_t tags = 0;          // sum of all tag counts after the operation (C2)
  std::uint64_t bytes_in_use = 0;  // by buffers that have memory
  std::vector<reference::ClaimedInput> claims;  // on the buffer or the first range that the operation names (B1)
  bool outcome_open = false;                    // another answer is right too: see Model::otherwise()
};

}  // namespace taintgraph::props
