#include "traces/internal/kernel_name.hpp"

#include "gpu/kernel_info.hpp"

namespace taintgraph::traces::internal {

std::optional<std::uint16_t> read_kernel_name(ValueReader& in) {
  const Place start = in.next_place();
  const auto name = in.name("a kernel's name");
  if (!name) return std::nullopt;
  const auto catalog = gpu::kernel_catalog();
  if (const gpu::KernelInfo* kernel = gpu::find_kernel(*name)) {
    return static_cast<std::uint16_t>(kernel - catalog.data());
  }
  WordList list;
  for (const gpu::KernelInfo& kernel : catalog) list.add(kernel.name);
  in.problems().add(start, "unknown kernel " + in_quotes(*name) + "; expected " + list.text());
  return std::nullopt;
}

}  // namespace taintgraph::traces::internal
