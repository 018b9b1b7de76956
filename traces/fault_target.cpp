#include "traces/fault_target.hpp"

#include <algorithm>
#include <array>

namespace taintgraph::traces {
namespace {

using gpu::Call;

// Each operation's own calls, the main one first. A group of several is struck together: all of them serve one purpose,
// and a backend may fall back from one to the next.
constexpr std::array kHost = {Call::none};
constexpr std::array kAlloc = {Call::cuMemAlloc, Call::cuMemAllocAsync};
constexpr std::array kWrite = {Call::cuMemcpyHtoDAsync};
constexpr std::array kLaunch = {Call::cuLaunchKernel};
constexpr std::array kCompile = {Call::nvrtcCompileProgram};
constexpr std::array kLoad = {Call::cuModuleLoadData};
constexpr std::array kLookUp = {Call::cuModuleGetFunction};
constexpr std::array kCopy = {Call::cuMemcpyDtoDAsync};
constexpr std::array kRead = {Call::cuMemcpyDtoHAsync};
constexpr std::array kSync = {Call::cuStreamSynchronize};
constexpr std::array kWait = {Call::cuStreamWaitEvent, Call::cuEventRecord, Call::cuStreamSynchronize};
constexpr std::array kCaptureBegin = {Call::cuStreamBeginCapture};
constexpr std::array kCaptureEnd = {Call::cuStreamEndCapture};
constexpr std::array kInstantiate = {Call::cuGraphInstantiate};
constexpr std::array kReplay = {Call::cuGraphLaunch};

using Group = std::span<const Call>;

std::span<const Group> groups(OpKind operation) {
  static constexpr std::array<Group, 1> alloc = {kAlloc};
  static constexpr std::array<Group, 1> write = {kWrite};
  static constexpr std::array<Group, 4> launch = {kLaunch, kCompile, kLoad, kLookUp};
  static constexpr std::array<Group, 1> copy = {kCopy};
  static constexpr std::array<Group, 2> read = {kRead, kSync};
  static constexpr std::array<Group, 1> sync = {kSync};
  static constexpr std::array<Group, 1> wait = {kWait};
  static constexpr std::array<Group, 2> relocate = {kAlloc, kCopy};
  static constexpr std::array<Group, 1> capture_begin = {kCaptureBegin};
  static constexpr std::array<Group, 2> capture_end = {kCaptureEnd, kInstantiate};
  static constexpr std::array<Group, 1> replay = {kReplay};
  switch (operation) {
    case OpKind::alloc:
      return alloc;
    case OpKind::write:
      return write;
    case OpKind::launch:
      return launch;
    case OpKind::copy:
      return copy;
    case OpKind::read:
      return read;
    case OpKind::sync:
      return sync;
    case OpKind::wait:
      return wait;
    case OpKind::relocate:
      return relocate;
    case OpKind::capture_begin:
      return capture_begin;
    case OpKind::capture_end:
      return capture_end;
    case OpKind::replay:
      return replay;
    default:
      return {};
  }
}

bool is_compilers(Call call) { return gpu::to_string(call).substr(0, 5) == "nvrtc"; }

}  // namespace

std::span<const Call> calls_struck(OpKind operation, gpu::FaultKind kind) {
  if (kind == gpu::FaultKind::host_exception) return kHost;
  const std::span<const Group> all = groups(operation);
  if (all.empty()) return {};
  const auto found =
      std::find_if(all.begin(), all.end(), [&](Group each) { return gpu::may_return(each.front(), kind); });
  return found == all.end() ? all.front() : *found;
}

Call main_call(OpKind operation) {
  const std::span<const Group> all = groups(operation);
  return all.empty() ? Call::none : all.front().front();
}

bool may_stand_on(OpKind operation, gpu::FaultKind kind) {
  return kind != gpu::FaultKind::compile_error || operation == OpKind::launch;
}

bool may_strike(Call call, gpu::FaultKind kind) {
  return kind == gpu::FaultKind::host_exception || is_compilers(call) == (kind == gpu::FaultKind::compile_error);
}

bool strikes_loading(OpKind operation, gpu::FaultKind kind) {
  const std::span<const Call> calls = calls_struck(operation, kind);
  return operation == OpKind::launch && !calls.empty() && calls.front() != Call::cuLaunchKernel &&
         calls.front() != Call::none;
}

}  // namespace taintgraph::traces
