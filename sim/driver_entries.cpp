#include "sim/driver_entries.hpp"

namespace taintgraph::sim {

DriverEntries::DriverEntries(const DriverOptions& options, FaultPlan& plan, std::uint32_t number)
    : options_(options),
      plan_(plan),
      memory_(options.seed, options.memory_bytes, options.page_alignment),
      host_memory_(options.seed),
      executor_(memory_, host_memory_, findings_),
      races_(memory_, host_memory_, findings_),
      timeline_(options.seed, *this, options.order),
      contexts_(HandleKind::context, number),
      streams_(HandleKind::stream, number),
      events_(HandleKind::event, number),
      modules_(HandleKind::module_, number),
      functions_(HandleKind::function, number),
      graphs_(HandleKind::graph, number),
      graph_execs_(HandleKind::graph_exec, number),
      programs_(HandleKind::program, number) {}

CUresult DriverEntries::misuse(Call call, std::string_view what, CUresult code) {
  findings_.add(std::string(gpu::to_string(call)) + " " + std::string(what));
  return code;
}

CUcontext& DriverEntries::none_current(std::thread::id thread) {
  return currents_.emplace_back(thread, nullptr).second;
}

void DriverEntries::report_not_owned(Call call, const char* what, bool exists) {
  findings_.add(std::string(gpu::to_string(call)) + " is given " + what +
                (exists ? " of another context" : " that does not exist"));
}

CUresult DriverEntries::no_context(Call call) {
  const bool is_none = current() == nullptr;
  findings_.add(std::string(gpu::to_string(call)) +
                (is_none ? " without a current context" : " with a destroyed context current"));
  plan_.pass();
  return is_none ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

ContextObject* DriverEntries::context_of(std::uint64_t serial) {
  ContextObject* found = nullptr;
  contexts_.each([&](CUcontext, ContextObject& context) {
    if (context.serial == serial) found = &context;
  });
  return found;
}

CUresult DriverEntries::became_known(ContextObject& context, CUresult code) {
  context.faults.surfaced(code);
  if (context.faults.sticky() == CUDA_SUCCESS) return code;
  // Nothing of this context runs any more, and the host has been told so.
  timeline_.host_waited_for(past_of(context));
  timeline_.discard(context.serial);
  const gpu::FaultRow* const row = gpu::row_of(context.faults.sticky());
  if (row != nullptr && row->recovery == gpu::FaultRecovery::process) process_error_ = context.faults.sticky();
  return code;
}

// Work of earlier operations that is going to fault is made to fault now, so that the error surfaces at the first call
// of the next operation. Other work is left to its time.
void DriverEntries::look_ahead(ContextObject& context) {
  const std::uint64_t operation = plan_.operation();
  context.looked_ahead_in = operation;
  VectorClock faulty;
  bool any = false;
  // What stands before work that was looked at already was looked at with it.
  timeline_.each_pending_backwards([&](WorkItem& item) {
    if (item.probed) return false;
    if (item.context != context.serial || item.operation == operation) return true;
    item.probed = true;
    if (item.due == Timeline::kNever) return true;  // never runs, and so never faults
    const std::optional<AsyncFault>& injected = item.work.fault;
    if (injected ? injected->surface_after_calls.has_value() : !executor_.looks_faulty(item.work)) return true;
    faulty.join(item.clock);
    any = true;
    return true;
  });
  if (any) timeline_.run_until(faulty);
}

CUresult DriverEntries::refuse(ContextObject& context, Call call) {
  const bool strict = options_.surfacing == ErrorSurfacing::strict;
  if (!strict && !documented_to_surface(call)) return CUDA_SUCCESS;
  if (context.faults.sticky() != CUDA_SUCCESS) return context.faults.sticky();
  if (strict && context.looked_ahead_in != plan_.operation()) look_ahead(context);
  if (context.faults.clean()) return CUDA_SUCCESS;
  const CUresult code = context.faults.surface_passing(plan_.calls() + 1, plan_.operation());
  return code == CUDA_SUCCESS ? code : became_known(context, code);
}

// What a fault befalls whose call needs no context: the current one, or the only one there is.
ContextObject* DriverEntries::struck_context() {
  ContextObject* befallen = contexts_.find(current());
  contexts_.each([&](CUcontext, ContextObject& each) {
    if (befallen == nullptr) befallen = &each;
  });
  return befallen;
}

CUresult DriverEntries::struck(const FiredFault& fault, ContextObject* context, const std::function<CUresult()>& body) {
  const CUresult code = static_cast<CUresult>(fault.code);
  struck_ = {};
  CUresult result = code;
  switch (fault.when) {
    case FaultWhen::before:
      // What is given back is gone whatever the call says; of work, some bytes may be done all the same.
      struck_.write_limit = fault.bytes_done;
      struck_.ends_only = true;
      if (gives_back(fault.call) || (fault.bytes_done != 0 && can_be_half_done(fault.call))) (void)body();
      break;
    case FaultWhen::after:
      struck_.lost = true;
      (void)body();
      break;
    case FaultWhen::async:
      struck_.async = AsyncFault{code, fault.surface_after_calls};
      result = body();
      if (context == nullptr) context = struck_context();
      const bool made = result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY;
      if (struck_.async && made && context != nullptr) {
        context->faults.add({code, 0, 0, fault.operation, fault.call_ordinal + fault.surface_after_calls.value_or(0)});
      }
      break;
  }
  struck_ = {};
  if (fault.when != FaultWhen::async && context != nullptr) {
    // An error of earlier work that the call met on its way comes before the one that it is made to return.
    const CUresult met = context->faults.sticky();
    return met != CUDA_SUCCESS ? met : became_known(*context, code);
  }
  return result;
}

CUresult DriverEntries::wait_for(ContextObject& context, const VectorClock& past) {
  timeline_.run_until(past);
  const CUresult code = context.faults.surface_waited(past, plan_.operation());
  if (code != CUDA_SUCCESS) return became_known(context, code);
  if (!timeline_.done(past)) {
    findings_.add("a wait for work that never ends");  // which would not have come back
    return CUDA_ERROR_NOT_READY;
  }
  timeline_.host_waited_for(past);
  return CUDA_SUCCESS;
}

CUresult DriverEntries::query(ContextObject& context, const VectorClock& past, bool found_done) {
  // What stands behind a fault is never done, and the error is the answer.
  if (!found_done && !context.faults.holds(past)) return CUDA_ERROR_NOT_READY;
  return wait_for(context, past);
}

VectorClock DriverEntries::past_of(const ContextObject& context) {
  VectorClock past = context.ended;
  streams_.each([&](CUstream, const StreamObject& stream) {
    if (stream.context == context.serial) past.join(timeline_.clock(stream.slot));
  });
  return past;
}

void DriverEntries::queued(ContextObject& context, WorkItem& item) {
  item.context = context.serial;
  item.operation = plan_.operation();
  item.call = plan_.calls();
  // A call that marks ownership does nothing that could fault by itself: its error is of no work, and any wait meets
  // it.
  if (struck_.async && !marks_ownership(item.work.kind)) item.work.fault = std::exchange(struck_.async, std::nullopt);
  item.work.write_limit = struck_.write_limit;
  // An error of its own ends a kernel, and what a call that failed did of its work was done at once.
  const bool is_endless = item.work.kind == WorkKind::kernel && item.work.kernel->endless && !item.work.fault &&
                          item.work.write_limit == Work::kAllBytes;
  if (is_endless) timeline_.never_ends(item);
  races_.queued(item, timeline_.host());
  if (options_.order != nullptr) item.work.host_digest = executor_.host_digest(item.work);
}

void DriverEntries::run(WorkItem& item) {
  ContextObject* const context = context_of(item.context);
  const bool is_barred = context != nullptr && context->faults.holds(item.clock);
  if (is_barred && item.work.kind != WorkKind::release) return;
  if (item.work.host_digest && item.work.host_digest != executor_.host_digest(item.work)) {
    findings_.add(std::string(gpu::to_string(item.work.call)) + " on stream " + std::to_string(item.slot) +
                  ": its host memory changed between the call and the copy");
  }
  std::optional<CUresult> error = executor_.execute(item.work, item.slot);
  // The call has reported its failure; this is only what was done of it.
  if (item.work.write_limit != Work::kAllBytes) error.reset();
  std::uint64_t quiet_until_call = 0;
  if (item.work.fault) {
    error = item.work.fault->code;
    quiet_until_call = item.call + item.work.fault->surface_after_calls.value_or(0);
  }
  if (error && context != nullptr) {
    context->faults.add({*error, item.slot, item.ordinal, item.operation, quiet_until_call});
  }
}

LiveObjects DriverEntries::count_objects() const {
  return {.contexts = contexts_.live(),
          .streams = streams_.live(),
          .events = events_.live(),
          .modules = modules_.live(),
          .graphs = graphs_.live(),
          .executable_graphs = graph_execs_.live(),
          .programs = programs_.live(),
          .allocations = memory_.live(),
          .host_allocations = host_memory_.live()};
}

std::vector<std::string> DriverEntries::live_objects() {
  std::vector<std::string> lines;
  const auto add = [&lines](const char* what, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) lines.emplace_back(what);
  };
  add("context", contexts_.live());
  add("stream", streams_.live());
  add("event", events_.live());
  add("module", modules_.live());
  add("graph", graphs_.live());
  add("executable graph", graph_execs_.live());
  add("program", programs_.live());
  add("open capture", open_captures_.size());
  for (const auto& allocation : memory_.allocations()) {
    if (allocation->lost || allocation->free_queued) continue;
    lines.push_back("allocation " + std::to_string(allocation->serial) + " of " +
                    std::to_string(allocation->size_bytes) + " bytes");
  }
  for (const auto& allocation : host_memory_.allocations()) {
    if (allocation->lost) continue;
    lines.push_back("host allocation " + std::to_string(allocation->serial) + " of " +
                    std::to_string(allocation->size_bytes) + " bytes");
  }
  return lines;
}

}  // namespace taintgraph::sim
