// What the kernels of the trace language take and compute, said once more in plain host code.
//
// Values nobody can know go in as kUnknown and come out as kUnknown wherever they matter.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "gpu/fault_table.hpp"
#include "props/model_memory.hpp"

namespace taintgraph::props::reference {

// Whether a launch of `kernel` may look like this: counts, lengths, overlaps (a launch that does not is rejected).
[[nodiscard]] bool fits(std::string_view kernel, std::span<const Range> reads, std::span<const Range> writes,
                        std::uint64_t scalar);

// What `kernel` does to one of the ranges that it writes: `written` holds what was there (`noop` leaves it), `reads`
// what each read range holds. Requires: it fits, so that a range is written and read only where that may be in place.
void compute(std::string_view kernel, std::span<const std::span<const Value>> reads, std::uint64_t scalar,
             std::span<Value> written);

// The fault that running `kernel` causes, asynchronously; nothing for a kernel that works.
[[nodiscard]] std::optional<gpu::FaultKind> fault_of(std::string_view kernel);

// True for the kernel that is never done.
[[nodiscard]] bool never_ends(std::string_view kernel);

}  // namespace taintgraph::props::reference
