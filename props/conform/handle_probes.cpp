// Probes of streams, events and their handles.
#include "props/conform/probe.hpp"

namespace taintgraph::props {
namespace {

using gpu::Call;
using enum gpu::FaultKind;

void busy_stream(ProbeRun& on) {
  on.open_context();
  const gpu::CUstream stream = on.stream();
  const gpu::CUevent event = on.event();
  const gpu::CUfunction busy = on.rig.function_that_meets(not_ready);
  on.needs(Call::cuLaunchKernel, on.launch(busy, stream));
  on.needs(Call::cuEventRecord, on.cu.cuEventRecord(event, stream));
  const int of_stream = on.cu.cuStreamQuery(stream);
  const int of_event = on.cu.cuEventQuery(event);
  on.sees(Call::cuStreamQuery, of_stream, {not_ready});
  on.sees(Call::cuEventQuery, of_event, {not_ready});
  on.passes(Call::cuEventSynchronize, on.cu.cuEventSynchronize(event));
  on.passes(Call::cuEventQuery, on.cu.cuEventQuery(event));
  on.passes(Call::cuStreamQuery, on.cu.cuStreamQuery(stream));
}

void event_never_recorded(ProbeRun& on) {
  on.open_context();
  const gpu::CUstream stream = on.stream();
  const gpu::CUevent event = on.event();
  on.passes(Call::cuStreamWaitEvent, on.cu.cuStreamWaitEvent(stream, event, 0));
  on.passes(Call::cuEventQuery, on.cu.cuEventQuery(event));
  on.passes(Call::cuEventSynchronize, on.cu.cuEventSynchronize(event));
  on.passes(Call::cuStreamQuery, on.cu.cuStreamQuery(stream));
}

// The wait binds to what the event meant when the wait was asked for.
void event_recorded_again(ProbeRun& on) {
  on.open_context();
  const gpu::CUstream busy = on.stream();
  const gpu::CUstream waiting = on.stream();
  const gpu::CUevent event = on.event();
  const gpu::CUfunction function = on.rig.function_that_meets(not_ready);
  on.passes(Call::cuEventRecord, on.cu.cuEventRecord(event, busy));
  on.passes(Call::cuStreamWaitEvent, on.cu.cuStreamWaitEvent(waiting, event, 0));
  on.needs(Call::cuLaunchKernel, on.launch(function, busy));
  on.passes(Call::cuEventRecord, on.cu.cuEventRecord(event, busy));
  on.passes(Call::cuStreamSynchronize, on.cu.cuStreamSynchronize(waiting));
  on.sees(Call::cuStreamQuery, on.cu.cuStreamQuery(busy), {not_ready});
}

void stream_destroyed_twice(ProbeRun& on) {
  on.open_context();
  const gpu::CUstream stream = on.stream();
  on.passes(Call::cuStreamDestroy, on.cu.cuStreamDestroy(stream));
  on.sees(Call::cuStreamDestroy, on.cu.cuStreamDestroy(stream), {invalid_handle, context_is_destroyed});
  on.lingers({invalid_handle}, on.stream());
}

void event_destroyed_twice(ProbeRun& on) {
  on.open_context();
  const gpu::CUevent event = on.event();
  on.passes(Call::cuEventDestroy, on.cu.cuEventDestroy(event));
  on.sees(Call::cuEventDestroy, on.cu.cuEventDestroy(event), {invalid_handle, context_is_destroyed});
  on.lingers({invalid_handle}, on.stream());
}

void no_event(ProbeRun& on) {
  on.open_context();
  const gpu::CUstream stream = on.stream();
  on.sees(Call::cuEventRecord, on.cu.cuEventRecord(nullptr, stream), {invalid_handle, invalid_value});
  on.sees(Call::cuStreamWaitEvent, on.cu.cuStreamWaitEvent(stream, nullptr, 0), {invalid_handle, invalid_value});
  on.lingers({invalid_handle}, stream);
}

void stream_destroyed_with_work(ProbeRun& on) {
  on.open_context();
  const gpu::CUstream stream = on.stream();
  const gpu::CUevent event = on.event();
  const gpu::CUfunction busy = on.rig.function_that_meets(not_ready);
  on.needs(Call::cuLaunchKernel, on.launch(busy, stream));
  on.needs(Call::cuEventRecord, on.cu.cuEventRecord(event, stream));
  on.passes(Call::cuStreamDestroy, on.cu.cuStreamDestroy(stream));
  on.passes(Call::cuEventSynchronize, on.cu.cuEventSynchronize(event));
  on.passes(Call::cuCtxSynchronize, on.cu.cuCtxSynchronize());
}

constexpr Probe kHandleProbes[] = {
    {"busy-stream", "work that is not done yet is no error", busy_stream},
    {"event-never-recorded", "waiting for it does nothing", event_never_recorded},
    {"event-recorded-again", "a wait binds when it is asked for", event_recorded_again},
    {"stream-destroyed-twice", "a stream's handle is dead", stream_destroyed_twice},
    {"event-destroyed-twice", "an event's handle is dead", event_destroyed_twice},
    {"no-event", "a null event", no_event},
    {"stream-destroyed-with-work", "its work is done all the same", stream_destroyed_with_work},
};

}  // namespace

std::span<const Probe> handle_probes() { return kHandleProbes; }

}  // namespace taintgraph::props
