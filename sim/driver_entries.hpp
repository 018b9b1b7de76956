// The simulated driver as an object: one member function an entry of the two tables, each meaning what CUDA documents.
//
// Every entry goes through one prologue (in_context, without_context): time moves a little and work that is done by now
// runs; misuse of the context is found; an earlier error may surface; the fault plan is asked. Then the entry's own
// body runs, or not, as the fault says. Bodies are spread over driver_*.cpp by subject.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "sim/call_traits.hpp"
#include "sim/device_memory.hpp"
#include "sim/driver.hpp"
#include "sim/driver_objects.hpp"
#include "sim/driver_types.hpp"
#include "sim/fault_plan.hpp"
#include "sim/finding_log.hpp"
#include "sim/handle_table.hpp"
#include "sim/host_memory.hpp"
#include "sim/kernel_image.hpp"
#include "sim/race_detector.hpp"
#include "sim/timeline.hpp"
#include "sim/work_executor.hpp"

namespace taintgraph::sim {

class DriverEntries final : private WorkRunner {
 public:
  // `number` tells drivers apart in handles.
  DriverEntries(const DriverOptions& options, FaultPlan& plan, std::uint32_t number);

#define TAINTGRAPH_ENTRY(name, parameters) CUresult name parameters;
  TAINTGRAPH_DRIVER_ENTRIES(TAINTGRAPH_ENTRY)
#undef TAINTGRAPH_ENTRY
#define TAINTGRAPH_ENTRY(name, parameters) nvrtcResult name parameters;
  TAINTGRAPH_COMPILER_ENTRIES(TAINTGRAPH_ENTRY)
#undef TAINTGRAPH_ENTRY

  void declare(CUstream stream, const gpu::DeclaredAccess* accesses, std::size_t count);
  // From now on a launch without a declaration is a finding.
  void expect_declarations() { expects_declarations_ = true; }

  [[nodiscard]] FindingLog& findings() { return findings_; }
  [[nodiscard]] Timeline& timeline() { return timeline_; }
  [[nodiscard]] LiveObjects count_objects() const;
  [[nodiscard]] const LiveObjects& left_to_context() const { return left_to_context_; }
  [[nodiscard]] std::vector<std::string> live_objects();

 private:
  // How the call now running was struck.
  struct Struck {
    std::optional<AsyncFault> async;
    std::uint64_t write_limit = Work::kAllBytes;
    bool lost = false;       // what it creates, nobody will learn of
    bool ends_only = false;  // it ends what it is given, and has no other effect
  };
  struct Declaration {
    bool pending = false;
    CUstream stream = nullptr;
    std::vector<gpu::DeclaredAccess> accesses;
  };

  // The prologue of an entry that works on the current context; body(ContextObject&) is its effect.
  template <class Body>
  CUresult in_context(const CallSite& site, Body&& body) {
    timeline_.step();
    ContextObject* const context = contexts_.find(current());
    if (context == nullptr) return no_context(site.call);
    const CUresult refused = refuse(*context, site.call);
    if (refused != CUDA_SUCCESS) {
      plan_.pass();
      struck_.ends_only = true;
      if (gives_back(site.call)) (void)body(*context);
      struck_ = {};
      return refused;
    }
    const std::optional<FiredFault> fault = plan_.decide(site);
    if (!open_captures_.empty() && (fault || unsafe_in_capture(site.call))) {
      return beside_captures(site, fault, *context, [&] { return body(*context); });
    }
    if (!fault) return body(*context);
    return struck(*fault, context, [&] { return body(*context); });
  }

  // The prologue of an entry that needs no context; body() is its effect.
  template <class Body>
  CUresult without_context(Call call, Body&& body) {
    timeline_.step();
    if (!initialised_ && call != Call::cuInit && call != Call::cuDriverGetVersion && call != Call::cuGetErrorName) {
      findings_.add(std::string(gpu::to_string(call)) + " before cuInit");
      plan_.pass();
      return CUDA_ERROR_NOT_INITIALIZED;
    }
    const std::optional<FiredFault> fault = plan_.decide({call, std::nullopt, {}});
    if (!fault) return body();
    return struck(*fault, nullptr, body);
  }

  // The same for an entry that works on a stream; body(ContextObject&, StreamObject&).
  template <class Body>
  CUresult on_stream(Call call, CUstream handle, std::string_view kernel, Body&& body) {
    StreamObject* const stream = streams_.find(handle);
    CallSite site{call, std::nullopt, kernel};
    if (stream != nullptr) site.stream = stream->slot;
    return in_context(site, [&](ContextObject& context) {
      if (!owned(stream, context, call, handle == nullptr ? "the NULL stream" : "a stream")) {
        return CUDA_ERROR_INVALID_HANDLE;
      }
      if (stream->capture && stream->capture->invalidated && adds_to_capture(call)) {
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
      }
      return body(context, *stream);
    });
  }

  // The prologue of a compiler entry; body() is its effect.
  template <class Body>
  nvrtcResult compile_call(Call call, std::string_view kernel, Body&& body) {
    timeline_.step();
    const std::optional<FiredFault> fault = plan_.decide({call, std::nullopt, kernel});
    if (!fault) return body();
    // The compiler has no later call at which an error of now could surface, so every error is one of now.
    if (fault->when == FaultWhen::after || gives_back(call)) {
      struck_ = {};
      struck_.lost = true;
      (void)body();
      struck_ = {};
    }
    return static_cast<nvrtcResult>(fault->code);
  }

