// Streams and events.
#include "sim/driver_entries.hpp"

namespace taintgraph::sim {

CUresult DriverEntries::cuStreamCreate(CUstream* stream, unsigned flags) {
  return in_context({Call::cuStreamCreate, std::nullopt, {}}, [&](ContextObject& context) {
    if (flags > gpu::kStreamNonBlocking) {
      return misuse(Call::cuStreamCreate, "is given unknown flags", CUDA_ERROR_INVALID_VALUE);
    }
    if (flags != gpu::kStreamNonBlocking) (void)misuse(Call::cuStreamCreate, "of a blocking stream", CUDA_SUCCESS);
    StreamObject object;
    object.context = context.serial;
    object.slot = timeline_.open_slot();
    *stream = streams_.create(std::move(object), struck_.lost);
    return CUDA_SUCCESS;
  });
}

CUresult DriverEntries::cuStreamDestroy(CUstream stream) {
  return on_stream(Call::cuStreamDestroy, stream, {}, [&](ContextObject& context, StreamObject& object) {
    if (object.capture) {
      (void)break_capture(*object.capture, Call::cuStreamDestroy, "of a capturing stream", CUDA_SUCCESS);
      if (object.capture->origin == object.slot) end_capture(*object.capture);
    }
    context.ended.join(timeline_.clock(object.slot));
    timeline_.close_slot(object.slot);
    streams_.erase(stream);
    return CUDA_SUCCESS;
  });
}

CUresult DriverEntries::cuStreamSynchronize(CUstream stream) {
  return on_stream(Call::cuStreamSynchronize, stream, {}, [&](ContextObject& context, StreamObject& object) {
    if (object.capture) {
      return break_capture(*object.capture, Call::cuStreamSynchronize, "of a capturing stream",
                           CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
    return wait_for(context, timeline_.clock(object.slot));
  });
}

CUresult DriverEntries::cuStreamQuery(CUstream stream) {
  return on_stream(Call::cuStreamQuery, stream, {}, [&](ContextObject& context, StreamObject& object) {
    if (object.capture) {
      return break_capture(*object.capture, Call::cuStreamQuery, "of a capturing stream",
                           CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
    const VectorClock& past = timeline_.clock(object.slot);
    return query(context, past, timeline_.found_done_waiting(past));
  });
}

CUresult DriverEntries::cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  constexpr Call kCall = Call::cuStreamWaitEvent;
  return on_stream(kCall, stream, {}, [&](ContextObject&, StreamObject& object) {
    // The event may be of any context, unlike the stream.
    const EventObject* const waited = events_.find(event);
    if (waited == nullptr) return misuse(kCall, "is given an event that does not exist", CUDA_ERROR_INVALID_HANDLE);
    if (flags != 0) return misuse(kCall, "is given flags", CUDA_ERROR_INVALID_VALUE);
    if (object.capture || waited->capture) return wait_in_capture(object, *waited);
    timeline_.order_after(object.slot, waited->clock, waited->due);
    return CUDA_SUCCESS;
  });
}

CUresult DriverEntries::cuEventCreate(CUevent* event, unsigned) {
  return in_context({Call::cuEventCreate, std::nullopt, {}}, [&](ContextObject& context) {
    EventObject object;
    object.context = context.serial;
    *event = events_.create(std::move(object), struck_.lost);
    return CUDA_SUCCESS;
  });
}

CUresult DriverEntries::cuEventDestroy(CUevent event) {
  return in_context({Call::cuEventDestroy, std::nullopt, {}}, [&](ContextObject& context) {
    if (!owned(events_.find(event), context, Call::cuEventDestroy, "an event")) return CUDA_ERROR_INVALID_HANDLE;
    events_.erase(event);
    return CUDA_SUCCESS;
  });
}

CUresult DriverEntries::cuEventRecord(CUevent event, CUstream stream) {
  constexpr Call kCall = Call::cuEventRecord;
  return on_stream(kCall, stream, {}, [&](ContextObject& context, StreamObject& object) {
    EventObject* const recorded = events_.find(event);
    if (!owned(recorded, context, kCall, "an event")) return CUDA_ERROR_INVALID_HANDLE;
    recorded->capture = object.capture;
    if (object.capture) {
      recorded->clock = object.captured;
      return CUDA_SUCCESS;
    }
    recorded->clock = timeline_.clock(object.slot);
    recorded->due = timeline_.ready_at(object.slot);
    return CUDA_SUCCESS;
  });
}

CUresult DriverEntries::cuEventQuery(CUevent event) {
  return in_context({Call::cuEventQuery, std::nullopt, {}}, [&](ContextObject& context) {
    const EventObject* const object = events_.find(event);
    if (!owned(object, context, Call::cuEventQuery, "an event")) return CUDA_ERROR_INVALID_HANDLE;
    if (object->capture) return misuse(Call::cuEventQuery, "of a captured event", CUDA_ERROR_CAPTURED_EVENT);
    const bool is_held = context.faults.holds(object->clock);
    return query(context, object->clock, is_held || timeline_.found_done(object->clock));
  });
}

CUresult DriverEntries::cuEventSynchronize(CUevent event) {
  return in_context({Call::cuEventSynchronize, std::nullopt, {}}, [&](ContextObject& context) {
    const EventObject* const object = events_.find(event);
    if (!owned(object, context, Call::cuEventSynchronize, "an event")) return CUDA_ERROR_INVALID_HANDLE;
    if (object->capture) return misuse(Call::cuEventSynchronize, "of a captured event", CUDA_ERROR_CAPTURED_EVENT);
    return wait_for(context, object->clock);
  });
}

}  // namespace taintgraph::sim
