// What the simulator has to know about a driver call besides its effect.
#pragma once

#include "sim/driver_types.hpp"

namespace taintgraph::sim {

// Works without a current context, and tells nobody of earlier errors.
[[nodiscard]] constexpr bool needs_context(Call call) {
  switch (call) {
    case Call::cuInit:
    case Call::cuDriverGetVersion:
    case Call::cuDeviceGetCount:
    case Call::cuDeviceGet:
    case Call::cuDeviceGetName:
    case Call::cuDeviceGetAttribute:
    case Call::cuDevicePrimaryCtxRetain:
    case Call::cuDevicePrimaryCtxRelease:
    case Call::cuCtxCreate:
    case Call::cuCtxDestroy:
    case Call::cuCtxSetCurrent:
    case Call::cuCtxGetCurrent:
    case Call::cuGetErrorName:
      return false;
    default:
      return true;
  }
}

// Makes a context, or takes hold of the primary one.
[[nodiscard]] constexpr bool makes_a_context(Call call) {
  return call == Call::cuCtxCreate || call == Call::cuDevicePrimaryCtxRetain;
}

// Ends the life of what it is given, whatever it returns.
[[nodiscard]] constexpr bool gives_back(Call call) {
  switch (call) {
    case Call::cuCtxDestroy:
    case Call::cuDevicePrimaryCtxRelease:
    case Call::cuStreamDestroy:
    case Call::cuEventDestroy:
    case Call::cuMemFree:
    case Call::cuMemFreeAsync:
    case Call::cuMemFreeHost:
    case Call::cuModuleUnload:
    case Call::cuGraphDestroy:
    case Call::cuGraphExecDestroy:
    case Call::cuStreamEndCapture:  // the stream does not capture afterwards, with or without a graph
    case Call::nvrtcDestroyProgram:
      return true;
    default:
      return false;
  }
}

// Queues work that writes device memory, of which a part may be done though the call failed.
[[nodiscard]] constexpr bool can_be_half_done(Call call) {
  return call == Call::cuLaunchKernel || call == Call::cuMemcpyHtoDAsync || call == Call::cuMemcpyDtoDAsync;
}

// On a capturing stream, adds to the capture.
[[nodiscard]] constexpr bool adds_to_capture(Call call) {
  switch (call) {
    case Call::cuStreamWaitEvent:
    case Call::cuEventRecord:
    case Call::cuMemAllocAsync:
    case Call::cuMemFreeAsync:
    case Call::cuMemcpyHtoDAsync:
    case Call::cuMemcpyDtoHAsync:
    case Call::cuMemcpyDtoDAsync:
    case Call::cuLaunchKernel:
    case Call::cuGraphLaunch:
      return true;
    default:
      return false;
  }
}

// Documented to return errors of earlier asynchronous work.
[[nodiscard]] constexpr bool documented_to_surface(Call call) {
  switch (call) {
    case Call::cuMemAllocAsync:
    case Call::cuMemFreeAsync:
    case Call::cuMemAllocHost:
    case Call::cuMemFreeHost:
    case Call::cuEventRecord:
    case Call::cuStreamBeginCapture:
    case Call::cuStreamIsCapturing:
    case Call::cuGraphDestroy:
    case Call::cuGraphInstantiate:
    case Call::cuGraphExecDestroy:
    case Call::cuFuncLoad:
      return false;
    default:
      return needs_context(call);
  }
}

// Barred in every thread while a stream captures in global mode, and in the capturing thread in thread-local mode: it
// could act on work outside the capture.
[[nodiscard]] constexpr bool unsafe_in_capture(Call call) {
  switch (call) {
    case Call::cuMemAlloc:
    case Call::cuMemFree:
    case Call::cuMemAllocHost:
    case Call::cuMemFreeHost:
    case Call::cuModuleLoadData:
    case Call::cuModuleUnload:
    case Call::cuFuncLoad:
    case Call::cuEventQuery:
    case Call::cuEventSynchronize:
    case Call::cuStreamQuery:
    case Call::cuStreamSynchronize:
    case Call::cuCtxSynchronize:
      return true;
    default:
      return false;
  }
}

}  // namespace taintgraph::sim
