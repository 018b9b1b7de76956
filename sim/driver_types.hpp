// The driver's own vocabulary, so that the simulator's sources can spell it as CUDA's documentation does.
#pragma once

#include "gpu/compiler_api.hpp"
#include "gpu/driver_api.hpp"
#include "gpu/fault_table.hpp"
#include "gpu/launch_observer.hpp"

namespace taintgraph::sim {

using gpu::Call;
using gpu::CUcontext;
using gpu::CUdevice;
using gpu::CUdevice_attribute;
using gpu::CUdeviceptr;
using gpu::CUevent;
using gpu::CUfunction;
using gpu::CUgraph;
using gpu::CUgraphExec;
using gpu::CUmodule;
using gpu::CUresult;
using gpu::CUstream;
using gpu::CUstreamCaptureMode;
using gpu::CUstreamCaptureStatus;
using gpu::FaultKind;
using gpu::FaultWhen;
using gpu::nvrtcProgram;
using gpu::nvrtcResult;
using enum gpu::CUresult;
using enum gpu::nvrtcResult;

// What the simulated GPU says it is, 10 * major + minor.
inline constexpr int kComputeCapability = 90;

[[nodiscard]] inline CUresult code_of(FaultKind kind) { return static_cast<CUresult>(gpu::row(kind).code); }

}  // namespace taintgraph::sim
