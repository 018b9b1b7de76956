// What one input of the libFuzzer target may cost. A good trace may ask for a terabyte or for a day's work; libFuzzer
// would report that as a hang or as memory exhausted, and nothing could be learnt from it.
//
// Limits the program alone, by what its operations say, and is generous: each limit is far above what drawn programs
// need. It says nothing of whether an operation will be rejected.
#pragma once

#include <cstddef>
#include <cstdint>

#include "traces/program.hpp"

namespace taintgraph::props {

inline constexpr std::size_t kMaxFuzzedOperations = 96;
// Together over all reservations: the model looks at every live byte after every operation.
inline constexpr std::uint64_t kMaxFuzzedBytes = 16U << 10;
inline constexpr std::uint32_t kMaxFuzzedStreams = 8;

// False if making the device would cost too much, whatever runs on it.
[[nodiscard]] bool device_within_budget(const traces::Header& header);

// How many operations from the first on are within the budget: at most kMaxFuzzedOperations, reserving at most
// kMaxFuzzedBytes, and working on a bounded number of bytes. A reservation larger than the device counts for nothing,
// since it cannot be had.
[[nodiscard]] std::size_t operations_within_budget(const traces::Program& program);

// The operations behind the budget are dropped, and with them what the program says of its end.
void cut_to_budget(traces::Program& program);

}  // namespace taintgraph::props
