// Runtime::submit, for the source files that submit work.
#pragma once

#include <utility>

#include "core/runtime.hpp"

namespace taintgraph::core {

// Submits what reads_ and writes_ name, inside a write scope (W2), ordered after every use that it must come after
// (W6).
template <class Submit>
Status Runtime::submit(const Work& work, Submit&& submit) {
  targets_.clear();
  read_spans_.clear();
  write_spans_.clear();
  for (const Operand& input : reads_) read_spans_.push_back(span_of(input));
  for (const Operand& output : writes_) {
    write_spans_.push_back(span_of(output));
    if (!output.range.empty()) targets_.push_back({&output.slice->taint, output.range});
  }

  WriteScope scope(graph_, targets_, work.correlation);
  if (auto ordered = order(work.stream); !ordered) return failed(scope.fail(std::move(ordered.error())));
  last_mark_ = streams_.take_mark(work.stream);
  // An error that poisons names this very operation; what it blames was queued before. So it is noted last.
  WorkLog::Noting noting(work_log_, last_mark_, work.kernel, work.correlation);
  note_use(last_mark_);
  if (DeviceResult<void> submitted = submit(); !submitted) return failed(scope.fail(std::move(submitted.error())));
  noting.now();
  run(work.host_code);
  scope.succeed();
  return {};
}

}  // namespace taintgraph::core
