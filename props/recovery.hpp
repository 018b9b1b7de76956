// What a program must still be able to do after whatever went wrong in it: start the device again, give everything
// back, and run new work.
#pragma once

#include <cstdint>

#include "traces/program.hpp"

namespace taintgraph::props {

struct Recovery {
  traces::Program program;
  std::uint64_t first = 0;  // ordinal of the first operation added
  std::uint64_t reset = 0;  // ordinal of the reset among them
  std::uint64_t read = 0;   // ordinal of the read of new work's result: ok on any device that can be recovered
};

// `program` without its expectations and checks, followed by operations that end captures, graphs and buffers, reset
// the device (rejected on a healthy one), clean up, and write, launch, copy and read in a buffer of a new name on every
// stream.
[[nodiscard]] Recovery with_recovery(traces::Program program);

}  // namespace taintgraph::props
