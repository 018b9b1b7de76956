// Probes of stream capture: what breaks a capture, and what ending a broken one gives.
#include <thread>

#include "props/conform/probe.hpp"

namespace taintgraph::props {
namespace {

using gpu::Call;
using enum gpu::FaultKind;
using enum gpu::CUstreamCaptureMode;

gpu::CUstream begin(ProbeRun& on, gpu::CUstreamCaptureMode mode) {
  const gpu::CUstream stream = on.stream();
  on.needs(Call::cuStreamBeginCapture, on.cu.cuStreamBeginCapture(stream, mode));
  return stream;
}

void ends_broken(ProbeRun& on, gpu::CUstream stream) {
  gpu::CUgraph graph = nullptr;
  on.sees(Call::cuStreamEndCapture, on.cu.cuStreamEndCapture(stream, &graph), {capture_invalidated});
  on.holds("no_graph", graph == nullptr);
  on.lingers({capture_invalidated}, stream);
}

// Joins `forked` to the capture of `origin`, with a piece of work on it.
void fork(ProbeRun& on, gpu::CUstream origin, gpu::CUstream forked, gpu::CUdeviceptr memory) {
  const gpu::CUevent event = on.event();
  on.needs(Call::cuEventRecord, on.cu.cuEventRecord(event, origin));
  on.needs(Call::cuStreamWaitEvent, on.cu.cuStreamWaitEvent(forked, event, 0));
  on.needs(Call::cuMemcpyDtoDAsync, on.cu.cuMemcpyDtoDAsync(memory, memory + 64, 64, forked));
}

void captured_work_does_not_run(ProbeRun& on) {
  on.open_context();
  const gpu::CUdeviceptr memory = on.allocate();
  const gpu::CUstream stream = begin(on, CU_STREAM_CAPTURE_MODE_RELAXED);
  on.passes(Call::cuMemcpyDtoDAsync, on.cu.cuMemcpyDtoDAsync(memory, memory + 64, 64, stream));
  gpu::CUgraph graph = nullptr;
  gpu::CUgraphExec exec = nullptr;
  on.passes(Call::cuStreamEndCapture, on.cu.cuStreamEndCapture(stream, &graph));
  on.passes(Call::cuStreamQuery, on.cu.cuStreamQuery(stream));
  on.passes(Call::cuGraphInstantiate, on.cu.cuGraphInstantiate(&exec, graph, 0));
  on.passes(Call::cuGraphDestroy, on.cu.cuGraphDestroy(graph));
  on.passes(Call::cuGraphLaunch, on.cu.cuGraphLaunch(exec, stream));
  on.passes(Call::cuStreamSynchronize, on.cu.cuStreamSynchronize(stream));
  on.passes(Call::cuGraphExecDestroy, on.cu.cuGraphExecDestroy(exec));
}

void allocation_while_capturing(ProbeRun& on) {
  on.open_context();
  const gpu::CUstream stream = begin(on, CU_STREAM_CAPTURE_MODE_GLOBAL);
  gpu::CUdeviceptr address = 0;
  on.sees(Call::cuMemAlloc, on.cu.cuMemAlloc(&address, 64), {capture_unsupported});
  ends_broken(on, stream);
}

void allocation_beside_a_relaxed_capture(ProbeRun& on) {
  on.open_context();
  const gpu::CUstream stream = begin(on, CU_STREAM_CAPTURE_MODE_RELAXED);
  gpu::CUdeviceptr address = 0;
  gpu::CUgraph graph = nullptr;
  on.passes(Call::cuMemAlloc, on.cu.cuMemAlloc(&address, 64));
  on.passes(Call::cuMemFree, on.cu.cuMemFree(address));
  on.passes(Call::cuStreamEndCapture, on.cu.cuStreamEndCapture(stream, &graph));
}

void wait_for_a_capturing_stream(ProbeRun& on) {
  on.open_context();
  const gpu::CUstream stream = begin(on, CU_STREAM_CAPTURE_MODE_RELAXED);
  gpu::CUstreamCaptureStatus status = gpu::CU_STREAM_CAPTURE_STATUS_NONE;
  on.sees(Call::cuStreamSynchronize, on.cu.cuStreamSynchronize(stream), {capture_unsupported});
  on.passes(Call::cuStreamIsCapturing, on.cu.cuStreamIsCapturing(stream, &status));
  on.holds("invalidated", status == gpu::CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  ends_broken(on, stream);
}

void work_on_a_broken_capture(ProbeRun& on) {
  on.open_context();
  const gpu::CUdeviceptr memory = on.allocate();
  const gpu::CUstream stream = begin(on, CU_STREAM_CAPTURE_MODE_RELAXED);
  on.sees(Call::cuStreamQuery, on.cu.cuStreamQuery(stream), {capture_unsupported});
  on.sees(Call::cuMemcpyDtoDAsync, on.cu.cuMemcpyDtoDAsync(memory, memory + 64, 64, stream), {capture_invalidated});
  ends_broken(on, stream);
}

void outside_event(ProbeRun& on) {
  on.open_context();
  const gpu::CUstream outside = on.stream();
  const gpu::CUevent event = on.event();
  on.needs(Call::cuEventRecord, on.cu.cuEventRecord(event, outside));
  const gpu::CUstream stream = begin(on, CU_STREAM_CAPTURE_MODE_RELAXED);
  on.sees(Call::cuStreamWaitEvent, on.cu.cuStreamWaitEvent(stream, event, 0), {capture_isolation});
  ends_broken(on, stream);
}

void unjoined(ProbeRun& on) {
  on.open_context();
  const gpu::CUdeviceptr memory = on.allocate();
  const gpu::CUstream forked = on.stream();
  const gpu::CUstream stream = begin(on, CU_STREAM_CAPTURE_MODE_RELAXED);
  fork(on, stream, forked, memory);
  gpu::CUgraph graph = nullptr;
  on.sees(Call::cuStreamEndCapture, on.cu.cuStreamEndCapture(stream, &graph), {capture_unjoined});
  on.holds("no_graph", graph == nullptr);
  on.lingers({capture_unjoined}, stream);
}

void ended_on_another_stream(ProbeRun& on) {
  on.open_context();
  const gpu::CUdeviceptr memory = on.allocate();
  const gpu::CUstream forked = on.stream();
  const gpu::CUstream stream = begin(on, CU_STREAM_CAPTURE_MODE_RELAXED);
  fork(on, stream, forked, memory);
  gpu::CUgraph graph = nullptr;
  on.sees(Call::cuStreamEndCapture, on.cu.cuStreamEndCapture(forked, &graph), {capture_unmatched});
  on.holds("no_graph", graph == nullptr);
}

void merged(ProbeRun& on) {
  on.open_context();
  const gpu::CUevent event = on.event();
  const gpu::CUstream first = begin(on, CU_STREAM_CAPTURE_MODE_RELAXED);
  const gpu::CUstream second = begin(on, CU_STREAM_CAPTURE_MODE_RELAXED);
  on.needs(Call::cuEventRecord, on.cu.cuEventRecord(event, first));
  on.sees(Call::cuStreamWaitEvent, on.cu.cuStreamWaitEvent(second, event, 0), {capture_merge});
  ends_broken(on, second);
}

void ended_in_another_thread(ProbeRun& on) {
  const gpu::CUcontext context = on.open_context();
  const gpu::CUstream stream = begin(on, CU_STREAM_CAPTURE_MODE_GLOBAL);
  gpu::CUgraph graph = nullptr;
  int current = 0;
  int ended = 0;
  std::thread([&] {
    current = on.cu.cuCtxSetCurrent(context);
    ended = on.cu.cuStreamEndCapture(stream, &graph);
  }).join();
  on.needs(Call::cuCtxSetCurrent, current);
  on.sees(Call::cuStreamEndCapture, ended, {capture_wrong_thread});
  on.holds("no_graph", graph == nullptr);
}

void question_about_a_captured_event(ProbeRun& on) {
  on.open_context();
  const gpu::CUevent event = on.event();
  const gpu::CUstream stream = begin(on, CU_STREAM_CAPTURE_MODE_RELAXED);
  on.passes(Call::cuEventRecord, on.cu.cuEventRecord(event, stream));
  on.sees(Call::cuEventQuery, on.cu.cuEventQuery(event), {captured_event});
  on.sees(Call::cuEventSynchronize, on.cu.cuEventSynchronize(event), {captured_event});
}

void event_of_an_ended_capture(ProbeRun& on) {
  on.open_context();
  const gpu::CUevent event = on.event();
  const gpu::CUstream other = on.stream();
  const gpu::CUstream stream = begin(on, CU_STREAM_CAPTURE_MODE_RELAXED);
  gpu::CUgraph graph = nullptr;
  on.passes(Call::cuEventRecord, on.cu.cuEventRecord(event, stream));
  on.passes(Call::cuStreamEndCapture, on.cu.cuStreamEndCapture(stream, &graph));
  on.sees(Call::cuStreamWaitEvent, on.cu.cuStreamWaitEvent(other, event, 0), {captured_event});
  on.lingers({captured_event}, other);
}

constexpr Probe kCaptureProbes[] = {
    {"captured-work", "is recorded, not run", captured_work_does_not_run},
    {"allocation-while-capturing", "breaks a capture in global mode", allocation_while_capturing},
    {"allocation-beside-a-relaxed-capture", "goes on", allocation_beside_a_relaxed_capture},
    {"wait-for-a-capturing-stream", "breaks the capture", wait_for_a_capturing_stream},
    {"work-on-a-broken-capture", "is refused until the capture has ended", work_on_a_broken_capture},
    {"outside-event", "cannot be waited for inside", outside_event},
    {"unjoined-capture", "a stream was not joined back", unjoined},
    {"ended-on-another-stream", "only its origin ends a capture", ended_on_another_stream},
    {"merged-captures", "two captures cannot become one", merged},
    {"ended-in-another-thread", "only the thread that began it ends it", ended_in_another_thread},
    {"captured-event", "cannot be asked or waited for", question_about_a_captured_event},
    {"event-of-an-ended-capture", "cannot be waited for outside", event_of_an_ended_capture},
};

}  // namespace

std::span<const Probe> capture_probes() { return kCaptureProbes; }

}  // namespace taintgraph::props
