// Snapshots made by hand, for tests of this folder: each is what the runtime gives after a short program, and says
// which.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "traces/snapshot.hpp"

namespace taintgraph::viz {

inline traces::SnapshotFailure a_failure(std::uint64_t id, std::uint64_t operation, std::string name,
                                         std::string what) {
  traces::SnapshotFailure failure;
  failure.id = id;
  failure.operation = operation;
  failure.operation_name = std::move(name);
  failure.what = std::move(what);
  failure.error = "launch_out_of_resources";
  failure.call = "cuLaunchKernel";
  failure.code = 701;
  failure.carriers = 1;
  return failure;
}

inline traces::SnapshotBuffer a_buffer(std::string name, std::uint64_t serial, std::uint64_t size,
                                       std::vector<traces::SnapshotClaim> claims) {
  traces::SnapshotBuffer buffer;
  buffer.name = std::move(name);
  buffer.serial = serial;
  buffer.size = size;
  buffer.claims = std::move(claims);
  return buffer;
}

// Three buffers; P fails to fill X; K1 and K2 would copy X's halves into Y's, K3 half of Y into the middle of Z.
inline traces::Snapshot two_paths_into_one_buffer() {
  traces::Snapshot snapshot;
  snapshot.trace_name = "two-paths-into-one-buffer";
  snapshot.operations = 13;
  snapshot.buffers = {a_buffer("X", 1, 16, {{1, 0, 16}}), a_buffer("Y", 2, 16, {{1, 0, 16}}),
                      a_buffer("Z", 3, 16, {{1, 4, 12}})};
  traces::SnapshotFailure failure = a_failure(1, 5, "P", "launch iota");
  failure.carriers = 3;
  failure.skips = {{6, "K1", "copy", {{{"X", 1, 0, 8}, 1}}, {{"Y", 2, 0, 8}}},
                   {7, "K2", "copy", {{{"X", 1, 8, 16}, 1}}, {{"Y", 2, 8, 16}}},
                   {10, "K3", "copy", {{{"Y", 2, 0, 8}, 1}}, {{"Z", 3, 4, 12}}}};
  failure.skips_total = 3;
  snapshot.failures = {failure};
  return snapshot;
}

// Everything that has a look of its own at once: a reservation that failed, fresh memory that was never written,
// poison, a link of a chain that was freed since, bytes that were written again, dropped records, an untouched buffer.
inline traces::Snapshot one_of_each() {
  traces::Snapshot snapshot;
  snapshot.trace_name = "one of each";
  snapshot.operations = 40;
  traces::SnapshotFailure reservation = a_failure(3, 4, "B", "alloc B, 64 bytes");
  reservation.error = "out_of_memory";
  reservation.call = "cuMemAlloc";
  reservation.code = 2;
  reservation.carriers = 2;
  reservation.skips = {{9, "L", "copy", {{{"B", 4, 0, 64}, 3}}, {{"C", 5, 0, 64}}}};
  reservation.skips_total = 1;
  traces::SnapshotFailure fresh = a_failure(5, 6, "#6", "alloc N, 32 bytes");
  fresh.error = "never_written";
  fresh.call.clear();
  fresh.code = 0;
  traces::SnapshotFailure root = a_failure(8, 11, "P", "launch gather");
  root.error = "compile_error";
  root.call = "nvrtcCompileProgram";
  root.code = 6;
  root.detail = "gather.cu(12): error: identifier \"sourc\" is undefined\n1 error detected";
  root.skips = {{13, "K1", "scale", {{{"gone", 7, 0, 16}, 8}}, {{"D", 10, 0, 16}}},
                {15, "K2", "add", {{{"D", 10, 0, 16}, 8}, {{"N", 6, 0, 32}, 5}}, {{"E", 12, 0, 128}}}};
  root.skips_total = 21;
  traces::SnapshotFailure poison = a_failure(9, 30, "S", "sync");
  poison.error = "assert";
  poison.call = "cuCtxSynchronize";
  poison.code = 710;
  poison.sticky = true;
  poison.poison = true;
  poison.suspects = {{27, "#30", "copy", 0}, {28, "T", "launch trap", 2}};
  poison.suspects_dropped = 7;
  snapshot.failures = {reservation, fresh, root, poison};

  traces::SnapshotBuffer unallocated = a_buffer("B", 4, 64, {});
  unallocated.unallocated = true;
  unallocated.reason = 3;
  snapshot.buffers = {unallocated,
                      a_buffer("C", 5, 64, {{3, 0, 64}}),
                      a_buffer("N", 6, 32, {{5, 0, 32}}),
                      a_buffer("D", 10, 16, {}),
                      a_buffer("E", 12, 128, {{8, 0, 40}, {9, 60, 64}, {8, 64, 128}}),
                      a_buffer("untouched", 14, 256, {})};
  return snapshot;
}

// `count` failures of one buffer each; every third one was passed on by a skip into a buffer of its own.
inline traces::Snapshot many_failures(std::uint64_t count) {
  traces::Snapshot snapshot;
  snapshot.trace_name = "many failures";
  snapshot.operations = 4 * count;
  for (std::uint64_t at = 1; at <= count; ++at) {
    traces::SnapshotFailure failure = a_failure(at, 4 * at, "F" + std::to_string(at), "launch fill");
    snapshot.buffers.push_back(a_buffer("in" + std::to_string(at), 4 * at - 3, 64, {{at, 0, 64}}));
    if (at % 3 == 0) {
      const std::string target = "out" + std::to_string(at);
      snapshot.buffers.push_back(a_buffer(target, 4 * at - 2, 64, {{at, 16, 48}}));
      failure.carriers = 2;
      failure.skips = {{4 * at + 1,
                        "K" + std::to_string(at),
                        "copy",
                        {{{"in" + std::to_string(at), 4 * at - 3, 0, 32}, at}},
                        {{target, 4 * at - 2, 16, 48}}}};
      failure.skips_total = 1;
    }
    snapshot.failures.push_back(failure);
  }
  return snapshot;
}

// One failure that claims all of `count` buffers itself.
inline traces::Snapshot many_carriers(std::uint64_t count) {
  traces::Snapshot snapshot;
  snapshot.trace_name = "many carriers";
  snapshot.operations = count + 1;
  traces::SnapshotFailure failure = a_failure(1, count + 1, "P", "launch fill");
  failure.carriers = count;
  snapshot.failures = {failure};
  for (std::uint64_t at = 1; at <= count; ++at) {
    snapshot.buffers.push_back(a_buffer("A" + std::to_string(at), at, 64, {{1, 0, 64}}));
  }
  return snapshot;
}

}  // namespace taintgraph::viz
