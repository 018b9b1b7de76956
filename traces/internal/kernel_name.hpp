// Reads the name of a kernel.
#pragma once

#include <cstdint>
#include <optional>

#include "traces/internal/value_reader.hpp"

namespace taintgraph::traces::internal {

// Its index in gpu::kernel_catalog().
[[nodiscard]] std::optional<std::uint16_t> read_kernel_name(ValueReader& in);

}  // namespace taintgraph::traces::internal
