#include "props/fault_cells.hpp"

#include <algorithm>
#include <array>

#include "traces/fault_target.hpp"

namespace taintgraph::props {
namespace {

using gpu::Call;
using gpu::FaultKind;
using traces::OpKind;

constexpr OpKind kFaultable[] = {OpKind::alloc,         OpKind::write,       OpKind::launch, OpKind::copy,
                                 OpKind::read,          OpKind::sync,        OpKind::wait,   OpKind::relocate,
                                 OpKind::capture_begin, OpKind::capture_end, OpKind::replay};
constexpr OpKind kCaptureBegin[] = {OpKind::capture_begin};
constexpr OpKind kCaptureEnd[] = {OpKind::capture_end};
constexpr OpKind kReplay[] = {OpKind::replay};
constexpr OpKind kDestroy[] = {OpKind::destroy};
constexpr OpKind kAlloc[] = {OpKind::alloc, OpKind::relocate};
constexpr OpKind kWrite[] = {OpKind::write};
constexpr OpKind kLaunch[] = {OpKind::launch};
constexpr OpKind kCopy[] = {OpKind::copy, OpKind::relocate};
constexpr OpKind kRead[] = {OpKind::read};
constexpr OpKind kOrdering[] = {OpKind::wait, OpKind::launch, OpKind::copy, OpKind::write, OpKind::read};
constexpr OpKind kRecording[] = {OpKind::wait, OpKind::launch, OpKind::copy,   OpKind::write,
                                 OpKind::read, OpKind::alloc,  OpKind::cleanup};
constexpr OpKind kWaiting[] = {OpKind::sync, OpKind::read, OpKind::wait};
constexpr OpKind kReclaiming[] = {OpKind::alloc, OpKind::cleanup, OpKind::free};
constexpr OpKind kGivingBack[] = {OpKind::cleanup, OpKind::alloc};

// Out of reach, and why:
//  - what makes and unmakes the device (cuInit, cuDevice..., cuCtxCreate, cuStreamCreate, cuMemAllocHost and their
//    opposites, cuEventDestroy): no operation is running then;
//  - cuCtxGetCurrent, cuCtxSetCurrent: every call of the backend makes them, so a fault there is a fault of whatever
//    was to be done, which its own cells cover;
//  - cuModuleUnload: only the session makes it, to have a kernel loaded again;
//  - cuStreamIsCapturing: asked only when beginning a capture has failed already;
//  - what the backend does not call (stream-ordered allocation, cuStreamQuery, cuEventSynchronize, cuCtxSynchronize)
//    and what returns no error of its own (cuGetErrorName, queries of NVRTC).
constexpr CallMakers kReach[] = {{Call::none, kFaultable},
                                 {Call::cuStreamSynchronize, kWaiting},
                                 {Call::cuStreamWaitEvent, kOrdering},
                                 {Call::cuEventCreate, kReclaiming},
                                 {Call::cuEventRecord, kRecording},
                                 {Call::cuEventQuery, kReclaiming},
                                 {Call::cuMemAlloc, kAlloc},
                                 {Call::cuMemFree, kGivingBack},
                                 {Call::cuMemcpyHtoDAsync, kWrite},
                                 {Call::cuMemcpyDtoHAsync, kRead},
                                 {Call::cuMemcpyDtoDAsync, kCopy},
                                 {Call::cuModuleLoadData, kLaunch},
                                 {Call::cuModuleGetFunction, kLaunch},
                                 {Call::cuLaunchKernel, kLaunch},
                                 {Call::cuStreamBeginCapture, kCaptureBegin},
                                 {Call::cuStreamEndCapture, kCaptureEnd},
                                 {Call::cuGraphInstantiate, kCaptureEnd},
                                 {Call::cuGraphDestroy, kCaptureEnd},
                                 {Call::cuGraphLaunch, kReplay},
                                 {Call::cuGraphExecDestroy, kDestroy},
                                 {Call::nvrtcCompileProgram, kLaunch}};

// Kinds that are out of reach whatever call they come from.
bool drawn(const gpu::FaultRow& row) {
  if (!row.injectable) return false;        // not_ready is an answer, not an error
  if (row.sticky) return false;             // poison and reset are not generated
  return row.kind != FaultKind::no_device;  // returned before there is a context, hence before any operation
}

using KindsByOp = std::array<std::vector<FaultKind>, traces::kOpKindCount>;

template <class Wanted>
KindsByOp kinds_by_operation(Wanted wanted) {
  KindsByOp result;
  for (const OpKind op : kFaultable) {
    for (const gpu::FaultRow& row : gpu::fault_table()) {
      const std::span<const Call> struck = traces::calls_struck(op, row.kind);
      const bool returned = !struck.empty() && gpu::may_return(struck.front(), row.kind);
      if (wanted(row) && returned) result[static_cast<std::size_t>(op)].push_back(row.kind);
    }
  }
  return result;
}

bool fatal(const gpu::FaultRow& row) { return row.sticky && row.recovery == gpu::FaultRecovery::process; }

std::vector<FaultCell> reachable_cells() {
  std::vector<FaultCell> result;
  for (const CallMakers& each : kReach) {
    for (const gpu::FaultRow& row : gpu::fault_table()) {
      if (drawn(row) && gpu::may_return(each.call, row.kind)) result.push_back({each.call, row.kind});
    }
  }
  return result;
}

}  // namespace

std::span<const CallMakers> calls_in_reach() { return kReach; }

std::span<const FaultKind> faults_for(OpKind kind) {
  static const KindsByOp kinds = kinds_by_operation(drawn);
  return kinds[static_cast<std::size_t>(kind)];
}

std::span<const FaultKind> fatal_faults_for(OpKind kind) {
  static const KindsByOp kinds = kinds_by_operation(fatal);
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
