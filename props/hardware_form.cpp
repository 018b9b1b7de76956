#include "props/hardware_form.hpp"

#include <cstddef>
#include <optional>

#include "gpu/kernel_catalog.hpp"
#include "traces/half_done_work.hpp"

namespace taintgraph::props {
namespace {

std::optional<gpu::FaultKind> error_of(std::string_view kernel) {
  if (kernel == "trap") return gpu::FaultKind::launch_failed;
  if (kernel == "out_of_bounds") return gpu::FaultKind::illegal_address;
  if (kernel == "device_assert") return gpu::FaultKind::assert_;
  return std::nullopt;
}

}  // namespace

void give_hardware_form(traces::Program& program) {
  leave_no_work_half_done(program);
  const std::span<const gpu::KernelInfo> kernels = gpu::kernel_catalog();
  const auto noop = static_cast<std::uint16_t>(gpu::find_kernel("noop") - kernels.data());
  for (traces::Operation& each : program.operations) {
    each.deadline.reset();  // how long work takes there is not the same twice
    if (each.kind != traces::OpKind::launch) continue;
    if (kernels[each.kernel].name == "spin") each.kernel = noop;
    const auto error = error_of(kernels[each.kernel].name);
    if (!error) continue;
    each.kernel = noop;
    if (!each.fault) each.fault = sim::Fault{.kind = *error, .when = {}, .bytes_done = 0, .surface_after_calls = {}};
  }
}

}  // namespace taintgraph::props
