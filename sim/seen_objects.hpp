// What the injector knows of the objects behind another driver's handles, learned from the calls that pass: which
// stream is which, what is ordered before what, which kernel a function is, who captures.
//
// It knows handles only by their values and never looks behind one. It is for one context at a time; clear() forgets
// everything that belongs to it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sim/driver_types.hpp"
#include "sim/fault_plan.hpp"
#include "sim/vector_clock.hpp"
#include "sim/work.hpp"

namespace taintgraph::sim {

// Chooses an overload by the call that is meant.
template <Call call>
using Of = std::integral_constant<Call, call>;

class SeenObjects {
 public:
  struct Stream {
    std::uint32_t slot = 0;  // its index to the outside: the lowest that was free
    VectorClock clock;       // the work ordered before what is queued on it next, its own included
    bool captures = false;
    bool invalidated = false;          // an injected error has broken its capture
    std::vector<AsyncFault> recorded;  // that strike at each launch of the graph being captured
  };

  // A call as a fault plan selects it.
  template <Call call, class... Arguments>
  [[nodiscard]] CallSite site(const Arguments&... arguments) const {
    CallSite site{call, std::nullopt, {}};
    (describe(arguments, site), ...);
    name_kernel(Of<call>{}, site, arguments...);
    return site;
  }

  // The stream that a call works on; nullptr if it works on none, or on one that was never seen.
  template <class... Arguments>
  [[nodiscard]] Stream* stream_among(const Arguments&... arguments) {
    Stream* found = nullptr;
    [[maybe_unused]] const auto look = [&](const auto& argument) {
      if constexpr (std::is_same_v<std::decay_t<decltype(argument)>, CUstream>) found = stream(argument);
    };
    (look(arguments), ...);
    return found;
  }

  // Notes what a call that succeeded did.
  template <Call call, class... Arguments>
  void learn(Of<call>, Arguments...) {}
  void learn(Of<Call::cuStreamCreate>, CUstream* stream, unsigned) { add(*stream); }
  void learn(Of<Call::cuEventRecord>, CUevent event, CUstream stream);
  void learn(Of<Call::cuStreamWaitEvent>, CUstream stream, CUevent event, unsigned);
  void learn(Of<Call::cuModuleLoadData>, CUmodule* module, const void* image);
  void learn(Of<Call::cuModuleGetFunction>, CUfunction* function, CUmodule, const char* name);
  void learn(Of<Call::cuStreamBeginCapture>, CUstream stream, CUstreamCaptureMode);
  void learn(Of<Call::cuStreamEndCapture>, CUstream stream, CUgraph* graph);
  void learn(Of<Call::cuGraphInstantiate>, CUgraphExec* exec, CUgraph graph, unsigned long long);
  void learn(Of<Call::nvrtcCreateProgram>, nvrtcProgram* program, const char* source, const char* name, int,
             const char* const*, const char* const*);

  // Forgets what a call ends, whatever it returned.
  template <Call call, class... Arguments>
  void forget(Of<call>, Arguments...) {}
  void forget(Of<Call::cuStreamDestroy>, CUstream stream) { streams_.erase(stream); }
  void forget(Of<Call::cuEventDestroy>, CUevent event) { events_.erase(event); }
  void forget(Of<Call::cuModuleUnload>, CUmodule module) { modules_.erase(module); }
  void forget(Of<Call::cuGraphDestroy>, CUgraph graph) { graphs_.erase(graph); }
  void forget(Of<Call::cuGraphExecDestroy>, CUgraphExec exec) { execs_.erase(exec); }
  void forget(Of<Call::nvrtcDestroyProgram>, nvrtcProgram* program) { programs_.erase(*program); }

  // Counts a piece of work on `stream`; its ordinal there.
  std::uint64_t submit(Stream& stream);

  // Faults that strike whenever `exec` is launched.
  [[nodiscard]] std::vector<AsyncFault> faults_of(CUgraphExec exec) const;

  // What a wait waits for: a stream's work, an event's, or all.
  [[nodiscard]] VectorClock past(CUstream stream) const;
  [[nodiscard]] VectorClock past(CUevent event) const;
  [[nodiscard]] VectorClock everything() const;

  // An error of capturing has struck a call on `stream`, or on none: that capture, or all, can only be ended now.
  void invalidate(Stream* stream);

  // Streams that can be waited for.
  [[nodiscard]] std::vector<CUstream> open_streams() const;

  // The context and all that was in it are gone.
  void clear();

 private:
  template <class Argument>
  void describe(const Argument&, CallSite&) const {}
  void describe(const CUstream& stream, CallSite& site) const;
  void describe(const CUfunction& function, CallSite& site) const;
  void describe(const CUmodule& module, CallSite& site) const;
  void describe(const nvrtcProgram& program, CallSite& site) const;

  // Where no handle says which kernel a call is about, but another argument does.
  template <Call call, class... Arguments>
  void name_kernel(Of<call>, CallSite&, const Arguments&...) const {}
  void name_kernel(Of<Call::cuModuleLoadData>, CallSite& site, CUmodule*, const void* image) const;
  void name_kernel(Of<Call::cuModuleGetFunction>, CallSite& site, CUfunction*, CUmodule, const char* name) const;
  void name_kernel(Of<Call::nvrtcCreateProgram>, CallSite& site, nvrtcProgram*, const char*, const char* name, int,
                   const char* const*, const char* const*) const;
  void name_kernel(Of<Call::nvrtcDestroyProgram>, CallSite& site, nvrtcProgram* program) const;

  [[nodiscard]] Stream* stream(CUstream handle);
  void add(CUstream handle);

  std::map<CUstream, Stream> streams_;
  std::vector<std::uint64_t> submitted_;  // by slot: pieces of work so far, never restarting
  std::map<CUevent, VectorClock> events_;
  std::map<CUmodule, std::string> modules_;      // the kernel that each holds
  std::map<CUfunction, std::string> functions_;  // kept when the module goes: a handle that comes again is learned anew
  std::map<nvrtcProgram, std::string> programs_;
  std::map<CUgraph, std::vector<AsyncFault>> graphs_;
  std::map<CUgraphExec, std::vector<AsyncFault>> execs_;
};

}  // namespace taintgraph::sim
