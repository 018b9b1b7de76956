#include "props/fault_cells.hpp"

#include <algorithm>
#include <array>

#include "traces/fault_target.hpp"

namespace taintgraph::props {
namespace {

using gpu::Call;
using gpu::FaultKind;
using traces::OpKind;

// Loading comes with the first launch of a kernel, so its calls decide launches too.
constexpr Call kLaunchCalls[] = {Call::none, Call::cuModuleLoadData, Call::cuModuleGetFunction, Call::cuLaunchKernel,
                                 Call::nvrtcCompileProgram};
constexpr Call kAllocCalls[] = {Call::cuMemAlloc};
constexpr Call kWriteCalls[] = {Call::none, Call::cuMemcpyHtoDAsync};
constexpr Call kCopyCalls[] = {Call::none, Call::cuMemcpyDtoDAsync};
constexpr Call kReadCalls[] = {Call::cuMemcpyDtoHAsync, Call::cuStreamSynchronize};
constexpr Call kSyncCalls[] = {Call::cuStreamSynchronize};
constexpr Call kWaitCalls[] = {Call::cuEventRecord, Call::cuStreamWaitEvent};

constexpr bool about_captures(FaultKind kind) {
  return kind >= FaultKind::capture_unsupported && kind <= FaultKind::capture_wrong_thread;
}

// Kinds that are out of reach whatever call they come from.
bool drawn(const gpu::FaultRow& row) {
  if (!row.injectable) return false;           // not_ready is an answer, not an error
  if (row.sticky) return false;                // poison and reset are not generated
  if (about_captures(row.kind)) return false;  // nothing is captured
  return row.kind != FaultKind::no_device;     // returned before there is a context, hence before any operation
}

constexpr OpKind kFaultable[] = {OpKind::alloc, OpKind::write, OpKind::launch, OpKind::copy,
                                 OpKind::read,  OpKind::sync,  OpKind::wait};

using KindsByOp = std::array<std::vector<FaultKind>, traces::kOpKindCount>;

KindsByOp kinds_by_operation() {
  KindsByOp result;
  for (const OpKind op : kFaultable) {
    for (const gpu::FaultRow& row : gpu::fault_table()) {
      const std::span<const Call> struck = traces::calls_struck(op, row.kind);
      const bool returned = !struck.empty() && gpu::may_return(struck.front(), row.kind);
      if (drawn(row) && returned) result[static_cast<std::size_t>(op)].push_back(row.kind);
    }
  }
  return result;
}

std::vector<FaultCell> reachable_cells() {
  std::array<bool, gpu::kCallCount> deciding{};
  for (const OpKind op : kFaultable) {
    for (const Call call : deciding_calls(op)) deciding[static_cast<std::size_t>(call)] = true;
  }
  std::vector<FaultCell> result;
  for (std::size_t call = 0; call < gpu::kCallCount; ++call) {
    if (!deciding[call]) continue;
    for (const gpu::FaultRow& row : gpu::fault_table()) {
      if (drawn(row) && gpu::may_return(static_cast<Call>(call), row.kind)) {
        result.push_back({static_cast<Call>(call), row.kind});
      }
    }
  }
  return result;
}

}  // namespace

std::span<const Call> deciding_calls(OpKind kind) {
  switch (kind) {
    case OpKind::alloc:
      return kAllocCalls;
    case OpKind::write:
      return kWriteCalls;
    case OpKind::launch:
      return kLaunchCalls;
    case OpKind::copy:
      return kCopyCalls;
    case OpKind::read:
      return kReadCalls;
    case OpKind::sync:
      return kSyncCalls;
    case OpKind::wait:
      return kWaitCalls;
    default:
      return {};
  }
}

std::span<const FaultKind> faults_for(OpKind kind) {
  static const KindsByOp kinds = kinds_by_operation();
  return kinds[static_cast<std::size_t>(kind)];
}

const std::vector<FaultCell>& cells_in_reach() {
  static const std::vector<FaultCell> cells = reachable_cells();
  return cells;
}

std::size_t CellCoverage::count() const {
  const std::vector<FaultCell>& cells = cells_in_reach();
  return static_cast<std::size_t>(
      std::count_if(cells.begin(), cells.end(), [this](const FaultCell& cell) { return contains(cell); }));
}

}  // namespace taintgraph::props
