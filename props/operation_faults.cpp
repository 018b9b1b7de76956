#include "props/operation_faults.hpp"

#include <array>
#include <vector>

#include "traces/fault_target.hpp"

namespace taintgraph::props {
namespace {

using gpu::Call;
using gpu::FaultKind;
using traces::OpKind;

constexpr OpKind kFaultable[] = {OpKind::alloc,         OpKind::write,       OpKind::launch, OpKind::copy,
                                 OpKind::read,          OpKind::sync,        OpKind::wait,   OpKind::relocate,
                                 OpKind::capture_begin, OpKind::capture_end, OpKind::replay};
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
constexpr OpKind kCaptureBegin[] = {OpKind::capture_begin};
constexpr OpKind kCaptureEnd[] = {OpKind::capture_end};
constexpr OpKind kReplay[] = {OpKind::replay};
constexpr OpKind kDestroy[] = {OpKind::destroy};

constexpr CallMakers kCalls[] = {{Call::cuStreamSynchronize, kWaiting},   {Call::cuStreamWaitEvent, kOrdering},
                                 {Call::cuEventCreate, kReclaiming},      {Call::cuEventRecord, kRecording},
                                 {Call::cuEventQuery, kReclaiming},       {Call::cuMemAlloc, kAlloc},
                                 {Call::cuMemAllocAsync, kAlloc},         {Call::cuMemFreeAsync, kGivingBack},

                                 {Call::cuMemFree, kGivingBack},          {Call::cuMemcpyHtoDAsync, kWrite},
                                 {Call::cuMemcpyDtoHAsync, kRead},        {Call::cuMemcpyDtoDAsync, kCopy},
                                 {Call::cuModuleLoadData, kLaunch},       {Call::cuModuleGetFunction, kLaunch},
                                 {Call::cuLaunchKernel, kLaunch},         {Call::cuStreamBeginCapture, kCaptureBegin},
                                 {Call::cuStreamEndCapture, kCaptureEnd}, {Call::cuGraphInstantiate, kCaptureEnd},
                                 {Call::cuGraphDestroy, kCaptureEnd},     {Call::cuGraphLaunch, kReplay},
                                 {Call::cuGraphExecDestroy, kDestroy},    {Call::nvrtcCompileProgram, kLaunch}};

// no_device is an answer of a driver that was not initialised yet.
bool passes(const gpu::FaultRow& row) { return row.injectable && !row.sticky && row.kind != FaultKind::no_device; }

bool is_fatal(const gpu::FaultRow& row) { return row.sticky && row.recovery == gpu::FaultRecovery::process; }

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

using KindsByCall = std::array<std::vector<FaultKind>, gpu::kCallCount>;

KindsByCall kinds_by_call() {
  KindsByCall result;
  for (const gpu::FaultRow& row : gpu::fault_table()) {
    for (const Call call : row.calls) {
      if (passes(row)) result[static_cast<std::size_t>(call)].push_back(row.kind);
    }
  }
  return result;
}

}  // namespace

std::span<const CallMakers> calls_to_plan_for() { return kCalls; }

std::span<const FaultKind> passing_faults_of(Call call) {
  static const KindsByCall kinds = kinds_by_call();
  return kinds[static_cast<std::size_t>(call)];
}

std::span<const FaultKind> faults_for(OpKind kind) {
  static const KindsByOp kinds = kinds_by_operation(passes);
  return kinds[static_cast<std::size_t>(kind)];
}

std::span<const FaultKind> fatal_faults_for(OpKind kind) {
  static const KindsByOp kinds = kinds_by_operation(is_fatal);
  return kinds[static_cast<std::size_t>(kind)];
}

}  // namespace taintgraph::props
