// Writes the members that every fault has, planned or an operation's own.
#pragma once

#include "gpu/fault_table.hpp"
#include "sim/fault_plan.hpp"
#include "traces/internal/json_line.hpp"
#include "traces/internal/spelling.hpp"

namespace taintgraph::traces::internal {

inline void write_fault_members(JsonLine& line, const sim::Fault& fault) {
  line.member("kind", gpu::row(fault.kind).name);
  if (fault.when) line.member("when", word_of(kWhenWords, *fault.when));
  if (fault.bytes_done != 0) line.member("bytes_done", fault.bytes_done);
  if (!fault.surface_after_calls) return;
  line.key("surface");
  line.open_object();
  line.member("after_calls", *fault.surface_after_calls);
  line.close_object();
}

}  // namespace taintgraph::traces::internal
