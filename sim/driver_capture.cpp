// Captures and graphs.
#include <algorithm>

#include "sim/driver_entries.hpp"

namespace taintgraph::sim {
namespace {

bool is_capture_error(CUresult code) {
  return code >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED && code <= CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
}

}  // namespace

CUresult DriverEntries::break_capture(Capture& capture, Call call, std::string_view what, CUresult code) {
  capture.invalidated = true;
  return misuse(call, what, code);
}

CUresult DriverEntries::beside_captures(const CallSite& site, const std::optional<FiredFault>& fault,
                                        ContextObject& context, const std::function<CUresult()>& body) {
  const auto guarded = [&] {
    if (!unsafe_in_capture(site.call)) return body();
    for (const std::shared_ptr<Capture>& capture : open_captures_) {
      const bool is_barred =
          capture->mode == gpu::CU_STREAM_CAPTURE_MODE_GLOBAL ||
          (capture->mode == gpu::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL && capture->thread == std::this_thread::get_id());
      if (!is_barred) continue;
      return break_capture(*capture, site.call, "while a stream captures", CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
    return body();
  };
  if (!fault) return guarded();
  const CUresult code = struck(*fault, &context, guarded);
  if (!is_capture_error(code) || site.call == Call::cuStreamBeginCapture) return code;
  // An error of capturing invalidates the capture that it is about: its stream's, or all if the call is about none.
  for (const std::shared_ptr<Capture>& capture : open_captures_) {
    bool is_meant = !site.stream;
    streams_.each([&](CUstream, const StreamObject& stream) {
      is_meant = is_meant || (stream.slot == site.stream && stream.capture == capture);
    });
    if (is_meant) capture->invalidated = true;
  }
  return code;
}

void DriverEntries::record(StreamObject& stream, Work work) {
  // Half an operation is no node: the call has failed and nothing runs now.
  if (struck_.write_limit != Work::kAllBytes) return;
  if (struck_.async) work.fault = std::exchange(struck_.async, std::nullopt);
  Capture& capture = *stream.capture;
  capture.nodes.push_back(std::move(work));
  capture.recorded.include(stream.slot, capture.recorded[stream.slot] + 1);
  stream.captured.include(stream.slot, capture.recorded[stream.slot]);
}

CUresult DriverEntries::wait_in_capture(StreamObject& stream, const EventObject& event) {
  constexpr Call kCall = Call::cuStreamWaitEvent;
  if (!event.capture) {
    if (event.due == 0) return CUDA_SUCCESS;  // never recorded: nothing to wait for
    return break_capture(*stream.capture, kCall, "inside a capture for an event recorded outside",
                         CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  }
  if (event.capture->ended) return misuse(kCall, "for an event of an ended capture", CUDA_ERROR_CAPTURED_EVENT);
  if (event.capture->invalidated) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (!stream.capture) {
    stream.capture = event.capture;
    stream.captured = {};
  } else if (stream.capture != event.capture) {
    stream.capture->invalidated = true;
    return break_capture(*event.capture, kCall, "would merge two captures", CUDA_ERROR_STREAM_CAPTURE_MERGE);
  }
  stream.captured.join(event.clock);
  return CUDA_SUCCESS;
}

CUresult DriverEntries::cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
  constexpr Call kCall = Call::cuStreamBeginCapture;
  return on_stream(kCall, stream, {}, [&](ContextObject& context, StreamObject& object) {
    if (object.capture) return misuse(kCall, "of a capturing stream", CUDA_ERROR_INVALID_VALUE);
    if (mode < gpu::CU_STREAM_CAPTURE_MODE_GLOBAL || mode > gpu::CU_STREAM_CAPTURE_MODE_RELAXED) {
      return misuse(kCall, "in no known mode", CUDA_ERROR_INVALID_VALUE);
    }
    object.capture = open_captures_.emplace_back(std::make_shared<Capture>());
    object.capture->mode = mode;
    object.capture->context = context.serial;
    object.capture->origin = object.slot;
    object.capture->thread = std::this_thread::get_id();
    object.captured = {};
    return CUDA_SUCCESS;
  });
}

void DriverEntries::end_capture(Capture& capture) {
  capture.ended = true;
  streams_.each([&](CUstream, StreamObject& stream) {
    if (stream.capture.get() == &capture) stream.capture = nullptr;
  });
  std::erase_if(open_captures_, [&capture](const auto& each) { return each.get() == &capture; });
}

CUresult DriverEntries::cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  constexpr Call kCall = Call::cuStreamEndCapture;
  return on_stream(kCall, stream, {}, [&](ContextObject&, StreamObject& object) {
    *graph = nullptr;
    const std::shared_ptr<Capture> capture = object.capture;
    if (!capture || capture->origin != object.slot) {
      // Refused in any case: on a poisoned context nobody could have asked whether there is a capture to end.
      if (struck_.ends_only) return CUDA_SUCCESS;
      return misuse(kCall, "of a stream that began no capture", CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    }
    if (capture->mode != gpu::CU_STREAM_CAPTURE_MODE_RELAXED && capture->thread != std::this_thread::get_id()) {
      return break_capture(*capture, kCall, "in another thread than began it", CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    }
    bool is_joined = true;
    for (std::uint32_t slot = 0; slot < capture->recorded.slots(); ++slot) {
      is_joined = is_joined && object.captured[slot] >= capture->recorded[slot];
    }
    end_capture(*capture);
    if (struck_.ends_only) return CUDA_SUCCESS;
    if (capture->invalidated) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (!is_joined) return misuse(kCall, "with streams not joined back", CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    *graph = graphs_.create({std::move(capture->nodes)}, struck_.lost);
    return CUDA_SUCCESS;
  });
}

CUresult DriverEntries::cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  return on_stream(Call::cuStreamIsCapturing, stream, {}, [&](ContextObject&, StreamObject& object) {
    if (!object.capture) {
      *status = gpu::CU_STREAM_CAPTURE_STATUS_NONE;
    } else {
      *status = object.capture->invalidated ? gpu::CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                            : gpu::CU_STREAM_CAPTURE_STATUS_ACTIVE;
    }
    return CUDA_SUCCESS;
  });
}

CUresult DriverEntries::cuGraphDestroy(CUgraph graph) {
  return in_context({Call::cuGraphDestroy, std::nullopt, {}}, [&](ContextObject&) {
    if (graphs_.find(graph) == nullptr) {
      return misuse(Call::cuGraphDestroy, "of a graph that does not exist", CUDA_ERROR_INVALID_VALUE);
    }
    graphs_.erase(graph);
    return CUDA_SUCCESS;
  });
}

CUresult DriverEntries::cuGraphInstantiate(CUgraphExec* exec, CUgraph graph, unsigned long long) {
  return in_context({Call::cuGraphInstantiate, std::nullopt, {}}, [&](ContextObject& context) {
    const GraphObject* const object = graphs_.find(graph);
    if (object == nullptr) {
      return misuse(Call::cuGraphInstantiate, "of a graph that does not exist", CUDA_ERROR_INVALID_VALUE);
    }
    GraphExecObject made;
    made.context = context.serial;
    made.nodes = object->nodes;
    *exec = graph_execs_.create(std::move(made), struck_.lost);
    return CUDA_SUCCESS;
  });
}

CUresult DriverEntries::cuGraphExecDestroy(CUgraphExec exec) {
  return in_context({Call::cuGraphExecDestroy, std::nullopt, {}}, [&](ContextObject& context) {
    if (!owned(graph_execs_.find(exec), context, Call::cuGraphExecDestroy, "an executable graph")) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    graph_execs_.erase(exec);  // a launch that is queued keeps what it needs
    return CUDA_SUCCESS;
  });
}

CUresult DriverEntries::cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  constexpr Call kCall = Call::cuGraphLaunch;
  return on_stream(kCall, stream, {}, [&](ContextObject& context, StreamObject& object) {
    GraphExecObject* const launched = graph_execs_.find(exec);
    if (!owned(launched, context, kCall, "an executable graph")) return CUDA_ERROR_INVALID_VALUE;
    if (object.capture) {
      return break_capture(*object.capture, kCall, "on a capturing stream", CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
    timeline_.order_after(object.slot, launched->last_launch, launched->last_due);
    for (const Work& node : launched->nodes) {
      submit(context, object, [&node](Work& work) { work = node; });
    }
    launched->last_launch = timeline_.clock(object.slot);
    launched->last_due = timeline_.ready_at(object.slot);
    return CUDA_SUCCESS;
  });
}

}  // namespace taintgraph::sim
