// Initialisation, devices, contexts.
#include <algorithm>
#include <cstring>

#include "sim/driver_entries.hpp"

namespace taintgraph::sim {
namespace {

constexpr int kDriverVersion = 13000;  // CUDA 13.0, whose headers the simulator follows
constexpr std::string_view kDeviceName = "taintgraph simulated device";

}  // namespace

CUresult DriverEntries::cuInit(unsigned flags) {
  return without_context(Call::cuInit, [&] {
    if (flags != 0) return misuse(Call::cuInit, "is given flags", CUDA_ERROR_INVALID_VALUE);
    initialised_ = true;
    return CUDA_SUCCESS;
  });
}

CUresult DriverEntries::cuDriverGetVersion(int* version) {
  return without_context(Call::cuDriverGetVersion, [&] {
    *version = kDriverVersion;
    return CUDA_SUCCESS;
  });
}

CUresult DriverEntries::cuDeviceGetCount(int* count) {
  return without_context(Call::cuDeviceGetCount, [&] {
    *count = 1;
    return CUDA_SUCCESS;
  });
}

CUresult DriverEntries::cuDeviceGet(CUdevice* device, int ordinal) {
  return without_context(Call::cuDeviceGet, [&] {
    if (ordinal != 0) return CUDA_ERROR_INVALID_DEVICE;
    *device = 0;
    return CUDA_SUCCESS;
  });
}

CUresult DriverEntries::cuDeviceGetName(char* name, int length, CUdevice device) {
  return without_context(Call::cuDeviceGetName, [&] {
    if (device != 0) return misuse(Call::cuDeviceGetName, "is given no device", CUDA_ERROR_INVALID_DEVICE);
    if (length < 1) return CUDA_ERROR_INVALID_VALUE;
    const std::size_t copied = std::min(kDeviceName.size(), static_cast<std::size_t>(length) - 1);
    std::memcpy(name, kDeviceName.data(), copied);
    name[copied] = '\0';
    return CUDA_SUCCESS;
  });
}

CUresult DriverEntries::cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return without_context(Call::cuDeviceGetAttribute, [&] {
    if (device != 0) return misuse(Call::cuDeviceGetAttribute, "is given no device", CUDA_ERROR_INVALID_DEVICE);
    switch (attribute) {
      case gpu::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        *value = kComputeCapability / 10;
        return CUDA_SUCCESS;
      case gpu::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        *value = kComputeCapability % 10;
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult DriverEntries::create_context(CUcontext* handle, bool primary) {
  if (process_error_ != CUDA_SUCCESS) return process_error_;
  ContextObject context;
  context.serial = ++context_serial_;
  context.primary = primary;
  *handle = contexts_.create(std::move(context), struck_.lost);
  return CUDA_SUCCESS;
}

CUresult DriverEntries::cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return without_context(Call::cuDevicePrimaryCtxRetain, [&] {
    if (device != 0) return misuse(Call::cuDevicePrimaryCtxRetain, "is given no device", CUDA_ERROR_INVALID_DEVICE);
    if (primary_ == nullptr) {
      if (const CUresult code = create_context(&primary_, true); code != CUDA_SUCCESS) return code;
    }
    ++contexts_.find(primary_)->primary_references;
    *context = primary_;
    return CUDA_SUCCESS;
  });
}

CUresult DriverEntries::cuDevicePrimaryCtxRelease(CUdevice device) {
  return without_context(Call::cuDevicePrimaryCtxRelease, [&] {
    ContextObject* const context = device == 0 ? contexts_.find(primary_) : nullptr;
    if (context == nullptr) {
      return misuse(Call::cuDevicePrimaryCtxRelease, "without a retain", CUDA_ERROR_INVALID_CONTEXT);
    }
    if (--context->primary_references == 0) destroy_context(std::exchange(primary_, nullptr), *context);
    return CUDA_SUCCESS;
  });
}

CUresult DriverEntries::cuCtxCreate(CUcontext* context, unsigned, CUdevice device) {
  return without_context(Call::cuCtxCreate, [&] {
    if (device != 0) return misuse(Call::cuCtxCreate, "is given no device", CUDA_ERROR_INVALID_DEVICE);
    const CUresult code = create_context(context, false);
    if (code == CUDA_SUCCESS && !struck_.lost) current() = *context;
    return code;
  });
}

CUresult DriverEntries::cuCtxDestroy(CUcontext handle) {
  return without_context(Call::cuCtxDestroy, [&] {
    ContextObject* const context = contexts_.find(handle);
    if (context == nullptr || context->primary) {
      return misuse(Call::cuCtxDestroy,
                    context == nullptr ? "of a context that does not exist" : "of a primary context",
                    CUDA_ERROR_INVALID_CONTEXT);
    }
    destroy_context(handle, *context);
    return CUDA_SUCCESS;
  });
}

// Everything in the context dies with it but stream-ordered memory.
void DriverEntries::destroy_context(CUcontext handle, ContextObject& context) {
  const std::uint64_t serial = context.serial;
  const LiveObjects before = count_objects();
  const VectorClock past = past_of(context);
  timeline_.run_until(past);
  timeline_.discard(serial);  // what never ends is ended here
  timeline_.host_waited_for(past);
  std::erase_if(open_captures_, [serial](const auto& capture) { return capture->context == serial; });
  graph_execs_.each([&](CUgraphExec exec, const GraphExecObject& object) {
    if (object.context == serial) graph_execs_.erase(exec);
  });
  streams_.each([&](CUstream stream, StreamObject& object) {
    if (object.context != serial) return;
    timeline_.close_slot(object.slot);
    streams_.erase(stream);
  });
  events_.each([&](CUevent event, const EventObject& object) {
    if (object.context == serial) events_.erase(event);
  });
  functions_.each([&](CUfunction function, const FunctionObject& object) {
    if (object.context == serial) functions_.erase(function);
  });
  modules_.each([&](CUmodule module, const ModuleObject& object) {
    if (object.context == serial) modules_.erase(module);
  });
  std::vector<Allocation*> doomed;
  for (const auto& allocation : memory_.allocations()) {
    if (allocation->context == serial && allocation->kind == AllocationKind::context)
      doomed.push_back(allocation.get());
  }
  for (Allocation* const allocation : doomed) memory_.release(*allocation);
  host_memory_.release_all_of(serial);
  const LiveObjects after = count_objects();
  left_to_context_ = {.contexts = 0,
                      .streams = before.streams - after.streams,
                      .events = before.events - after.events,
                      .modules = before.modules - after.modules,
                      .graphs = before.graphs - after.graphs,
                      .executable_graphs = before.executable_graphs - after.executable_graphs,
                      .programs = 0,
                      .allocations = before.allocations - after.allocations,
                      .host_allocations = before.host_allocations - after.host_allocations};
  if (current() == handle) current() = nullptr;
  contexts_.erase(handle);
}

CUresult DriverEntries::cuCtxSetCurrent(CUcontext context) {
  return without_context(Call::cuCtxSetCurrent, [&] {
    if (context != nullptr && contexts_.find(context) == nullptr) {
      return misuse(Call::cuCtxSetCurrent, "is given a context that does not exist", CUDA_ERROR_INVALID_CONTEXT);
    }
    current() = context;
    return CUDA_SUCCESS;
  });
}

CUresult DriverEntries::cuCtxGetCurrent(CUcontext* context) {
  return without_context(Call::cuCtxGetCurrent, [&] {
    *context = current();
    return CUDA_SUCCESS;
  });
}

CUresult DriverEntries::cuCtxSynchronize() {
  return in_context({Call::cuCtxSynchronize, std::nullopt, {}},
                    [&](ContextObject& context) { return wait_for(context, past_of(context)); });
}

CUresult DriverEntries::cuGetErrorName(CUresult code, const char** name) {
  switch (code) {
#define TAINTGRAPH_NAME(code_name) \
  case code_name:                  \
    *name = #code_name;            \
    return CUDA_SUCCESS;
    TAINTGRAPH_NAME(CUDA_SUCCESS)
    TAINTGRAPH_NAME(CUDA_ERROR_INVALID_VALUE)
    TAINTGRAPH_NAME(CUDA_ERROR_OUT_OF_MEMORY)
    TAINTGRAPH_NAME(CUDA_ERROR_NOT_INITIALIZED)
    TAINTGRAPH_NAME(CUDA_ERROR_DEINITIALIZED)
    TAINTGRAPH_NAME(CUDA_ERROR_NO_DEVICE)
    TAINTGRAPH_NAME(CUDA_ERROR_INVALID_DEVICE)
    TAINTGRAPH_NAME(CUDA_ERROR_INVALID_IMAGE)
    TAINTGRAPH_NAME(CUDA_ERROR_INVALID_CONTEXT)
    TAINTGRAPH_NAME(CUDA_ERROR_NO_BINARY_FOR_GPU)
    TAINTGRAPH_NAME(CUDA_ERROR_ECC_UNCORRECTABLE)
    TAINTGRAPH_NAME(CUDA_ERROR_INVALID_PTX)
    TAINTGRAPH_NAME(CUDA_ERROR_NVLINK_UNCORRECTABLE)
    TAINTGRAPH_NAME(CUDA_ERROR_CONTAINED)
    TAINTGRAPH_NAME(CUDA_ERROR_INVALID_HANDLE)
    TAINTGRAPH_NAME(CUDA_ERROR_NOT_FOUND)
    TAINTGRAPH_NAME(CUDA_ERROR_NOT_READY)
    TAINTGRAPH_NAME(CUDA_ERROR_ILLEGAL_ADDRESS)
    TAINTGRAPH_NAME(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
    TAINTGRAPH_NAME(CUDA_ERROR_LAUNCH_TIMEOUT)
    TAINTGRAPH_NAME(CUDA_ERROR_CONTEXT_IS_DESTROYED)
    TAINTGRAPH_NAME(CUDA_ERROR_ASSERT)
    TAINTGRAPH_NAME(CUDA_ERROR_HARDWARE_STACK_ERROR)
    TAINTGRAPH_NAME(CUDA_ERROR_ILLEGAL_INSTRUCTION)
    TAINTGRAPH_NAME(CUDA_ERROR_MISALIGNED_ADDRESS)
    TAINTGRAPH_NAME(CUDA_ERROR_INVALID_ADDRESS_SPACE)
    TAINTGRAPH_NAME(CUDA_ERROR_INVALID_PC)
    TAINTGRAPH_NAME(CUDA_ERROR_LAUNCH_FAILED)
    TAINTGRAPH_NAME(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE)
    TAINTGRAPH_NAME(CUDA_ERROR_NOT_PERMITTED)
    TAINTGRAPH_NAME(CUDA_ERROR_NOT_SUPPORTED)
    TAINTGRAPH_NAME(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
    TAINTGRAPH_NAME(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)
    TAINTGRAPH_NAME(CUDA_ERROR_STREAM_CAPTURE_MERGE)
    TAINTGRAPH_NAME(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED)
    TAINTGRAPH_NAME(CUDA_ERROR_STREAM_CAPTURE_UNJOINED)
    TAINTGRAPH_NAME(CUDA_ERROR_STREAM_CAPTURE_ISOLATION)
    TAINTGRAPH_NAME(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT)
    TAINTGRAPH_NAME(CUDA_ERROR_CAPTURED_EVENT)
    TAINTGRAPH_NAME(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD)
    TAINTGRAPH_NAME(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE)
    TAINTGRAPH_NAME(CUDA_ERROR_FUNCTION_NOT_LOADED)
    TAINTGRAPH_NAME(CUDA_ERROR_UNKNOWN)
#undef TAINTGRAPH_NAME
  }
  *name = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}

}  // namespace taintgraph::sim
