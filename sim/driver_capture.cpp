// Captures and graphs.
#include "sim/driver_entries.hpp"

namespace taintgraph::sim {

CUresult DriverEntries::cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode) {
  return on_stream(Call::cuStreamBeginCapture, stream, {}, [&](ContextObject&, StreamObject&) {
    return misuse(Call::cuStreamBeginCapture, "is not simulated", CUDA_ERROR_NOT_SUPPORTED);
  });
}

CUresult DriverEntries::cuStreamEndCapture(CUstream stream, CUgraph*) {
  return on_stream(Call::cuStreamEndCapture, stream, {}, [&](ContextObject&, StreamObject&) {
    return misuse(Call::cuStreamEndCapture, "is not simulated", CUDA_ERROR_NOT_SUPPORTED);
  });
}

CUresult DriverEntries::cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  return on_stream(Call::cuStreamIsCapturing, stream, {}, [&](ContextObject&, StreamObject&) {
    *status = gpu::CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
  });
}

CUresult DriverEntries::cuGraphDestroy(CUgraph) {
  return in_context({Call::cuGraphDestroy, std::nullopt, {}}, [&](ContextObject&) {
    return misuse(Call::cuGraphDestroy, "is not simulated", CUDA_ERROR_NOT_SUPPORTED);
  });
}

CUresult DriverEntries::cuGraphInstantiate(CUgraphExec*, CUgraph, unsigned long long) {
  return in_context({Call::cuGraphInstantiate, std::nullopt, {}}, [&](ContextObject&) {
    return misuse(Call::cuGraphInstantiate, "is not simulated", CUDA_ERROR_NOT_SUPPORTED);
  });
}

CUresult DriverEntries::cuGraphExecDestroy(CUgraphExec) {
  return in_context({Call::cuGraphExecDestroy, std::nullopt, {}}, [&](ContextObject&) {
    return misuse(Call::cuGraphExecDestroy, "is not simulated", CUDA_ERROR_NOT_SUPPORTED);
  });
}

CUresult DriverEntries::cuGraphLaunch(CUgraphExec, CUstream stream) {
  return on_stream(Call::cuGraphLaunch, stream, {}, [&](ContextObject&, StreamObject&) {
    return misuse(Call::cuGraphLaunch, "is not simulated", CUDA_ERROR_NOT_SUPPORTED);
  });
}

}  // namespace taintgraph::sim
