// A Snapshot as one JSON object: everything that it holds, for other programs.
//
//   {"trace", "operations",
//    "failures": [{"id", "operation", "name", "what", "error", "call", "code", "detail", "sticky", "poison",
//    "carriers",
//                  "skips": [{"operation", "name", "kernel", "inputs": [{"buffer", "serial", "begin", "end",
//                  "failure"}],
//                             "outputs": [{"buffer", "serial", "begin", "end"}]}],
//                  "skips_total"}],
//    "buffers": [{"name", "serial", "size", "unallocated", "reason", "claims": [{"begin", "end", "failure"}]}]}
//
// "failure" and "reason" are ids of failures; "reason" stands on unallocated buffers only. A buffer of a skip that is
// not among "buffers" (by serial) was freed. Bytes of names that are no UTF-8 become U+FFFD.
#pragma once

#include <optional>
#include <string>

#include "traces/snapshot.hpp"

namespace taintgraph::viz {

// `focus`: only the failures that touch a buffer of this name, and the buffers that carry them.
[[nodiscard]] std::string json_text(const traces::Snapshot& snapshot, const std::optional<std::string>& focus = {});

}  // namespace taintgraph::viz
