#include "sim/fault_plan.hpp"

#include <charconv>
#include <string>
#include <utility>

#include "sim/seeded_draw.hpp"

namespace taintgraph::sim {
namespace {

using gpu::Call;

constexpr std::string_view kClassNames[] = {"alloc", "launch", "copy",    "write",   "read",
                                            "sync",  "event",  "capture", "compile", "other"};

// Stands for the id of the planned fault, which the recorded trace does not keep.
constexpr std::string_view kRecorded = "recorded";

bool is_host_code(gpu::FaultKind kind) { return kind == gpu::FaultKind::host_exception; }

// The n of "#n"; 0 if `operation` reads otherwise.
std::uint64_t number_in(std::string_view operation) {
  if (operation.size() < 2 || operation[0] != '#' || operation[1] == '0') return 0;
  std::uint64_t number = 0;
  const char* const end = operation.data() + operation.size();
  const auto read = std::from_chars(operation.data() + 1, end, number);
  return read.ec == std::errc() && read.ptr == end ? number : 0;
}

}  // namespace

CallClass class_of(Call call) {
  switch (call) {
    case Call::cuMemAlloc:
    case Call::cuMemAllocAsync:
      return CallClass::alloc;
    case Call::cuLaunchKernel:
      return CallClass::launch;
    case Call::cuMemcpyDtoDAsync:
      return CallClass::copy;
    case Call::cuMemcpyHtoDAsync:
      return CallClass::write;
    case Call::cuMemcpyDtoHAsync:
      return CallClass::read;
    case Call::cuCtxSynchronize:
    case Call::cuStreamSynchronize:
    case Call::cuStreamQuery:
    case Call::cuEventSynchronize:
    case Call::cuEventQuery:
      return CallClass::sync;
    case Call::cuEventCreate:
    case Call::cuEventDestroy:
    case Call::cuEventRecord:
    case Call::cuStreamWaitEvent:
      return CallClass::event;
    case Call::cuStreamBeginCapture:
    case Call::cuStreamEndCapture:
    case Call::cuStreamIsCapturing:
    case Call::cuGraphDestroy:
    case Call::cuGraphInstantiate:
    case Call::cuGraphExecDestroy:
    case Call::cuGraphLaunch:
      return CallClass::capture;
    case Call::cuModuleLoadData:
    case Call::cuModuleUnload:
    case Call::cuModuleGetFunction:
    case Call::cuFuncLoad:
    case Call::nvrtcVersion:
    case Call::nvrtcCreateProgram:
    case Call::nvrtcCompileProgram:
    case Call::nvrtcGetPTXSize:
    case Call::nvrtcGetPTX:
    case Call::nvrtcGetProgramLogSize:
    case Call::nvrtcGetProgramLog:
    case Call::nvrtcDestroyProgram:
      return CallClass::compile;
    default:
      return CallClass::other;
  }
}

std::optional<CallClass> class_from_string(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kClassNames); ++i) {
    if (kClassNames[i] == name) return static_cast<CallClass>(i);
  }
  return std::nullopt;
}

std::string_view to_string(CallClass call_class) { return kClassNames[static_cast<std::size_t>(call_class)]; }

FaultPlan::FaultPlan(std::uint64_t seed, std::vector<PlannedFault> planned)
    : seed_(seed), planned_(std::move(planned)) {
  standings_.reserve(planned_.size());
  // A fault of the plan is told from an operation's own by its id.
  for (std::size_t i = 0; i < planned_.size(); ++i) {
    if (planned_[i].id.empty()) planned_[i].id = "#" + std::to_string(i + 1);
    standings_.push_back({.selectable = selectable(planned_[i]), .operation = number_in(planned_[i].operation)});
  }
  begin_operation(0, {});
}

