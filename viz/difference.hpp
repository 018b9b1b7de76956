// What distinguishes two snapshots: failures and claims that only one of them has.
//
// Failures are compared by what they say (operation, error, call), never by id; claims by the name of their buffer,
// their bytes and their failure. Several buffers of one name are compared together.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "traces/snapshot.hpp"

namespace taintgraph::viz {

struct Difference {
  std::set<std::size_t> new_failures;     // positions in the first snapshot's failures
  std::set<std::size_t> changed_buffers;  // positions in the first snapshot's buffers whose claims are not the second's
  // Only in the second, in words: failures ("P failed"), then claims ("X [0, 8), claimed by P").
  std::vector<std::string> missing;

  [[nodiscard]] bool empty() const { return new_failures.empty() && changed_buffers.empty() && missing.empty(); }
};

[[nodiscard]] Difference difference(const traces::Snapshot& first, const traces::Snapshot& second);

}  // namespace taintgraph::viz
