// The CUDA driver functions that the backend, its checks and its benchmarks use, as a table of function pointers, with
// exactly CUDA's C ABI.
//
// A table is filled from libcuda at run time (gpu/driver_loader.hpp), by sim::Driver, or by a wrapper around another
// table. Nothing here is CUDA's own header: types and values are declared by us so that no toolkit is needed, and
// table_check/driver_api_check.cpp compares every one with cuda.h where that exists. A value that CUDA 12.4 did not
// have yet says since when it is there. This header needs nothing of ours, so the simulator can depend on it alone.
//
// Names are CUDA's, without the version suffixes: an entry means the version that driver_entries.hpp pins.
//
// Beside cuda.h, in any order: handles are CUDA's own types, so a ::CUstream may be passed as it is. Enumerations are
// types of ours with CUDA's values and need a static_cast. Code that names an entry in a file that includes cuda.h
// stands between driver_names_begin.hpp and driver_names_end.hpp, which says why.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/driver_names_begin.hpp"

// Declared where cuda.h declares them, and never defined.
struct CUctx_st;
struct CUstream_st;
struct CUevent_st;
struct CUmod_st;
struct CUfunc_st;
struct CUgraph_st;
struct CUgraphExec_st;
struct CUgraphNode_st;
struct CUmemPoolHandle_st;

