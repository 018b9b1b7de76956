// The failure graph and everything that carries it, at one moment, as plain data: what a picture or a report is drawn
// from. Order is fixed by the program (failures oldest first, buffers in order of allocation), so equal runs give equal
// snapshots.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace taintgraph::traces {

struct SnapshotRange {
  std::string buffer;
  std::uint64_t buffer_serial = 0;  // tells buffers of one name apart: the ordinal of the operation that allocated it
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct SnapshotClaim {
  std::uint64_t failure = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct SnapshotBuffer {
  std::string name;
  std::uint64_t serial = 0;  // ordinal of the operation that allocated it
  std::uint64_t size = 0;
  bool unallocated = false;           // its reservation failed, or it was lost
  std::uint64_t reason = 0;           // if unallocated: the failure that says why
  std::vector<SnapshotClaim> claims;  // in order of offset
};

struct SnapshotInput {
  SnapshotRange range;
  std::uint64_t failure = 0;
};

struct SnapshotSkip {
  std::uint64_t operation = 0;  // ordinal
  std::string operation_name;   // its id, or "#n"
  std::string kernel;
  std::vector<SnapshotInput> inputs;  // every claimed input, the first one decided
  std::vector<SnapshotRange> outputs;
};

// Work that may have caused an asynchronous error.
struct SnapshotSuspect {
  std::uint64_t operation = 0;  // ordinal
  std::string operation_name;   // its id, or "#n"
  std::string what;             // what that operation was, e.g. "launch iota"
  std::uint32_t stream = 0;
};

struct SnapshotFailure {
  std::uint64_t id = 0;
  std::uint64_t operation = 0;  // ordinal of the operation that caused it
  std::string operation_name;
  std::string what;   // what that operation was, e.g. "launch iota"
  std::string error;  // name of its error
  std::string call;   // the driver call that returned it, empty if none did
  std::int64_t code = 0;
  std::string detail;
  bool sticky = false;
  bool poison = false;                    // it holds the device
  std::uint64_t carriers = 0;             // allocations and unallocated records that carry it
  std::vector<SnapshotSkip> skips;        // newest last
  std::uint64_t skips_total = 0;          // dropped ones included
  std::vector<SnapshotSuspect> suspects;  // of one that poisoned the device; newest last
  std::uint64_t suspects_dropped = 0;     // older ones, not listed
};

struct Snapshot {
  std::string trace_name;
  std::uint64_t operations = 0;  // executed so far
  std::vector<SnapshotFailure> failures;
  std::vector<SnapshotBuffer> buffers;  // live ones, unallocated ones too
};

}  // namespace taintgraph::traces
