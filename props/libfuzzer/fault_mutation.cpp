#include "props/libfuzzer/fault_mutation.hpp"

#include <array>
#include <cstdint>

#include "gpu/fault_table.hpp"
#include "props/operation_faults.hpp"
#include "traces/fault_target.hpp"

namespace taintgraph::props {
namespace {

using gpu::FaultKind;
using gpu::FaultWhen;
using traces::Operation;

constexpr std::uint64_t kMaxBytesDone = 64;
constexpr std::uint64_t kLongestSilence = 24;  // driver calls until an asynchronous fault is told of

enum class FaultChange : std::uint8_t { remove, usual_kind, any_kind, when, bytes_done, surface };
constexpr std::array<std::uint16_t, 6> kFaultChangeWeights = {2, 3, 1, 2, 1, 1};

FaultKind draw_usual(Random& random, const Operation& operation) {
  const auto fatal = fatal_faults_for(operation.kind);
  if (!fatal.empty() && random.one_in(8)) return random.pick(fatal);
  if (random.one_in(6)) return FaultKind::assert_;  // loses the device, and a reset recovers it
  return random.pick(faults_for(operation.kind));
}

FaultKind draw_any(Random& random, const Operation& operation) {
  const gpu::FaultRow& row = random.pick(gpu::fault_table());
  const bool may_stand = row.injectable && traces::may_stand_on(operation.kind, row.kind);
  return may_stand ? row.kind : draw_usual(random, operation);
}

}  // namespace

bool mutate_fault(Random& random, Operation& operation) {
  if (faults_for(operation.kind).empty()) return false;
  auto change = static_cast<FaultChange>(random.weighted(kFaultChangeWeights));
  if (!operation.fault) change = change == FaultChange::any_kind ? change : FaultChange::usual_kind;
  if (change == FaultChange::remove) {
    operation.fault.reset();
    return true;
  }
  if (!operation.fault) operation.fault.emplace();
  sim::Fault& fault = *operation.fault;
  switch (change) {
    case FaultChange::usual_kind:
      fault.kind = draw_usual(random, operation);
      break;
    case FaultChange::any_kind:
      fault.kind = draw_any(random, operation);
      break;
    case FaultChange::when:
      fault.when = static_cast<FaultWhen>(random.below(3));
      break;
    case FaultChange::bytes_done:
      fault.bytes_done = random.between(0, kMaxBytesDone);
      break;
    default:
      fault.surface_after_calls = random.between(0, kLongestSilence);
      break;
  }
  // What passes cannot strike later: a trace may not say so.
  if (fault.when == FaultWhen::async && !gpu::row(fault.kind).sticky) fault.when.reset();
  return true;
}

}  // namespace taintgraph::props
