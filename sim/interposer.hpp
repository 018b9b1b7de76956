// The injector's inside: what happens at one entry of a table, written once for all of them.
//
// An entry's own ways are overloads on Of<call>: what it ends, what it waits for, what it submits, how what it made is
// given back.
#pragma once

#include <optional>
#include <vector>

#include "sim/call_traits.hpp"
#include "sim/context_faults.hpp"
#include "sim/driver.hpp"
#include "sim/seen_objects.hpp"

namespace taintgraph::sim {

class Interposer {
 public:
  Interposer(const gpu::DriverApi& driver, const gpu::CompilerApi& compiler, ErrorSurfacing surfacing, FaultPlan& plan)
      : driver_(driver), compiler_(compiler), surfacing_(surfacing), plan_(plan) {}
  Interposer(const Interposer&) = delete;
  Interposer& operator=(const Interposer&) = delete;

  template <Call call, class... Arguments>
  CUresult drive(CUresult (*gpu::DriverApi::*entry)(Arguments...), Arguments... arguments) {
    const CUresult refused = refuse(call);
    if (refused != CUDA_SUCCESS) {
      plan_.pass();
      if (gives_back(call)) end_only<call>(entry, arguments...);
      return finish<call>(refused);
    }
    if (driver_lost_ && needs_context(call)) {
      plan_.pass();
      return finish<call>(make<call>(entry, arguments...));
    }
    const std::optional<FiredFault> fault = plan_.decide(objects_.site<call>(arguments...));
    if (!fault) return finish<call>(make<call>(entry, arguments...));
    if (fault->when == FaultWhen::async) {
      struck_ = AsyncFault{static_cast<CUresult>(fault->code), fault->surface_after_calls};
      const CUresult result = make<call>(entry, arguments...);
      const bool befalls_a_context = has_context_ || makes_a_context(call) || needs_context(call);
      const bool made = result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY;
      if (struck_ && made && befalls_a_context) add_latent(nullptr, *struck_);
      struck_.reset();
      return finish<call>(result);
    }
    return finish<call>(fail<call>(*fault, entry, arguments...));
  }

  template <Call call, class... Arguments>
  nvrtcResult compile(nvrtcResult (*gpu::CompilerApi::*entry)(Arguments...), Arguments... arguments) {
    const std::optional<FiredFault> fault = plan_.decide(objects_.site<call>(arguments...));
    if (fault && fault->when != FaultWhen::after && !gives_back(call)) return static_cast<nvrtcResult>(fault->code);
    objects_.forget(Of<call>{}, arguments...);
    const nvrtcResult result = (compiler_.*entry)(arguments...);
    if (!fault) {
      if (result == NVRTC_SUCCESS) objects_.learn(Of<call>{}, arguments...);
      return result;
    }
    if (result == NVRTC_SUCCESS) undo(Of<call>{}, arguments...);
    return static_cast<nvrtcResult>(fault->code);
  }

  void declare(CUstream stream, const gpu::DeclaredAccess* accesses, std::size_t count);
  void observe_with(const gpu::LaunchObserver& behind) { behind_ = behind; }

 private:
  // What an injected error of earlier makes the call answer; CUDA_SUCCESS if it is to go on.
  [[nodiscard]] CUresult refuse(Call call);
  // An injected error has been told to the backend.
  CUresult became_known(CUresult code);
  // `stream`: that of the work it struck, or nullptr.
  void add_latent(SeenObjects::Stream* stream, const AsyncFault& fault);

  // The call itself, and what it means for what is injected.
  template <Call call, class... Arguments>
  CUresult make(CUresult (*gpu::DriverApi::*entry)(Arguments...), Arguments... arguments) {
    if (makes_a_context(call) && process_error_ != CUDA_SUCCESS) return process_error_;
    SeenObjects::Stream* const stream = objects_.stream_among(arguments...);
    if (stream != nullptr && stream->invalidated) {
      if (call == Call::cuStreamEndCapture) {
        end_only<call>(entry, arguments...);
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
      }
      if (adds_to_capture(call)) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    }
    if (call == Call::cuLaunchKernel) tell_of_launch();
    const CUresult result = (driver_.*entry)(arguments...);
    if (result != CUDA_SUCCESS) {
      objects_.forget(Of<call>{}, arguments...);
      const gpu::FaultRow* const row = gpu::row_of(result);
      driver_lost_ = driver_lost_ || (row != nullptr && row->sticky);
      return result;
    }
    objects_.learn(Of<call>{}, arguments...);
    if (stream != nullptr) {
      submitted(Of<call>{}, *stream, arguments...);
      correct(Of<call>{}, *stream, arguments...);
    }
    objects_.forget(Of<call>{}, arguments...);
    const CUresult surfaced = surface(Of<call>{}, arguments...);
    return surfaced == CUDA_SUCCESS ? result : became_known(surfaced);
  }

  // The call for the sake of what it ends; its answer is known already.
  template <Call call, class... Arguments>
  void end_only(CUresult (*gpu::DriverApi::*entry)(Arguments...), Arguments... arguments) {
    // A backend whose calls are refused cannot ask whether there is a capture to end.
    const SeenObjects::Stream* const stream = objects_.stream_among(arguments...);
    if (call == Call::cuStreamEndCapture && stream != nullptr && !stream->captures) return;
    if ((driver_.*entry)(arguments...) == CUDA_SUCCESS) objects_.learn(Of<call>{}, arguments...);
    objects_.forget(Of<call>{}, arguments...);
    drop_result(Of<call>{}, arguments...);
  }