void FaultPlan::begin_operation(std::uint64_t ordinal, std::string_view id) {
  armed_.reset();
  recorded_ = {};
  endangered_.reset();
  for (std::size_t i = 0; i < planned_.size(); ++i) {
    const std::string& selected = planned_[i].operation;
    Standing& standing = standings_[i];
    standing.in_reach = selected.empty() || (ordinal != 0 && standing.operation == ordinal) || selected == id;
    if (standing.in_reach) endangered_ |= standing.selectable;
  }
  made_ = {};
  operation_ = ordinal;
}

void FaultPlan::strike(std::span<const Call> calls, const Fault& fault) {
  armed_.emplace();
  for (const Call call : calls) armed_->calls.set(static_cast<std::size_t>(call));
  armed_->fault = fault;
  endangered_ |= armed_->calls;
}

void FaultPlan::strike(std::span<const CallFault> faults) {
  recorded_ = faults;
  for (const CallFault& each : faults) endangered_.set(static_cast<std::size_t>(each.call));
}

FaultPlan::Calls FaultPlan::selectable(const PlannedFault& planned) {
  const gpu::FaultRow& row = gpu::row(planned.fault.kind);
  Calls calls;
  if (!row.injectable) return calls;
  const auto add = [&](Call call) {
    calls.set(static_cast<std::size_t>(call), is_host_code(planned.fault.kind) == (call == Call::none));
  };
  if (planned.call) {
    add(*planned.call);
    return calls;
  }
  for (const Call call : row.calls) {
    if (!is_poll(call)) add(call);
  }
  return calls;
}

bool FaultPlan::selects(const PlannedFault& planned, const CallSite& site) {
  if (planned.call_class && *planned.call_class != site.call_class.value_or(class_of(site.call))) return false;
  if (planned.stream && planned.stream != site.stream) return false;
  return planned.kernel.empty() || planned.kernel == site.kernel;
}

bool FaultPlan::strikes(std::size_t index) {
  const PlannedFault& planned = planned_[index];
  const std::uint64_t selection = standings_[index].selected++;
  if (selection < planned.skip || (!planned.persistent && standings_[index].struck >= planned.count)) return false;
  if (planned.one_in != 0 && draw(seed_, Draw::planned_fault, index, selection) % planned.one_in != 0) return false;
  return true;
}

const Fault* FaultPlan::recorded_for(Call call) const {
  for (const CallFault& each : recorded_)
    if (each.call == call && each.nth == made_[static_cast<std::size_t>(call)]) return &each.fault;
  return nullptr;
}

FiredFault FaultPlan::fire(const Fault& fault, Call call, std::string_view planned) {
  const gpu::FaultRow& row = gpu::row(fault.kind);
  return fired_.emplace_back(FiredFault{operation_, call, calls_, made_[static_cast<std::size_t>(call)], fault.kind,
                                        fault.when.value_or(row.when), row.code, fault.bytes_done,
                                        fault.surface_after_calls, std::string(planned)});
}

std::optional<FiredFault> FaultPlan::decide_endangered(const CallSite& site) {
  // Every planned fault counts the calls it selects, even where another one strikes.
  std::optional<std::size_t> first;
  const auto call = static_cast<std::size_t>(site.call);
  for (std::size_t i = 0; i < planned_.size(); ++i) {
    const bool can_select = standings_[i].in_reach && standings_[i].selectable.test(call);
    if (can_select && selects(planned_[i], site) && strikes(i) && !first) first = i;
  }
  if (armed_ && armed_->calls.test(call) && is_host_code(armed_->fault.kind) == (site.call == Call::none) &&
      gpu::row(armed_->fault.kind).injectable) {
    return fire(armed_->fault, site.call, {});
  }
  if (const Fault* recorded = recorded_for(site.call)) return fire(*recorded, site.call, kRecorded);
  if (!first) return std::nullopt;
  ++standings_[*first].struck;
  return fire(planned_[*first].fault, site.call, planned_[*first].id);
}

bool FaultPlan::host_code_throws(const CallSite& site) { return decide(site).has_value(); }

std::vector<FiredFault> FaultPlan::take_fired() { return std::exchange(fired_, {}); }

}  // namespace taintgraph::sim
