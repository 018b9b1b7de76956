#include "traces/recorder.hpp"

#include <memory>

namespace taintgraph::traces {

Recorder::Recorder(const Header& header, const NameTable& names) : names_(names) {
  Header recorded = header;
  recorded.faults.clear();  // what they decided stands on the operations
  text_ = header_line(recorded) + "\n";
}

void Recorder::add(const Operation& operation, const StepResult& result) {
  Operation recorded = operation;
  if (!recorded.fault && !result.fired.empty()) {
    const sim::FiredFault& fired = result.fired.front();
    recorded.fault = sim::Fault{.kind = fired.kind,
                                .when = fired.when,
                                .bytes_done = fired.bytes_done,
                                .surface_after_calls = fired.surface_after_calls};
  }
  if (!result.schedule.empty()) {
    auto annotations =
        recorded.annotations ? std::make_shared<Annotations>(*recorded.annotations) : std::make_shared<Annotations>();
    annotations->schedule = result.schedule;
    annotations->has_schedule = true;
    recorded.annotations = std::move(annotations);
  }
  text_ += operation_line(recorded, names_) + "\n";
}

std::string Recorder::finish(const Session& session) {
  return text_ + end_line({.operations = session.operations(), .fingerprint = session.fingerprint()}) + "\n";
}

}  // namespace taintgraph::traces
