#include "traces/recorder.hpp"

#include <memory>
#include <span>
#include <vector>

#include "traces/fault_target.hpp"

namespace taintgraph::traces {

namespace {

// Operations whose own fault strikes one call and no other.
bool makes_one_call(OpKind kind) {
  return kind == OpKind::launch || kind == OpKind::write || kind == OpKind::copy || kind == OpKind::replay;
}

// A plan's decision becomes the operation's own fault where that says the same; else it is kept by the very call.
void note_decision(const sim::FiredFault& fired, bool alone, Operation& operation,
                   std::vector<sim::CallFault>& decisions) {
  const sim::Fault fault{.kind = fired.kind,
                         .when = fired.when,
                         .bytes_done = fired.bytes_done,
                         .surface_after_calls = fired.surface_after_calls};
  const std::span<const gpu::Call> struck = calls_struck(operation.kind, fired.kind);
  const bool says_the_same = alone && !operation.fault && makes_one_call(operation.kind) && fired.nth == 1 &&
                             !strikes_loading(operation.kind, fired.kind) && struck.size() == 1 &&
                             struck.front() == fired.call;
  if (says_the_same) {
    operation.fault = fault;
  } else {
    decisions.push_back({fired.call, fired.nth, fault});
  }
}

}  // namespace

Recorder::Recorder(const Header& header, const NameTable& names) : names_(names) {
  Header recorded = header;
  recorded.faults.clear();  // what they decided stands on the operations
  text_ = header_line(recorded) + "\n";
}

void Recorder::add(const Operation& operation, const StepResult& result) {
  Operation recorded = operation;
  auto annotations =
      recorded.annotations ? std::make_shared<Annotations>(*recorded.annotations) : std::make_shared<Annotations>();
  annotations->fired.clear();
  for (const sim::FiredFault& fired : result.fired)
    if (!fired.planned.empty()) note_decision(fired, result.fired.size() == 1, recorded, annotations->fired);
  if (!result.schedule.empty() || result.outcome == Outcome::timeout) {
    annotations->schedule = result.schedule;
    annotations->has_schedule = true;
  }
  recorded.annotations = std::move(annotations);
  text_ += operation_line(recorded, names_) + "\n";
}

std::string Recorder::finish(const Session& session) {
  return text_ + end_line({.operations = session.operations(), .fingerprint = session.fingerprint()}) + "\n";
}

}  // namespace taintgraph::traces
