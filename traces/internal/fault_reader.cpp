#include "traces/internal/fault_reader.hpp"

#include <array>
#include <set>
#include <string>

#include "gpu/fault_table.hpp"
#include "gpu/kernel_info.hpp"
#include "traces/fault_target.hpp"
#include "traces/internal/kernel_name.hpp"
#include "traces/internal/members.hpp"

namespace taintgraph::traces::internal {
namespace {

// The members that an operation's fault and a planned one share, with what they said.
struct FaultParts {
  std::optional<gpu::FaultKind> kind;
  sim::Fault fault;
  Place when_place;
  Place id_place;    // of a planned one
  Place call_place;  // of one that names its call
};

void read_surface(ValueReader& in, sim::Fault& fault) {
  constexpr std::array<std::string_view, 1> names = {"after_calls"};
  if (!in.object()) return;
  Members members(in, names);
  while (members.next()) fault.surface_after_calls = in.integer();
  members.require(0);
}

void read_when(ValueReader& in, FaultParts& parts) {
  parts.when_place = in.next_place();
  parts.fault.when = in.word(kWhenWords);
}

// The rule that joins `when` and `kind`; none if a problem was found here or before.
std::optional<sim::Fault> join(ValueReader& in, FaultParts& parts) {
  if (!parts.kind) return std::nullopt;
  parts.fault.kind = *parts.kind;
  const gpu::FaultRow& row = gpu::row(*parts.kind);
  if (parts.fault.when == gpu::FaultWhen::async && !row.sticky) {
    const PathStep step(in.problems(), "when");
    in.problems().add(parts.when_place, in_quotes(row.name) +
                                            " does not stay with the context, so it cannot be async; "
                                            "expected before or after");
    return std::nullopt;
  }
  return parts.fault;
}

// The rule that joins `call` and `kind`: a driver and a compiler have answers of their own.
bool answers(ValueReader& in, const FaultParts& parts, gpu::Call call) {
  if (!parts.kind || call == gpu::Call::none || may_strike(call, *parts.kind)) return true;
  const PathStep step(in.problems(), "call");
  in.problems().add(parts.call_place, in_quotes(gpu::to_string(call)) + " cannot return " +
                                          in_quotes(gpu::row(*parts.kind).name) +
                                          "; expected a call of the library whose error it is");
  return false;
}

std::optional<gpu::Call> read_call(ValueReader& in, FaultParts& parts) {
  const Place start = in.next_place();
  parts.call_place = start;
  const auto name = in.name("the name of a driver function");
  if (!name) return std::nullopt;
  const auto call = gpu::call_from_string(*name);
  if (!call) {
    in.problems().add(start,
                      "unknown call " + in_quotes(*name) + "; expected a driver function, as \"cuLaunchKernel\"");
  }
  return call;
}

std::optional<sim::CallClass> read_class(ValueReader& in) {
  const Place start = in.next_place();
  const auto name = in.name("a class of calls");
  if (!name) return std::nullopt;
  const auto call_class = sim::class_from_string(*name);
  if (call_class && *call_class != sim::CallClass::other) return call_class;
  WordList list;
  for (int i = 0; i < static_cast<int>(sim::CallClass::other); ++i) {
    list.add(sim::to_string(static_cast<sim::CallClass>(i)));
  }
  in.problems().add(start, "unknown class " + in_quotes(*name) + "; expected " + list.text());
  return std::nullopt;
}

std::string read_name(ValueReader& in, std::string_view what) {
  const auto name = in.name(what);
  return name ? std::string(*name) : std::string();
}

// As many names as members that a planned fault may have; the order is that of the switch in read_planned().
constexpr std::array<std::string_view, 14> kPlannedNames = {"id",   "call", "class",      "kernel", "stream",
                                                            "op",   "skip", "count",      "mode",   "one_in",
                                                            "kind", "when", "bytes_done", "surface"};

void read_planned_member(ValueReader& in, std::size_t member, sim::PlannedFault& planned, FaultParts& parts) {
  switch (member) {
    case 0:
      parts.id_place = in.next_place();
      planned.id = read_name(in, "an id");
      break;
    case 1:
      planned.call = read_call(in, parts);
      break;
    case 2:
      planned.call_class = read_class(in);
      break;
    case 3:
      if (const auto kernel = read_kernel_name(in)) planned.kernel = gpu::kernel_catalog()[*kernel].name;
      break;
    case 4:
      planned.stream = in.stream();
      break;
    case 5:
      if (const auto operation = in.operation_name()) planned.operation = in.names().text(*operation);
      break;
    case 6:
      planned.skip = in.integer().value_or(0);
      break;
    case 7:
      planned.count = in.integer().value_or(1);
      break;
    case 8:
      planned.persistent = in.word(kModeWords).value_or(false);
      break;
    case 9:
      planned.one_in = in.integer(1).value_or(1);
      break;
    case 10:
      parts.kind = read_fault_kind(in, FaultUse::injected);
      break;
    case 11:
      read_when(in, parts);
      break;
    case 12:
      parts.fault.bytes_done = in.integer().value_or(0);
      break;
    default:
      read_surface(in, parts.fault);
      break;
  }
}

}  // namespace

std::optional<gpu::FaultKind> read_fault_kind(ValueReader& in, FaultUse use) {
  const Place start = in.next_place();
  const auto name = in.text("the name of a fault");
  if (!name) return std::nullopt;
  const auto kind = gpu::fault_from_string(*name);
  if (!kind) {
    WordList kinds;
    for (const gpu::FaultRow& row : gpu::fault_table())
      if (row.injectable || use == FaultUse::expected) kinds.add(row.name);
    in.problems().add(start, "unknown fault " + in_quotes(*name) + "; expected " + kinds.text());
    return std::nullopt;
  }
  if (use == FaultUse::injected && !gpu::row(*kind).injectable) {
    in.problems().add(start, in_quotes(*name) + " is no error, so it cannot be injected; expected another kind");
    return std::nullopt;
  }
  return kind;
}

std::optional<sim::Fault> read_fault(ValueReader& in) {
  FaultParts parts;
  if (in.scanner().peek() == ValueKind::string) {
    parts.kind = read_fault_kind(in, FaultUse::injected);
    return join(in, parts);
  }
  if (!in.object()) return std::nullopt;
  constexpr std::array<std::string_view, 4> names = {"kind", "when", "bytes_done", "surface"};
  Members members(in, names);
  while (const auto member = members.next()) {
    switch (*member) {
      case 0:
        parts.kind = read_fault_kind(in, FaultUse::injected);
        break;
      case 1:
        read_when(in, parts);
        break;
      case 2:
        parts.fault.bytes_done = in.integer().value_or(0);
        break;
      default:
        read_surface(in, parts.fault);
        break;
    }
  }
  members.require(0);
  return join(in, parts);
}

std::vector<sim::CallFault> read_fired(ValueReader& in) {
  constexpr std::array<std::string_view, 6> names = {"call", "nth", "kind", "when", "bytes_done", "surface"};
  std::vector<sim::CallFault> fired;
  if (!in.list()) return fired;
  in.scanner().enter();
  for (std::uint64_t i = 0; in.scanner().next_element(); ++i) {
    const PathStep step(in.problems(), i);
    if (!in.object()) continue;
    sim::CallFault struck;
    FaultParts parts;
    Members members(in, names);
    while (const auto member = members.next()) {
      switch (*member) {
        case 0:
          struck.call = read_call(in, parts).value_or(gpu::Call::none);
          break;
        case 1:
          struck.nth = in.integer(1).value_or(1);
          break;
        case 2:
          parts.kind = read_fault_kind(in, FaultUse::injected);
          break;
        case 3:
          read_when(in, parts);
          break;
        case 4:
          parts.fault.bytes_done = in.integer().value_or(0);
          break;
        default:
          read_surface(in, parts.fault);
          break;
      }
    }
    members.require(0);
    members.require(2);
    if (!answers(in, parts, struck.call)) continue;
    if (const auto fault = join(in, parts)) {
      struck.fault = *fault;
      fired.push_back(struck);
    }
  }
  return fired;
}

std::vector<sim::PlannedFault> read_fault_plan(ValueReader& in) {
  std::vector<sim::PlannedFault> plan;
  if (!in.list()) return plan;
  std::set<std::string> ids;
  in.scanner().enter();
  for (std::uint64_t i = 0; in.scanner().next_element(); ++i) {
    const PathStep step(in.problems(), i);
    if (!in.object()) continue;
    sim::PlannedFault planned;
    FaultParts parts;
    Members members(in, kPlannedNames);
    while (const auto member = members.next()) read_planned_member(in, *member, planned, parts);
    members.require(10);
    if (!planned.id.empty() && !ids.insert(planned.id).second) {
      const PathStep id(in.problems(), kPlannedNames[0]);
      in.problems().add(parts.id_place, "duplicate id " + in_quotes(planned.id) + "; expected one id a fault");
    }
    if (!answers(in, parts, planned.call.value_or(gpu::Call::none))) continue;
    const auto fault = join(in, parts);
    if (!fault) continue;
    planned.fault = *fault;
    plan.push_back(std::move(planned));
  }
  return plan;
}

}  // namespace taintgraph::traces::internal