namespace taintgraph::gpu {

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = CUctx_st*;
using CUstream = CUstream_st*;
using CUevent = CUevent_st*;
using CUmodule = CUmod_st*;
using CUfunction = CUfunc_st*;
using CUgraph = CUgraph_st*;
using CUgraphExec = CUgraphExec_st*;
using CUgraphNode = CUgraphNode_st*;
using CUmemoryPool = CUmemPoolHandle_st*;

enum CUresult : int {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_DEINITIALIZED = 4,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_ECC_UNCORRECTABLE = 214,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
  CUDA_ERROR_CONTAINED = 226,  // since CUDA 12.8
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
  CUDA_ERROR_ASSERT = 710,
  CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
  CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
  CUDA_ERROR_MISALIGNED_ADDRESS = 716,
  CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
  CUDA_ERROR_INVALID_PC = 718,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
  CUDA_ERROR_NOT_PERMITTED = 800,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
  CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901,
  CUDA_ERROR_STREAM_CAPTURE_MERGE = 902,
  CUDA_ERROR_STREAM_CAPTURE_UNMATCHED = 903,
  CUDA_ERROR_STREAM_CAPTURE_UNJOINED = 904,
  CUDA_ERROR_STREAM_CAPTURE_ISOLATION = 905,
  CUDA_ERROR_STREAM_CAPTURE_IMPLICIT = 906,
  CUDA_ERROR_CAPTURED_EVENT = 907,
  CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD = 908,
  CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE = 910,
  CUDA_ERROR_FUNCTION_NOT_LOADED = 913,
  CUDA_ERROR_UNKNOWN = 999,
};

enum CUdevice_attribute : int {
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
};

enum CUstreamCaptureMode : int {
  CU_STREAM_CAPTURE_MODE_GLOBAL = 0,
  CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
  CU_STREAM_CAPTURE_MODE_RELAXED = 2,
};

enum CUstreamCaptureStatus : int {
  CU_STREAM_CAPTURE_STATUS_NONE = 0,
  CU_STREAM_CAPTURE_STATUS_ACTIVE = 1,
  CU_STREAM_CAPTURE_STATUS_INVALIDATED = 2,
};

inline constexpr unsigned kStreamNonBlocking = 1;   // CU_STREAM_NON_BLOCKING
inline constexpr unsigned kEventDisableTiming = 2;  // CU_EVENT_DISABLE_TIMING

// Every entry once: ENTRY(name, parameter list). All return CUresult.
//
// cuCtxCreate is the version of CUDA 12 and before (context, flags, device).
// cuGraphInstantiate is cuGraphInstantiateWithFlags.
#define TAINTGRAPH_DRIVER_ENTRIES(ENTRY)                                                                             \
  ENTRY(cuInit, (unsigned flags))                                                                                    \
  ENTRY(cuDriverGetVersion, (int* version))                                                                          \
  ENTRY(cuDeviceGetCount, (int* count))                                                                              \
  ENTRY(cuDeviceGet, (CUdevice * device, int ordinal))                                                               \
  ENTRY(cuDeviceGetName, (char* name, int length, CUdevice device))                                                  \
  ENTRY(cuDeviceGetAttribute, (int* value, CUdevice_attribute attribute, CUdevice device))                           \
  ENTRY(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))                                            \
  ENTRY(cuDevicePrimaryCtxRelease, (CUdevice device))                                                                \
  ENTRY(cuCtxCreate, (CUcontext * context, unsigned flags, CUdevice device))                                         \
  ENTRY(cuCtxDestroy, (CUcontext context))                                                                           \
  ENTRY(cuCtxSetCurrent, (CUcontext context))                                                                        \
  ENTRY(cuCtxGetCurrent, (CUcontext * context))                                                                      \
  ENTRY(cuCtxSynchronize, ())                                                                                        \
  ENTRY(cuStreamCreate, (CUstream * stream, unsigned flags))                                                         \
  ENTRY(cuStreamDestroy, (CUstream stream))                                                                          \
  ENTRY(cuStreamSynchronize, (CUstream stream))                                                                      \
  ENTRY(cuStreamQuery, (CUstream stream))                                                                            \
  ENTRY(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags))                                         \
  ENTRY(cuEventCreate, (CUevent * event, unsigned flags))                                                            \
  ENTRY(cuEventDestroy, (CUevent event))                                                                             \
  ENTRY(cuEventRecord, (CUevent event, CUstream stream))                                                             \
  ENTRY(cuEventQuery, (CUevent event))                                                                               \
  ENTRY(cuEventSynchronize, (CUevent event))                                                                         \
  ENTRY(cuMemAlloc, (CUdeviceptr * address, std::size_t size_bytes))                                                 \
  ENTRY(cuMemFree, (CUdeviceptr address))                                                                            \
  ENTRY(cuMemAllocAsync, (CUdeviceptr * address, std::size_t size_bytes, CUstream stream))                           \
  ENTRY(cuMemFreeAsync, (CUdeviceptr address, CUstream stream))                                                      \
  ENTRY(cuMemAllocHost, (void** memory, std::size_t size_bytes))                                                     \
  ENTRY(cuMemFreeHost, (void* memory))                                                                               \
  ENTRY(cuMemGetInfo, (std::size_t * free_bytes, std::size_t * total_bytes))                                         \
  ENTRY(cuMemcpyHtoDAsync, (CUdeviceptr to, const void* from, std::size_t size_bytes, CUstream stream))              \
  ENTRY(cuMemcpyDtoHAsync, (void* to, CUdeviceptr from, std::size_t size_bytes, CUstream stream))                    \
  ENTRY(cuMemcpyDtoDAsync, (CUdeviceptr to, CUdeviceptr from, std::size_t size_bytes, CUstream stream))              \
  ENTRY(cuModuleLoadData, (CUmodule * module, const void* image))                                                    \
  ENTRY(cuModuleUnload, (CUmodule module))                                                                           \
  ENTRY(cuModuleGetFunction, (CUfunction * function, CUmodule module, const char* name))                             \
  ENTRY(cuFuncLoad, (CUfunction function))                                                                           \
  ENTRY(cuLaunchKernel,                                                                                              \
        (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, \
         unsigned block_z, unsigned shared_bytes, CUstream stream, void** parameters, void** extra))                 \
  ENTRY(cuStreamBeginCapture, (CUstream stream, CUstreamCaptureMode mode))                                           \
  ENTRY(cuStreamEndCapture, (CUstream stream, CUgraph * graph))                                                      \
  ENTRY(cuStreamIsCapturing, (CUstream stream, CUstreamCaptureStatus * status))                                      \
  ENTRY(cuGraphDestroy, (CUgraph graph))                                                                             \
  ENTRY(cuGraphInstantiate, (CUgraphExec * exec, CUgraph graph, unsigned long long flags))                           \
  ENTRY(cuGraphExecDestroy, (CUgraphExec exec))                                                                      \
  ENTRY(cuGraphLaunch, (CUgraphExec exec, CUstream stream))                                                          \
  ENTRY(cuGetErrorName, (CUresult code, const char** name))

// The table. Every pointer is set in a filled table, on whatever driver: users call entries without asking.
struct DriverApi {
#define TAINTGRAPH_POINTER(name, parameters) CUresult(*name) parameters = nullptr;
  TAINTGRAPH_DRIVER_ENTRIES(TAINTGRAPH_POINTER)
#undef TAINTGRAPH_POINTER
};

}  // namespace taintgraph::gpu

#include "gpu/driver_names_end.hpp"
