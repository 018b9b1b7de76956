#include "sim/seen_objects.hpp"

#include <algorithm>

namespace taintgraph::sim {
namespace {

template <class Map>
auto value_or_nothing(const Map& map, typename Map::key_type key) -> typename Map::mapped_type {
  const auto found = map.find(key);
  return found == map.end() ? typename Map::mapped_type() : found->second;
}

template <class Map>
std::string_view name_in(const Map& map, typename Map::key_type key) {
  const auto found = map.find(key);
  return found == map.end() ? std::string_view() : std::string_view(found->second);
}

// "fill.cu" is the source of kernel "fill".
std::string_view without_suffix(std::string_view file) { return file.substr(0, file.rfind('.')); }

// The first entry point of an image that is text; of any other nothing is known, not even where it ends.
std::string_view entry_point(const void* image) {
  constexpr std::string_view kEntry = ".entry ";
  const auto* const bytes = static_cast<const char*>(image);
  if (bytes == nullptr || bytes[0] < ' ' || bytes[0] == 127) return {};
  const std::string_view text(bytes);
  const std::size_t at = text.find(kEntry);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + kEntry.size());
  return rest.substr(0, rest.find_first_of("( \t\r\n"));
}

}  // namespace

void SeenObjects::describe(const CUstream& stream, CallSite& site) const {
  const auto found = streams_.find(stream);
  if (found != streams_.end()) site.stream = found->second.slot;
}

void SeenObjects::describe(const CUfunction& function, CallSite& site) const {
  site.kernel = name_in(functions_, function);
}

void SeenObjects::describe(const CUmodule& module, CallSite& site) const { site.kernel = name_in(modules_, module); }

void SeenObjects::describe(const nvrtcProgram& program, CallSite& site) const {
  site.kernel = name_in(programs_, program);
}

void SeenObjects::name_kernel(Of<Call::cuModuleLoadData>, CallSite& site, CUmodule*, const void* image) const {
  site.kernel = entry_point(image);
}

void SeenObjects::name_kernel(Of<Call::cuModuleGetFunction>, CallSite& site, CUfunction*, CUmodule,
                              const char* name) const {
  site.kernel = name;
}

void SeenObjects::name_kernel(Of<Call::nvrtcCreateProgram>, CallSite& site, nvrtcProgram*, const char*,
                              const char* name, int, const char* const*, const char* const*) const {
  if (name != nullptr) site.kernel = without_suffix(name);
}

void SeenObjects::name_kernel(Of<Call::nvrtcDestroyProgram>, CallSite& site, nvrtcProgram* program) const {
  site.kernel = name_in(programs_, *program);
}

SeenObjects::Stream* SeenObjects::stream(CUstream handle) {
  const auto found = streams_.find(handle);
  return found == streams_.end() ? nullptr : &found->second;
}

void SeenObjects::add(CUstream handle) {
  std::uint32_t slot = 0;
  const auto is_taken = [&] {
    return std::any_of(streams_.begin(), streams_.end(), [&](const auto& each) { return each.second.slot == slot; });
  };
  while (is_taken()) ++slot;
  if (slot >= submitted_.size()) submitted_.resize(slot + 1);
  Stream& made = streams_[handle];
  made = {};
  made.slot = slot;
  made.clock.include(slot, submitted_[slot]);
}

void SeenObjects::learn(Of<Call::cuEventRecord>, CUevent event, CUstream stream) { events_[event] = past(stream); }

void SeenObjects::learn(Of<Call::cuStreamWaitEvent>, CUstream stream, CUevent event, unsigned) {
  if (Stream* const waiting = this->stream(stream)) waiting->clock.join(past(event));
}

void SeenObjects::learn(Of<Call::cuModuleLoadData>, CUmodule* module, const void* image) {
  modules_[*module] = entry_point(image);
}

void SeenObjects::learn(Of<Call::cuModuleGetFunction>, CUfunction* function, CUmodule, const char* name) {
  functions_[*function] = name;
}

void SeenObjects::learn(Of<Call::cuStreamBeginCapture>, CUstream stream, CUstreamCaptureMode) {
  if (Stream* const begun = this->stream(stream)) {
    begun->captures = true;
    begun->invalidated = false;
    begun->recorded.clear();
  }
}

void SeenObjects::learn(Of<Call::cuStreamEndCapture>, CUstream stream, CUgraph* graph) {
  Stream* const ended = this->stream(stream);
  if (ended == nullptr) return;
  if (*graph != nullptr) graphs_[*graph] = std::move(ended->recorded);
  ended->captures = ended->invalidated = false;
  ended->recorded.clear();
}

void SeenObjects::learn(Of<Call::cuGraphInstantiate>, CUgraphExec* exec, CUgraph graph, unsigned long long) {
  execs_[*exec] = value_or_nothing(graphs_, graph);
}

void SeenObjects::learn(Of<Call::nvrtcCreateProgram>, nvrtcProgram* program, const char*, const char* name, int,
                        const char* const*, const char* const*) {
  programs_[*program] = name == nullptr ? std::string_view() : without_suffix(name);
}

std::uint64_t SeenObjects::submit(Stream& stream) {
  const std::uint64_t ordinal = ++submitted_[stream.slot];
  stream.clock.include(stream.slot, ordinal);
  return ordinal;
}

std::vector<AsyncFault> SeenObjects::faults_of(CUgraphExec exec) const { return value_or_nothing(execs_, exec); }

VectorClock SeenObjects::past(CUstream stream) const {
  const auto found = streams_.find(stream);
  return found == streams_.end() ? everything() : found->second.clock;
}

VectorClock SeenObjects::past(CUevent event) const { return value_or_nothing(events_, event); }

VectorClock SeenObjects::everything() const {
  VectorClock all;
  for (std::uint32_t slot = 0; slot < submitted_.size(); ++slot) all.include(slot, submitted_[slot]);
  return all;
}

void SeenObjects::invalidate(Stream* stream) {
  if (stream != nullptr) {
    stream->invalidated = stream->captures;
    return;
  }
  for (auto& [handle, each] : streams_) each.invalidated = each.captures;
}

std::vector<CUstream> SeenObjects::open_streams() const {
  std::vector<CUstream> open;
  for (const auto& [handle, each] : streams_) {
    if (!each.captures) open.push_back(handle);
  }
  return open;
}

void SeenObjects::clear() {
  streams_.clear();
  events_.clear();
  modules_.clear();
  functions_.clear();
  graphs_.clear();
  execs_.clear();
}

}  // namespace taintgraph::sim
