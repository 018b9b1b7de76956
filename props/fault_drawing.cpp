#include "props/fault_drawing.hpp"

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "props/operation_faults.hpp"

namespace taintgraph::props {
namespace {

// An operation of a kind that makes the call, if there is one; else any.
std::size_t draw_maker(Random& random, const CallMakers& call, const traces::Program& program) {
  const std::size_t count = program.operations.size();
  const traces::OpKind wanted = random.one_in(2) ? call.makers.front() : random.pick(call.makers);
  const auto first = static_cast<std::size_t>(random.below(count));
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t index = (first + i) % count;
    if (program.operations[index].kind == wanted) return index;
  }
  return first;
}

bool writes_device_memory(traces::OpKind kind) {
  return kind == traces::OpKind::write || kind == traces::OpKind::launch || kind == traces::OpKind::copy;
}

bool orders(gpu::Call call) { return call == gpu::Call::cuStreamWaitEvent || call == gpu::Call::cuEventRecord; }

sim::PlannedFault draw_planned(Random& random, gpu::Call call, const std::string& operation) {
  sim::PlannedFault planned;
  planned.call = call;
  planned.operation = operation;
  planned.persistent = random.one_in(3);
  planned.fault.kind = random.pick(passing_faults_of(call));
  if (random.one_in(4)) planned.fault.when = gpu::FaultWhen::after;
  return planned;
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

void plan_faults(Random& random, std::uint32_t count, traces::Program& program) {
  const std::span<const CallMakers> calls = calls_to_plan_for();
  const auto add = [&](sim::PlannedFault planned) {
    planned.id = "p" + std::to_string(program.header.faults.size());
    program.header.faults.push_back(std::move(planned));
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    const CallMakers& call = random.pick(calls);
    traces::Operation& operation = program.operations[draw_maker(random, call, program)];
    if (operation.id == traces::NameId::none) operation.id = program.names.intern("f" + std::to_string(i));
    const std::string name = program.names.text(operation.id);
    add(draw_planned(random, call.call, name));
    // Where streams cannot be ordered by an event the host waits instead; only if that fails too is there no order.
    if (orders(call.call) && random.one_in(2)) add(draw_planned(random, gpu::Call::cuStreamSynchronize, name));
  }
}

}  // namespace taintgraph::props
