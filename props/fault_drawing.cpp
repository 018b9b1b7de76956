#include "props/fault_drawing.hpp"

#include <span>

#include "props/fault_cells.hpp"

namespace taintgraph::props {
namespace {

bool writes_device_memory(traces::OpKind kind) {
  return kind == traces::OpKind::write || kind == traces::OpKind::launch || kind == traces::OpKind::copy;
}

}  // namespace

std::uint32_t FaultDrawing::rate() {
  const std::uint64_t n = drawn_++;
  if (weather_.phase_operations == 0) return weather_.calm_one_in;
  const bool storm = (n / weather_.phase_operations) % 2 == 1;
  return storm ? weather_.storm_one_in : weather_.calm_one_in;
}

void FaultDrawing::strike(Random& random, traces::Operation& operation) {
  const std::uint32_t one_in = rate();
  const std::span<const gpu::FaultKind> kinds = faults_for(operation.kind);
  if (one_in == 0 || kinds.empty() || !random.one_in(one_in)) return;
  sim::Fault fault{.kind = random.pick(kinds), .when = {}, .bytes_done = 0, .surface_after_calls = {}};
  const bool of_a_call = fault.kind != gpu::FaultKind::host_exception;
  if (of_a_call && random.one_in(4)) {
    fault.when = gpu::FaultWhen::after;
  } else if (random.one_in(6)) {
    fault.when = gpu::FaultWhen::before;
  }
  if (of_a_call && writes_device_memory(operation.kind) && random.one_in(4)) fault.bytes_done = random.between(1, 40);
  operation.fault = fault;
}

}  // namespace taintgraph::props
