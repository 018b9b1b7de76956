// Uses the installed package as a stranger would: headers by their public spelling, code from both libraries.
#include <iostream>

#include <taintgraph/core/error.hpp>
#include <taintgraph/gpu/fault_table.hpp>

namespace core = taintgraph::core;
namespace gpu = taintgraph::gpu;

int main() {
  const gpu::FaultRow& row = gpu::row(gpu::FaultKind::out_of_memory);
  const core::DeviceResult<void> result =
      tl::make_unexpected(core::Error{row.name, gpu::to_string(row.calls.front()), row.code, row.sticky});
  if (result || result.error().name != "out_of_memory") return 1;
  std::cout << result.error().call << ": " << result.error().name << '\n';
  return core::to_string(core::Recovery::retry) == "retry" ? 0 : 1;
}
