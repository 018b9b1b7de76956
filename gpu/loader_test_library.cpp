// A library that answers like a driver's loader entry: it knows every symbol but the one it is built without, and keeps
// what it was asked for. Built without cuGetProcAddress_v2 too, for a driver that is too old.
#include <cstdint>
#include <cstring>
#include <string>

#include "gpu/driver_api.hpp"

#ifndef TAINTGRAPH_TOO_OLD
namespace {
std::string asked;  // "symbol:version:flags " for each
int nothing() { return 0; }
}  // namespace

extern "C" taintgraph::gpu::CUresult cuGetProcAddress_v2(const char* symbol, void** function, int version,
                                                         std::uint64_t flags, int* status) {
  asked += std::string(symbol) + ":" + std::to_string(version) + ":" + std::to_string(flags) + " ";
  const bool known = std::strcmp(symbol, TAINTGRAPH_LACKS) != 0;
  *function = known ? reinterpret_cast<void*>(&nothing) : nullptr;
  *status = known ? 0 : 1;
  return known ? taintgraph::gpu::CUDA_SUCCESS : taintgraph::gpu::CUDA_ERROR_NOT_FOUND;
}

extern "C" const char* what_was_asked_for() { return asked.c_str(); }
#endif
