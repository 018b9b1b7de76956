#include "gpu/fault_table.hpp"

#include <array>
#include <cstddef>

namespace taintgraph::gpu {
namespace {

using enum FaultRecovery;
using enum FaultWhen;

constexpr Call kDriverCalls[] = {
#define TAINTGRAPH_CALL(name, parameters) Call::name,
    TAINTGRAPH_DRIVER_ENTRIES(TAINTGRAPH_CALL)
#undef TAINTGRAPH_CALL
};

// Translates a code that it is given, and reports nothing of its own.
constexpr bool reports_errors(Call call) { return call != Call::cuGetErrorName; }

// Work without a context: what comes before there is one, or manages it.
constexpr bool needs_context(Call call) {
  switch (call) {
    case Call::cuInit:
    case Call::cuDriverGetVersion:
    case Call::cuDeviceGetCount:
    case Call::cuDeviceGet:
    case Call::cuDeviceGetName:
    case Call::cuDeviceGetAttribute:
    case Call::cuDevicePrimaryCtxRetain:
    case Call::cuDevicePrimaryCtxRelease:
    case Call::cuCtxCreate:
    case Call::cuCtxGetCurrent:
    case Call::cuGetErrorName:
      return false;
    default:
      return true;
  }
}

using Predicate = bool (*)(Call);

template <Predicate kept>
constexpr auto driver_calls() {
  constexpr std::size_t count = [] {
    std::size_t n = 0;
    for (const Call call : kDriverCalls) n += kept(call) ? 1U : 0U;
    return n;
  }();
  std::array<Call, count> result{};
  std::size_t n = 0;
  for (const Call call : kDriverCalls) {
    if (kept(call)) result[n++] = call;
  }
  return result;
}

constexpr auto kAny = driver_calls<reports_errors>();
constexpr auto kInContext = driver_calls<needs_context>();

constexpr Call kKernels[] = {Call::cuLaunchKernel, Call::cuGraphLaunch};
constexpr Call kWork[] = {Call::cuMemcpyHtoDAsync, Call::cuMemcpyDtoHAsync, Call::cuMemcpyDtoDAsync,
                          Call::cuLaunchKernel, Call::cuGraphLaunch};
// Peer copies are copies from device to device; the backend has one device, and a link error reaches its kernels too.
constexpr Call kLinkUsers[] = {Call::cuMemcpyDtoDAsync, Call::cuLaunchKernel, Call::cuGraphLaunch};

constexpr Call kDeviceQueries[] = {Call::cuInit, Call::cuDeviceGet};
constexpr Call kReservers[] = {Call::cuMemAlloc,         Call::cuMemAllocAsync, Call::cuMemAllocHost,
                               Call::cuModuleLoadData,   Call::cuLaunchKernel,  // a kernel's local memory, lazy loading
                               Call::cuGraphInstantiate, Call::cuGraphLaunch};
constexpr Call kImageLoaders[] = {Call::cuModuleLoadData, Call::cuLaunchKernel};
constexpr Call kModuleLoad[] = {Call::cuModuleLoadData};
constexpr Call kFunctionLookup[] = {Call::cuModuleGetFunction};
constexpr Call kQueries[] = {Call::cuStreamQuery, Call::cuEventQuery};
constexpr Call kLaunch[] = {Call::cuLaunchKernel};
constexpr Call kCompile[] = {Call::nvrtcCompileProgram};
constexpr Call kHost[] = {Call::none};

constexpr Call kHandleUsers[] = {
    Call::cuStreamDestroy,   Call::cuStreamSynchronize,  Call::cuStreamQuery,       Call::cuStreamWaitEvent,
    Call::cuEventDestroy,    Call::cuEventRecord,        Call::cuEventQuery,        Call::cuEventSynchronize,
    Call::cuMemAllocAsync,   Call::cuMemFreeAsync,       Call::cuMemcpyHtoDAsync,   Call::cuMemcpyDtoHAsync,
    Call::cuMemcpyDtoDAsync, Call::cuModuleUnload,       Call::cuModuleGetFunction, Call::cuFuncLoad,
    Call::cuLaunchKernel,    Call::cuStreamBeginCapture, Call::cuStreamEndCapture,  Call::cuStreamIsCapturing,
    Call::cuGraphDestroy,    Call::cuGraphInstantiate,   Call::cuGraphExecDestroy,  Call::cuGraphLaunch};

// Calls whose success depends on what the device, its mode or the process is allowed to do.
constexpr Call kPermissions[] = {Call::cuCtxCreate,         Call::cuDevicePrimaryCtxRetain,
                                 Call::cuMemAlloc,          Call::cuMemAllocHost,
                                 Call::cuMemAllocAsync,     Call::cuMemFreeAsync,
                                 Call::cuStreamCreate,      Call::cuEventCreate,
                                 Call::cuEventRecord,       Call::cuMemcpyHtoDAsync,
                                 Call::cuMemcpyDtoHAsync,   Call::cuMemcpyDtoDAsync,
                                 Call::cuModuleLoadData,    Call::cuLaunchKernel,
                                 Call::cuStreamSynchronize, Call::cuStreamBeginCapture,
                                 Call::cuGraphInstantiate,  Call::cuGraphLaunch};

constexpr Call kUnsafeInCapture[] = {Call::cuCtxSynchronize,   Call::cuStreamSynchronize, Call::cuStreamQuery,
                                     Call::cuEventSynchronize, Call::cuMemAlloc,          Call::cuMemFree,
                                     Call::cuMemAllocHost,     Call::cuMemFreeHost,       Call::cuModuleLoadData,
                                     Call::cuModuleUnload,     Call::cuLaunchKernel,  // with a function loaded lazily
                                     Call::cuGraphLaunch};
constexpr Call kOnCapturingStream[] = {Call::cuMemcpyHtoDAsync, Call::cuMemcpyDtoHAsync, Call::cuMemcpyDtoDAsync,
                                       Call::cuMemAllocAsync,   Call::cuMemFreeAsync,    Call::cuLaunchKernel,
                                       Call::cuEventRecord,     Call::cuStreamWaitEvent, Call::cuStreamEndCapture,
                                       Call::cuGraphLaunch};
constexpr Call kCaptureJoin[] = {Call::cuStreamWaitEvent};
constexpr Call kCaptureEnd[] = {Call::cuStreamEndCapture};
constexpr Call kAcrossCapture[] = {Call::cuStreamWaitEvent, Call::cuEventRecord};
constexpr Call kImplicitlyOrdered[] = {Call::cuMemcpyHtoDAsync, Call::cuMemcpyDtoHAsync, Call::cuMemcpyDtoDAsync,
                                       Call::cuLaunchKernel,    Call::cuEventRecord,     Call::cuStreamSynchronize};
constexpr Call kEventWaits[] = {Call::cuEventQuery, Call::cuEventSynchronize, Call::cuStreamWaitEvent};

constexpr std::string_view kFixCall = "fix the call";
constexpr std::string_view kNewProcess = "start a new process";
constexpr std::string_view kEndCapture = "end the capture";
constexpr bool kSticky = true;
constexpr bool kPasses = false;

constexpr FaultRow kTable[] = {
    {FaultKind::invalid_value, "invalid_value", CUDA_ERROR_INVALID_VALUE, before, kPasses, none, true, kAny, kFixCall},
    {FaultKind::out_of_memory, "out_of_memory", CUDA_ERROR_OUT_OF_MEMORY, before, kPasses, retry, true, kReservers,
     "free and retry"},
    {FaultKind::no_device, "no_device", CUDA_ERROR_NO_DEVICE, before, kPasses, none, true, kDeviceQueries, "none"},
    {FaultKind::invalid_image, "invalid_image", CUDA_ERROR_INVALID_IMAGE, before, kPasses, none, true, kImageLoaders,
     "recompile"},
    {FaultKind::invalid_context, "invalid_context", CUDA_ERROR_INVALID_CONTEXT, before, kPasses, context, true,
     kInContext, "new context"},
    {FaultKind::no_binary_for_gpu, "no_binary_for_gpu", CUDA_ERROR_NO_BINARY_FOR_GPU, before, kPasses, none, true,
     kModuleLoad, "recompile"},
    {FaultKind::ecc_uncorrectable, "ecc_uncorrectable", CUDA_ERROR_ECC_UNCORRECTABLE, async, kSticky, process, true,
     kWork, kNewProcess},
    {FaultKind::invalid_ptx, "invalid_ptx", CUDA_ERROR_INVALID_PTX, before, kPasses, none, true, kModuleLoad,
     "recompile"},
    {FaultKind::nvlink_uncorrectable, "nvlink_uncorrectable", CUDA_ERROR_NVLINK_UNCORRECTABLE, async, kSticky, process,
     true, kLinkUsers, kNewProcess},
    {FaultKind::contained, "contained", CUDA_ERROR_CONTAINED, async, kSticky, process, true, kWork, kNewProcess},
    {FaultKind::invalid_handle, "invalid_handle", CUDA_ERROR_INVALID_HANDLE, before, kPasses, none, true, kHandleUsers,
     kFixCall},
    {FaultKind::not_found, "not_found", CUDA_ERROR_NOT_FOUND, before, kPasses, none, true, kFunctionLookup, kFixCall},
    {FaultKind::not_ready, "not_ready", CUDA_ERROR_NOT_READY, before, kPasses, retry, false, kQueries, "poll"},
    {FaultKind::illegal_address, "illegal_address", CUDA_ERROR_ILLEGAL_ADDRESS, async, kSticky, process, true, kWork,
     kNewProcess},
    {FaultKind::launch_out_of_resources, "launch_out_of_resources", CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, before, kPasses,
     none, true, kLaunch, "smaller launch"},
    {FaultKind::launch_timeout, "launch_timeout", CUDA_ERROR_LAUNCH_TIMEOUT, async, kSticky, process, true, kKernels,
     kNewProcess},
    {FaultKind::context_is_destroyed, "context_is_destroyed", CUDA_ERROR_CONTEXT_IS_DESTROYED, before, kPasses, context,
     true, kInContext, "new context"},
    {FaultKind::assert_, "assert", CUDA_ERROR_ASSERT, async, kSticky, context, true, kKernels,
     "new context: its memory is lost"},
    {FaultKind::hardware_stack_error, "hardware_stack_error", CUDA_ERROR_HARDWARE_STACK_ERROR, async, kSticky, process,
     true, kKernels, kNewProcess},
    {FaultKind::illegal_instruction, "illegal_instruction", CUDA_ERROR_ILLEGAL_INSTRUCTION, async, kSticky, process,
     true, kKernels, kNewProcess},
    {FaultKind::misaligned_address, "misaligned_address", CUDA_ERROR_MISALIGNED_ADDRESS, async, kSticky, process, true,
     kKernels, kNewProcess},
    {FaultKind::invalid_address_space, "invalid_address_space", CUDA_ERROR_INVALID_ADDRESS_SPACE, async, kSticky,
     process, true, kKernels, kNewProcess},
    {FaultKind::invalid_pc, "invalid_pc", CUDA_ERROR_INVALID_PC, async, kSticky, process, true, kKernels, kNewProcess},
    {FaultKind::launch_failed, "launch_failed", CUDA_ERROR_LAUNCH_FAILED, async, kSticky, process, true, kKernels,
     kNewProcess},
    {FaultKind::cooperative_launch_too_large, "cooperative_launch_too_large", CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
     before, kPasses, none, true, kLaunch, "smaller launch"},
    {FaultKind::not_permitted, "not_permitted", CUDA_ERROR_NOT_PERMITTED, before, kPasses, none, true, kPermissions,
     kFixCall},
    {FaultKind::not_supported, "not_supported", CUDA_ERROR_NOT_SUPPORTED, before, kPasses, none, true, kPermissions,
     kFixCall},
    {FaultKind::capture_unsupported, "capture_unsupported", CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, before, kPasses,
     none, true, kUnsafeInCapture, kEndCapture},
    {FaultKind::capture_invalidated, "capture_invalidated", CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, before, kPasses,
     none, true, kOnCapturingStream, kEndCapture},
    {FaultKind::capture_merge, "capture_merge", CUDA_ERROR_STREAM_CAPTURE_MERGE, before, kPasses, none, true,
     kCaptureJoin, kEndCapture},
    {FaultKind::capture_unmatched, "capture_unmatched", CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, before, kPasses, none,
     true, kCaptureEnd, kEndCapture},
    {FaultKind::capture_unjoined, "capture_unjoined", CUDA_ERROR_STREAM_CAPTURE_UNJOINED, before, kPasses, none, true,
     kCaptureEnd, kEndCapture},
    {FaultKind::capture_isolation, "capture_isolation", CUDA_ERROR_STREAM_CAPTURE_ISOLATION, before, kPasses, none,
     true, kAcrossCapture, kEndCapture},
    {FaultKind::capture_implicit, "capture_implicit", CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, before, kPasses, none, true,
     kImplicitlyOrdered, kEndCapture},
    {FaultKind::captured_event, "captured_event", CUDA_ERROR_CAPTURED_EVENT, before, kPasses, none, true, kEventWaits,
     kEndCapture},
    {FaultKind::capture_wrong_thread, "capture_wrong_thread", CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, before, kPasses,
     none, true, kCaptureEnd, kEndCapture},
    // The backend never updates a graph in place, so no call of its tables returns this one.
    {FaultKind::graph_exec_update_failure,
     "graph_exec_update_failure",
     910,
     before,
     kPasses,
     none,
     true,
     {},
     "instantiate again"},
    {FaultKind::function_not_loaded, "function_not_loaded", CUDA_ERROR_FUNCTION_NOT_LOADED, before, kPasses, none, true,
     kLaunch, "load it"},
    {FaultKind::unknown, "unknown", CUDA_ERROR_UNKNOWN, async, kSticky, process, true, kAny, kNewProcess},
    {FaultKind::compile_error, "compile_error", NVRTC_ERROR_COMPILATION, before, kPasses, none, true, kCompile,
     "fix the source"},
    {FaultKind::host_exception, "host_exception", 0, before, kPasses, none, true, kHost, "none needed"},
};

constexpr bool rows_in_order() {
  std::size_t n = 0;
  for (const FaultRow& row : kTable) {
    if (static_cast<std::size_t>(row.kind) != n++) return false;
  }
  return n == static_cast<std::size_t>(FaultKind::host_exception) + 1;
}
static_assert(rows_in_order(), "row() indexes the table by kind");

constexpr bool is_drivers(FaultKind kind) {
  return kind != FaultKind::compile_error && kind != FaultKind::host_exception;
}

// The driver's rows by code. A code beyond them does not compile.
constexpr std::array<const FaultRow*, 1000> kRowsByCode = [] {
  std::array<const FaultRow*, 1000> rows{};
  for (const FaultRow& row : kTable) {
    if (is_drivers(row.kind)) rows[static_cast<std::size_t>(row.code)] = &row;
  }
  return rows;
}();

// By kind and call: the same as the rows' lists, to be asked one call at a time.
constexpr auto kMayReturn = [] {
  std::array<std::array<bool, kCallCount>, std::size(kTable)> may{};
  for (const FaultRow& row : kTable) {
    for (const Call call : row.calls) may[static_cast<std::size_t>(row.kind)][static_cast<std::size_t>(call)] = true;
  }
  return may;
}();

}  // namespace

std::span<const FaultRow> fault_table() { return kTable; }

const FaultRow& row(FaultKind kind) { return kTable[static_cast<std::size_t>(kind)]; }

std::optional<FaultKind> fault_from_string(std::string_view name) {
  for (const FaultRow& row : kTable) {
    if (row.name == name) return row.kind;
  }
  return std::nullopt;
}

const FaultRow* row_of(CUresult code) {
  const auto index = static_cast<std::size_t>(code);
  return index < kRowsByCode.size() ? kRowsByCode[index] : nullptr;
}

const FaultRow* row_of(nvrtcResult code) {
  return code == NVRTC_ERROR_COMPILATION ? &row(FaultKind::compile_error) : nullptr;
}

bool may_return(Call call, FaultKind kind) {
  return kMayReturn[static_cast<std::size_t>(kind)][static_cast<std::size_t>(call)];
}

}  // namespace taintgraph::gpu
