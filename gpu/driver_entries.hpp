// Which version of each driver function the table means: the symbol to ask cuGetProcAddress for, and the CUDA version
// to ask with.
//
// cuGetProcAddress gives the newest form of a symbol that is not newer than the version asked with, so each version
// here is the one in which the form declared in driver_api.hpp appeared (major * 1000 + minor * 10). A newer driver
// then gives the same form for good. table_check/driver_api_check.cpp compares each with CUDA's own prototype of that
// version.
#pragma once

// Every entry of the driver table once, in the table's order: PIN(entry, symbol, version).
//
// cuCtxCreate has grown parameters twice since 3.2; cuGraphInstantiate's short form goes by a name of its own.
#define TAINTGRAPH_DRIVER_PINS(PIN)                                \
  PIN(cuInit, cuInit, 2000)                                        \
  PIN(cuDriverGetVersion, cuDriverGetVersion, 2020)                \
  PIN(cuDeviceGetCount, cuDeviceGetCount, 2000)                    \
  PIN(cuDeviceGet, cuDeviceGet, 2000)                              \
  PIN(cuDeviceGetName, cuDeviceGetName, 2000)                      \
  PIN(cuDeviceGetAttribute, cuDeviceGetAttribute, 2000)            \
  PIN(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, 7000)    \
  PIN(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease, 11000) \
  PIN(cuCtxCreate, cuCtxCreate, 3020)                              \
  PIN(cuCtxDestroy, cuCtxDestroy, 4000)                            \
  PIN(cuCtxSetCurrent, cuCtxSetCurrent, 4000)                      \
  PIN(cuCtxGetCurrent, cuCtxGetCurrent, 4000)                      \
  PIN(cuCtxSynchronize, cuCtxSynchronize, 2000)                    \
  PIN(cuStreamCreate, cuStreamCreate, 2000)                        \
  PIN(cuStreamDestroy, cuStreamDestroy, 4000)                      \
  PIN(cuStreamSynchronize, cuStreamSynchronize, 2000)              \
  PIN(cuStreamQuery, cuStreamQuery, 2000)                          \
  PIN(cuStreamWaitEvent, cuStreamWaitEvent, 3020)                  \
  PIN(cuEventCreate, cuEventCreate, 2000)                          \
  PIN(cuEventDestroy, cuEventDestroy, 4000)                        \
  PIN(cuEventRecord, cuEventRecord, 2000)                          \
  PIN(cuEventQuery, cuEventQuery, 2000)                            \
  PIN(cuEventSynchronize, cuEventSynchronize, 2000)                \
  PIN(cuMemAlloc, cuMemAlloc, 3020)                                \
  PIN(cuMemFree, cuMemFree, 3020)                                  \
  PIN(cuMemAllocAsync, cuMemAllocAsync, 11020)                     \
  PIN(cuMemFreeAsync, cuMemFreeAsync, 11020)                       \
  PIN(cuMemAllocHost, cuMemAllocHost, 3020)                        \
  PIN(cuMemFreeHost, cuMemFreeHost, 2000)                          \
  PIN(cuMemGetInfo, cuMemGetInfo, 3020)                            \
  PIN(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync, 3020)                  \
  PIN(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync, 3020)                  \
  PIN(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync, 3020)                  \
  PIN(cuModuleLoadData, cuModuleLoadData, 2000)                    \
  PIN(cuModuleUnload, cuModuleUnload, 2000)                        \
  PIN(cuModuleGetFunction, cuModuleGetFunction, 2000)              \
  PIN(cuFuncLoad, cuFuncLoad, 12040)                               \
  PIN(cuLaunchKernel, cuLaunchKernel, 4000)                        \
  PIN(cuStreamBeginCapture, cuStreamBeginCapture, 10010)           \
  PIN(cuStreamEndCapture, cuStreamEndCapture, 10000)               \
  PIN(cuStreamIsCapturing, cuStreamIsCapturing, 10000)             \
  PIN(cuGraphDestroy, cuGraphDestroy, 10000)                       \
  PIN(cuGraphInstantiate, cuGraphInstantiateWithFlags, 11040)      \
  PIN(cuGraphExecDestroy, cuGraphExecDestroy, 10000)               \
  PIN(cuGraphLaunch, cuGraphLaunch, 10000)                         \
  PIN(cuGetErrorName, cuGetErrorName, 6000)
