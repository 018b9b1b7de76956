// The simulated driver behind the names of a real one, so that whatever opens libcuda and libnvrtc at run time can be
// tried from end to end without a GPU. One library is both.
//
// It knows no operations and has no faults of its own, as hardware does not; it gives one form of each function,
// whatever version is asked for.
#include <cstdint>
#include <cstring>

#include "gpu/compiler_api.hpp"
#include "gpu/driver_api.hpp"
#include "sim/driver.hpp"

namespace {

namespace gpu = taintgraph::gpu;
namespace sim = taintgraph::sim;

// The process's one driver, as a real one is. Never destroyed: what is loaded may be used until the end.
sim::Driver& driver() {
  static sim::FaultPlan& plan = *new sim::FaultPlan;
  static sim::Driver& made = *new sim::Driver({}, plan);
  return made;
}

// Whoever asks by the clock of the host lets it pass between two questions; the device works as long meanwhile.
gpu::CUresult query_and_work(gpu::CUstream stream) {
  constexpr std::uint64_t kBetweenQuestions = 100'000;  // nanoseconds
  const gpu::CUresult answer = driver().driver().cuStreamQuery(stream);
  if (answer != gpu::CUDA_ERROR_NOT_READY) return answer;
  const gpu::DeviceClock clock = driver().clock();
  clock.pause(clock.self, kBetweenQuestions);
  return answer;
}

// The table's name for CUDA's symbol.
const char* entry_of(const char* symbol) {
  return std::strcmp(symbol, "cuGraphInstantiateWithFlags") == 0 ? "cuGraphInstantiate" : symbol;
}

}  // namespace

#define TAINTGRAPH_EXPORT extern "C" __attribute__((visibility("default")))

TAINTGRAPH_EXPORT gpu::CUresult cuGetProcAddress_v2(const char* symbol, void** function, int, std::uint64_t,
                                                    int* status) {
  *function = nullptr;
  const gpu::DriverApi& table = driver().driver();
#define TAINTGRAPH_FIND(name, parameters) \
  if (std::strcmp(entry_of(symbol), #name) == 0) *function = reinterpret_cast<void*>(table.name);
  TAINTGRAPH_DRIVER_ENTRIES(TAINTGRAPH_FIND)
#undef TAINTGRAPH_FIND
  if (std::strcmp(symbol, "cuStreamQuery") == 0) *function = reinterpret_cast<void*>(&query_and_work);
  *status = *function == nullptr ? 1 : 0;
  return *function == nullptr ? gpu::CUDA_ERROR_NOT_FOUND : gpu::CUDA_SUCCESS;
}

TAINTGRAPH_EXPORT gpu::nvrtcResult nvrtcVersion(int* major, int* minor) {
  return driver().compiler().nvrtcVersion(major, minor);
}
TAINTGRAPH_EXPORT gpu::nvrtcResult nvrtcCreateProgram(gpu::nvrtcProgram* program, const char* source, const char* name,
                                                      int header_count, const char* const* headers,
                                                      const char* const* include_names) {
  return driver().compiler().nvrtcCreateProgram(program, source, name, header_count, headers, include_names);
}
TAINTGRAPH_EXPORT gpu::nvrtcResult nvrtcCompileProgram(gpu::nvrtcProgram program, int option_count,
                                                       const char* const* options) {
  return driver().compiler().nvrtcCompileProgram(program, option_count, options);
}
TAINTGRAPH_EXPORT gpu::nvrtcResult nvrtcGetPTXSize(gpu::nvrtcProgram program, std::size_t* size_bytes) {
  return driver().compiler().nvrtcGetPTXSize(program, size_bytes);
}
TAINTGRAPH_EXPORT gpu::nvrtcResult nvrtcGetPTX(gpu::nvrtcProgram program, char* ptx) {
  return driver().compiler().nvrtcGetPTX(program, ptx);
}
TAINTGRAPH_EXPORT gpu::nvrtcResult nvrtcGetProgramLogSize(gpu::nvrtcProgram program, std::size_t* size_bytes) {
  return driver().compiler().nvrtcGetProgramLogSize(program, size_bytes);
}
TAINTGRAPH_EXPORT gpu::nvrtcResult nvrtcGetProgramLog(gpu::nvrtcProgram program, char* log) {
  return driver().compiler().nvrtcGetProgramLog(program, log);
}
TAINTGRAPH_EXPORT gpu::nvrtcResult nvrtcDestroyProgram(gpu::nvrtcProgram* program) {
  return driver().compiler().nvrtcDestroyProgram(program);
}
