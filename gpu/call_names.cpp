#include <array>
#include <cstddef>

#include "gpu/fault_table.hpp"

namespace taintgraph::gpu {
namespace {

constexpr std::array<std::string_view, kCallCount> kNames = {
    "host",
#define TAINTGRAPH_NAME(name, parameters) #name,
    TAINTGRAPH_DRIVER_ENTRIES(TAINTGRAPH_NAME) TAINTGRAPH_COMPILER_ENTRIES(TAINTGRAPH_NAME)
#undef TAINTGRAPH_NAME
};

}  // namespace

std::string_view to_string(Call call) { return kNames[static_cast<std::size_t>(call)]; }

std::optional<Call> call_from_string(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Call>(i);
  }
  return std::nullopt;
}

}  // namespace taintgraph::gpu
