// Compares the tables with CUDA's own headers, value by value and type by type. Holds only static_asserts, and is
// compiled only where the toolkit's headers are found.
//
// cuda.h renames functions by macros, so our names are spelled only next to ## after it is included.
#include <type_traits>

#include "gpu/compiler_api.hpp"
#include "gpu/driver_api.hpp"
#include "gpu/driver_entries.hpp"

namespace taintgraph::gpu::ours {
#define TAINTGRAPH_TYPE(name, parameters) using type_of_##name = std::remove_pointer_t<decltype(DriverApi::name)>;
TAINTGRAPH_DRIVER_ENTRIES(TAINTGRAPH_TYPE)
#undef TAINTGRAPH_TYPE
#define TAINTGRAPH_TYPE(name, parameters) using type_of_##name = std::remove_pointer_t<decltype(CompilerApi::name)>;
TAINTGRAPH_COMPILER_ENTRIES(TAINTGRAPH_TYPE)
#undef TAINTGRAPH_TYPE
}  // namespace taintgraph::gpu::ours

#include <cuda.h>
#include <cudaTypedefs.h>
#include <nvrtc.h>

namespace taintgraph::gpu {
namespace {

// The type of CUDA's that one of ours stands for. Handles and types of the language stand for themselves.
template <class Ours>
struct Theirs {
  using type = Ours;
};
template <class Ours>
using TheirsOf = typename Theirs<Ours>::type;

template <class Ours>
struct Theirs<Ours*> {
  using type = TheirsOf<Ours>*;
};
template <class Ours>
struct Theirs<const Ours> {
  using type = const TheirsOf<Ours>;
};
template <class Result, class... Arguments>
struct Theirs<Result(Arguments...)> {
  using type = TheirsOf<Result>(TheirsOf<Arguments>...);
};

// Enumerations pass as integers: what must agree is their size and sign, and each value.
#define TAINTGRAPH_ENUM(name) \
  template <>                 \
  struct Theirs<gpu::name> {  \
    using type = ::name;      \
  };                          \
  static_assert(sizeof(gpu::name) == sizeof(::name) && alignof(gpu::name) == alignof(::name), #name);
TAINTGRAPH_ENUM(CUresult)
TAINTGRAPH_ENUM(CUdevice_attribute)
TAINTGRAPH_ENUM(CUstreamCaptureMode)
TAINTGRAPH_ENUM(CUstreamCaptureStatus)
TAINTGRAPH_ENUM(nvrtcResult)
#undef TAINTGRAPH_ENUM

// Handles and addresses are the same types.
static_assert(std::is_same_v<gpu::CUdevice, ::CUdevice>);
static_assert(std::is_same_v<gpu::CUdeviceptr, ::CUdeviceptr>);
static_assert(std::is_same_v<gpu::CUcontext, ::CUcontext>);
static_assert(std::is_same_v<gpu::CUstream, ::CUstream>);
static_assert(std::is_same_v<gpu::CUevent, ::CUevent>);
static_assert(std::is_same_v<gpu::CUmodule, ::CUmodule>);
static_assert(std::is_same_v<gpu::CUfunction, ::CUfunction>);
static_assert(std::is_same_v<gpu::CUgraph, ::CUgraph>);
static_assert(std::is_same_v<gpu::CUgraphExec, ::CUgraphExec>);
static_assert(std::is_same_v<gpu::CUgraphNode, ::CUgraphNode>);
static_assert(std::is_same_v<gpu::CUmemoryPool, ::CUmemoryPool>);
static_assert(std::is_same_v<gpu::nvrtcProgram, ::nvrtcProgram>);

#define TAINTGRAPH_VALUE(name) static_assert(static_cast<int>(gpu::name) == static_cast<int>(::name), #name);
#include "table_values.inc"  // TAINTGRAPH_VALUE of every enumerator in the two headers that this CUDA has
#undef TAINTGRAPH_VALUE
static_assert(kStreamNonBlocking == CU_STREAM_NON_BLOCKING);
static_assert(kEventDisableTiming == CU_EVENT_DISABLE_TIMING);

// Every driver entry against CUDA's prototype of the very version that the loader asks for.
#define TAINTGRAPH_PROTOTYPE(entry, symbol, version)                                                               \
  static_assert(std::is_same_v<TheirsOf<ours::type_of_##entry>, std::remove_pointer_t<PFN_##symbol##_v##version>>, \
                #entry);
TAINTGRAPH_DRIVER_PINS(TAINTGRAPH_PROTOTYPE)
#undef TAINTGRAPH_PROTOTYPE

#define TAINTGRAPH_PROTOTYPE(name, parameters) \
  static_assert(std::is_same_v<TheirsOf<ours::type_of_##name>, std::remove_reference_t<decltype(::name)>>, #name);
TAINTGRAPH_COMPILER_ENTRIES(TAINTGRAPH_PROTOTYPE)
#undef TAINTGRAPH_PROTOTYPE

// The table and the pins hold the same entries in the same order.
enum class Entry {
#define TAINTGRAPH_ENTRY(name, parameters) of_##name,
  TAINTGRAPH_DRIVER_ENTRIES(TAINTGRAPH_ENTRY)
#undef TAINTGRAPH_ENTRY
      count
};
enum class Pin {
#define TAINTGRAPH_PIN(entry, symbol, version) of_##entry,
  TAINTGRAPH_DRIVER_PINS(TAINTGRAPH_PIN)
#undef TAINTGRAPH_PIN
      count
};
static_assert(static_cast<int>(Entry::count) == static_cast<int>(Pin::count), "every entry is pinned");
#define TAINTGRAPH_ORDER(name, parameters) \
  static_assert(static_cast<int>(Entry::of_##name) == static_cast<int>(Pin::of_##name), #name);
TAINTGRAPH_DRIVER_ENTRIES(TAINTGRAPH_ORDER)
#undef TAINTGRAPH_ORDER

}  // namespace
}  // namespace taintgraph::gpu