  template <Call call, class... Arguments>
  CUresult fail(const FiredFault& fault, CUresult (*gpu::DriverApi::*entry)(Arguments...), Arguments... arguments) {
    SeenObjects::Stream* const stream = objects_.stream_among(arguments...);
    if (fault.when == FaultWhen::after) {
      if (make<call>(entry, arguments...) == CUDA_SUCCESS) undo(Of<call>{}, arguments...);
    } else if (gives_back(call)) {
      end_only<call>(entry, arguments...);
    }
    const CUresult code = static_cast<CUresult>(fault.code);
    const bool breaks_captures = code >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED &&
                                 code <= CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD && call != Call::cuStreamBeginCapture;
    if (breaks_captures && call != Call::cuStreamDestroy) objects_.invalidate(stream);
    return needs_context(call) ? became_known(code) : code;
  }

  // The end of a context is the end of its errors.
  template <Call call>
  CUresult finish(CUresult result) {
    if (call == Call::cuCtxDestroy || (call == Call::cuDevicePrimaryCtxRelease && --primary_references_ <= 0)) {
      faults_ = {};
      lost_ = driver_lost_ = has_context_ = false;
      objects_.clear();
    }
    if (call == Call::cuDevicePrimaryCtxRetain && result == CUDA_SUCCESS) ++primary_references_;
    if (makes_a_context(call) && result == CUDA_SUCCESS) has_context_ = true;
    if (call == Call::cuLaunchKernel) is_declared_ = false;
    return result;
  }

  void tell_of_launch();

  // Work submitted to a stream, and the faults that it is to run into.
  template <Call call, class... Arguments>
  void submitted(Of<call>, SeenObjects::Stream& stream, Arguments...) {
    if (call == Call::cuLaunchKernel || call == Call::cuMemcpyHtoDAsync || call == Call::cuMemcpyDtoHAsync ||
        call == Call::cuMemcpyDtoDAsync || call == Call::cuMemFreeAsync) {
      submit(stream);
    }
  }
  void submitted(Of<Call::cuGraphLaunch>, SeenObjects::Stream& stream, CUgraphExec exec, CUstream);
  void submit(SeenObjects::Stream& stream);

  // Answers that the driver cannot give, knowing nothing of what was injected.
  template <Call call, class... Arguments>
  void correct(Of<call>, SeenObjects::Stream&, Arguments...) {}
  void correct(Of<Call::cuStreamIsCapturing>, SeenObjects::Stream& stream, CUstream, CUstreamCaptureStatus* status) {
    if (stream.invalidated) *status = gpu::CU_STREAM_CAPTURE_STATUS_INVALIDATED;
  }

  // What a successful wait has to say of work that was struck.
  template <Call call, class... Arguments>
  CUresult surface(Of<call>, Arguments...) {
    return CUDA_SUCCESS;
  }
  CUresult surface(Of<Call::cuStreamSynchronize>, CUstream stream) { return surface_waited(objects_.past(stream)); }
  CUresult surface(Of<Call::cuStreamQuery>, CUstream stream) { return surface_waited(objects_.past(stream)); }
  CUresult surface(Of<Call::cuEventSynchronize>, CUevent event) { return surface_waited(objects_.past(event)); }
  CUresult surface(Of<Call::cuEventQuery>, CUevent event) { return surface_waited(objects_.past(event)); }
  CUresult surface(Of<Call::cuCtxSynchronize>) { return surface_waited(objects_.everything()); }
  CUresult surface_waited(const VectorClock& past) { return faults_.surface_waited(past, plan_.operation()); }

  // Gives back what a call made that nobody learns of. Handles that are let through are the backend's to end.
  template <Call call, class... Arguments>
  void undo(Of<call>, Arguments...) {}
  void undo(Of<Call::cuCtxCreate>, CUcontext* context, unsigned, CUdevice);
  void undo(Of<Call::cuDevicePrimaryCtxRetain>, CUcontext* context, CUdevice device);
  void undo(Of<Call::cuStreamCreate>, CUstream* stream, unsigned);
  void undo(Of<Call::cuEventCreate>, CUevent* event, unsigned);
  void undo(Of<Call::cuMemAlloc>, CUdeviceptr* address, std::size_t);
  void undo(Of<Call::cuMemAllocAsync>, CUdeviceptr* address, std::size_t, CUstream stream);
  void undo(Of<Call::cuMemAllocHost>, void** memory, std::size_t);
  void undo(Of<Call::cuModuleLoadData>, CUmodule* module, const void*);
  void undo(Of<Call::nvrtcCreateProgram>, nvrtcProgram* program, const char*, const char*, int, const char* const*,
            const char* const*);

  template <Call call, class... Arguments>
  void drop_result(Of<call>, Arguments...) {}
  void drop_result(Of<Call::cuStreamEndCapture>, CUstream, CUgraph* graph);

  const gpu::DriverApi driver_;
  const gpu::CompilerApi compiler_;
  const ErrorSurfacing surfacing_;
  FaultPlan& plan_;
  SeenObjects objects_;
  ContextFaults faults_;
  bool has_context_ = false;
  bool lost_ = false;         // the context, for the backend: a sticky error has surfaced
  bool driver_lost_ = false;  // the driver has lost the context by itself: it is left to answer, and nothing injected
  CUresult process_error_ = CUDA_SUCCESS;  // an injected error that only a new process recovers from
  int primary_references_ = 0;
  std::optional<AsyncFault> struck_;  // by which the call now running was struck, until it has submitted its work
  gpu::LaunchObserver behind_;
  // What the launch that comes next was declared to touch.
  bool is_declared_ = false;
  CUstream declared_stream_ = nullptr;
  std::vector<gpu::DeclaredAccess> declared_;
};

}  // namespace taintgraph::sim
