// NVRTC's functions that the backend uses, as a table with exactly NVRTC's C ABI. See driver_api.hpp: same reasons,
// same check, no include of ours, and it may stand beside nvrtc.h, which renames nothing.
#pragma once

#include <cstddef>

struct _nvrtcProgram;  // where nvrtc.h declares it NOLINT(bugprone-reserved-identifier)

namespace taintgraph::gpu {

using nvrtcProgram = _nvrtcProgram*;

enum nvrtcResult : int {
  NVRTC_SUCCESS = 0,
  NVRTC_ERROR_OUT_OF_MEMORY = 1,
  NVRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
  NVRTC_ERROR_INVALID_INPUT = 3,
  NVRTC_ERROR_INVALID_PROGRAM = 4,
  NVRTC_ERROR_INVALID_OPTION = 5,
  NVRTC_ERROR_COMPILATION = 6,
  NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
  NVRTC_ERROR_INTERNAL_ERROR = 11,
};

// All return nvrtcResult.
#define TAINTGRAPH_COMPILER_ENTRIES(ENTRY)                                                                   \
  ENTRY(nvrtcVersion, (int* major, int* minor))                                                              \
  ENTRY(nvrtcCreateProgram, (nvrtcProgram * program, const char* source, const char* name, int header_count, \
                             const char* const* headers, const char* const* include_names))                  \
  ENTRY(nvrtcCompileProgram, (nvrtcProgram program, int option_count, const char* const* options))           \
  ENTRY(nvrtcGetPTXSize, (nvrtcProgram program, std::size_t * size_bytes))                                   \
  ENTRY(nvrtcGetPTX, (nvrtcProgram program, char* ptx))                                                      \
  ENTRY(nvrtcGetProgramLogSize, (nvrtcProgram program, std::size_t * size_bytes))                            \
  ENTRY(nvrtcGetProgramLog, (nvrtcProgram program, char* log))                                               \
  ENTRY(nvrtcDestroyProgram, (nvrtcProgram * program))

// Every pointer is set in a filled table, like in DriverApi.
struct CompilerApi {
#define TAINTGRAPH_POINTER(name, parameters) nvrtcResult(*name) parameters = nullptr;
  TAINTGRAPH_COMPILER_ENTRIES(TAINTGRAPH_POINTER)
#undef TAINTGRAPH_POINTER
};

}  // namespace taintgraph::gpu