  // The same for one that works on a program; body(ProgramObject&).
  template <class Body>
  nvrtcResult on_program(Call call, nvrtcProgram handle, Body&& body) {
    ProgramObject* const program = programs_.find(handle);
    const bool is_known = program != nullptr && program->kernel;
    return compile_call(call, is_known ? kernel_name(*program->kernel) : std::string_view(), [&] {
      if (program != nullptr) return body(*program);
      findings_.add(std::string(gpu::to_string(call)) + " is given a program that does not exist");
      return NVRTC_ERROR_INVALID_PROGRAM;
    });
  }

  // True if `object` is alive and belongs to `context`; a finding otherwise.
  template <class Object>
  bool owned(const Object* object, const ContextObject& context, Call call, const char* what) {
    if (object != nullptr && object->context == context.serial) return true;
    report_not_owned(call, what, object != nullptr);
    return false;
  }
  void report_not_owned(Call call, const char* what, bool exists);
  // What is wrong with the call: a finding, and `code` to return.
  CUresult misuse(Call call, std::string_view what, CUresult code);

  // What a call comes to that needs a context where none is current, or a dead one: a finding.
  CUresult no_context(Call call);
  // The context that is current on this thread.
  [[nodiscard]] CUcontext& current() {
    const std::thread::id thread = std::this_thread::get_id();
    for (auto& [owner, context] : currents_) {
      if (owner == thread) return context;
    }
    return none_current(thread);
  }
  CUcontext& none_current(std::thread::id thread);
  [[nodiscard]] ContextObject* context_of(std::uint64_t serial);
  [[nodiscard]] ContextObject* struck_context();
  CUresult refuse(ContextObject& context, Call call);
  void look_ahead(ContextObject& context);
  CUresult struck(const FiredFault& fault, ContextObject* context, const std::function<CUresult()>& body);
  CUresult became_known(ContextObject& context, CUresult code);
  // Waits for `past` on behalf of the host.
  CUresult wait_for(ContextObject& context, const VectorClock& past);
  CUresult query(ContextObject& context, const VectorClock& past, bool found_done);
  [[nodiscard]] VectorClock past_of(const ContextObject& context);
  void destroy_context(CUcontext handle, ContextObject& context);
  CUresult create_context(CUcontext* handle, bool primary);

  // Queues what `fill` makes of an empty Work.
  template <class Fill>
  void submit(ContextObject& context, StreamObject& stream, Fill&& fill) {
    if (stream.capture) {
      Work work;
      fill(work);
      record(stream, std::move(work));
      return;
    }
    WorkItem& item = timeline_.enqueue(stream.slot);
    fill(item.work);
    queued(context, item);
  }
  void queued(ContextObject& context, WorkItem& item);
  void run(WorkItem& item) override;

  // What a call does while some stream captures, if it is struck or that could bar it.
  CUresult beside_captures(const CallSite& site, const std::optional<FiredFault>& fault, ContextObject& context,
                           const std::function<CUresult()>& body);
  void record(StreamObject& stream, Work work);
  void end_capture(Capture& capture);
  // A capture is broken by a misuse: a finding, and `code` to return.
  CUresult break_capture(Capture& capture, Call call, std::string_view what, CUresult code);
  CUresult wait_in_capture(StreamObject& stream, const EventObject& event);

  CUresult allocate(ContextObject& context, CUdeviceptr* address, std::size_t size_bytes, Call call,
                    StreamObject* stream);
  // The allocation at exactly `address`; a finding if there is none.
  [[nodiscard]] Allocation* allocation_to_free(CUdeviceptr address, Call call);
  [[nodiscard]] bool device_range_exists(CUdeviceptr address, std::size_t size_bytes, Call call);
  void fill_launch(Work& work, std::size_t kernel, const LaunchDimensions& dimensions, CUstream stream,
                   void** parameters);

  DriverOptions options_;
  FaultPlan& plan_;
  FindingLog findings_;
  DeviceMemory memory_;
  HostMemory host_memory_;
  WorkExecutor executor_;
  RaceDetector races_;
  Timeline timeline_;

  HandleTable<CUcontext, ContextObject> contexts_;
  HandleTable<CUstream, StreamObject> streams_;
  HandleTable<CUevent, EventObject> events_;
  HandleTable<CUmodule, ModuleObject> modules_;
  HandleTable<CUfunction, FunctionObject> functions_;
  HandleTable<CUgraph, GraphObject> graphs_;
  HandleTable<CUgraphExec, GraphExecObject> graph_execs_;
  HandleTable<nvrtcProgram, ProgramObject> programs_;
  std::vector<std::shared_ptr<Capture>> open_captures_;
  std::vector<std::pair<std::thread::id, CUcontext>> currents_;

  bool initialised_ = false;
  bool expects_declarations_ = false;
  std::uint64_t context_serial_ = 0;
  LiveObjects left_to_context_;  // the context destroyed last
  CUcontext primary_ = nullptr;
  CUresult process_error_ = CUDA_SUCCESS;  // an error that only a new process recovers from
  Struck struck_;
  Declaration declaration_;
};

}  // namespace taintgraph::sim
