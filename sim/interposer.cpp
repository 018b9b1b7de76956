#include "sim/interposer.hpp"

#include <utility>

namespace taintgraph::sim {

CUresult Interposer::refuse(Call call) {
  if (!needs_context(call)) return CUDA_SUCCESS;
  if (surfacing_ != ErrorSurfacing::strict && !documented_to_surface(call)) return CUDA_SUCCESS;
  if (faults_.sticky() != CUDA_SUCCESS) return faults_.sticky();
  const CUresult code = faults_.surface_passing(plan_.calls() + 1, plan_.operation());
  return code == CUDA_SUCCESS ? code : became_known(code);
}

CUresult Interposer::became_known(CUresult code) {
  faults_.surfaced(code);
  if (lost_ || faults_.sticky() == CUDA_SUCCESS) return code;
  lost_ = true;
  // Whoever is told that the context is lost takes it that nothing of it runs any more. What the waits answer is the
  // driver's own affair: an error of its own that lasts will show again.
  for (const CUstream stream : objects_.open_streams()) (void)driver_.cuStreamSynchronize(stream);
  const gpu::FaultRow* const row = gpu::row_of(faults_.sticky());
  if (row != nullptr && row->recovery == gpu::FaultRecovery::process) process_error_ = faults_.sticky();
  return code;
}

void Interposer::add_latent(SeenObjects::Stream* stream, const AsyncFault& fault) {
  LatentFault latent{
      .code = fault.code, .slot = 0, .ordinal = 0, .operation = plan_.operation(), .quiet_until_call = 0};
  latent.quiet_until_call = plan_.calls() + fault.surface_after_calls.value_or(0);
  if (stream != nullptr) {
    latent.slot = stream->slot;
    latent.ordinal = stream->clock[stream->slot];
  }
  faults_.add(latent);
}

void Interposer::declare(CUstream stream, const gpu::DeclaredAccess* accesses, std::size_t count) {
  is_declared_ = true;
  declared_stream_ = stream;
  declared_.assign(accesses, accesses + count);
}

void Interposer::tell_of_launch() {
  if (!is_declared_ || behind_.declare == nullptr) return;
  behind_.declare(behind_.self, declared_stream_, declared_.data(), declared_.size());
}

void Interposer::submit(SeenObjects::Stream& stream) {
  if (stream.captures) {
    if (struck_) stream.recorded.push_back(*std::exchange(struck_, std::nullopt));
    return;
  }
  objects_.submit(stream);
  if (struck_) add_latent(&stream, *std::exchange(struck_, std::nullopt));
}

void Interposer::submitted(Of<Call::cuGraphLaunch>, SeenObjects::Stream& stream, CUgraphExec exec, CUstream) {
  const bool has_its_own = struck_.has_value();
  submit(stream);
  if (has_its_own) return;  // work has one error, as on the simulated device
  for (const AsyncFault& fault : objects_.faults_of(exec)) add_latent(&stream, fault);
}

void Interposer::undo(Of<Call::cuCtxCreate>, CUcontext* context, unsigned, CUdevice) {
  (void)driver_.cuCtxDestroy(std::exchange(*context, nullptr));
}

void Interposer::undo(Of<Call::cuDevicePrimaryCtxRetain>, CUcontext* context, CUdevice device) {
  (void)driver_.cuDevicePrimaryCtxRelease(device);
  *context = nullptr;
}

void Interposer::undo(Of<Call::cuStreamCreate>, CUstream* stream, unsigned) {
  objects_.forget(Of<Call::cuStreamDestroy>{}, *stream);
  (void)driver_.cuStreamDestroy(std::exchange(*stream, nullptr));
}

void Interposer::undo(Of<Call::cuEventCreate>, CUevent* event, unsigned) {
  (void)driver_.cuEventDestroy(std::exchange(*event, nullptr));
}

void Interposer::undo(Of<Call::cuMemAlloc>, CUdeviceptr* address, std::size_t) {
  (void)driver_.cuMemFree(std::exchange(*address, CUdeviceptr{0}));
}

void Interposer::undo(Of<Call::cuMemAllocAsync>, CUdeviceptr* address, std::size_t, CUstream stream) {
  (void)driver_.cuMemFreeAsync(std::exchange(*address, CUdeviceptr{0}), stream);
}

void Interposer::undo(Of<Call::cuMemAllocHost>, void** memory, std::size_t) {
  (void)driver_.cuMemFreeHost(std::exchange(*memory, nullptr));
}

void Interposer::undo(Of<Call::cuModuleLoadData>, CUmodule* module, const void*) {
  objects_.forget(Of<Call::cuModuleUnload>{}, *module);
  (void)driver_.cuModuleUnload(std::exchange(*module, nullptr));
}

void Interposer::undo(Of<Call::nvrtcCreateProgram>, nvrtcProgram* program, const char*, const char*, int,
                      const char* const*, const char* const*) {
  (void)compiler_.nvrtcDestroyProgram(program);
  *program = nullptr;
}

void Interposer::drop_result(Of<Call::cuStreamEndCapture>, CUstream, CUgraph* graph) {
  if (*graph == nullptr) return;
  objects_.forget(Of<Call::cuGraphDestroy>{}, *graph);
  (void)driver_.cuGraphDestroy(std::exchange(*graph, nullptr));
}

}  // namespace taintgraph::sim
