#include "props/order_search.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "props/random.hpp"

namespace taintgraph::props {

std::size_t OrderSearch::choose(std::size_t alternatives) {
  if (asked_ == answers_.size()) answers_.push_back({0, alternatives});
  return answers_[asked_++].given;
}

bool OrderSearch::next() {
  answers_.resize(asked_);  // a run that was cut short asked less
  asked_ = 0;
  while (!answers_.empty() && answers_.back().given + 1 == answers_.back().alternatives) answers_.pop_back();
  if (answers_.empty()) return false;
  ++answers_.back().given;
  return true;
}

CheckedRun judge_every_order(const Judge& judge, const traces::Program& program, const CheckOptions& options) {
  OrderSearch search;
  CheckOptions watched = options;
  watched.session.order = &search;
  std::vector<std::vector<std::uint32_t>> schedules;
  watched.after_step = [&](std::uint64_t ordinal, const traces::StepResult& result) {
    schedules.push_back(result.schedule);
    if (options.after_step) options.after_step(ordinal, result);
  };
  CheckedRun total = judge(program, watched);
  while (!total.disagreement && search.next()) {
    schedules.clear();
    CheckedRun run = judge(program, watched);
    run.operations += total.operations;
    run.faults += total.faults;
    run.fingerprint = mix(total.fingerprint, run.fingerprint);
    run.runs += total.runs;
    run.features.add(total.features);
    run.cells.add(total.cells);
    run.shape.add(total.shape);
    total = std::move(run);
  }
  total.orders = total.runs > 1 ? total.runs : 0;
  total.schedules = std::move(schedules);
  return total;
}

traces::Program with_schedules(traces::Program program, const std::vector<std::vector<std::uint32_t>>& schedules) {
  for (std::size_t i = 0; i < std::min(schedules.size(), program.operations.size()); ++i) {
    traces::Operation& operation = program.operations[i];
    traces::Annotations annotations = operation.annotations ? *operation.annotations : traces::Annotations{};
    annotations.schedule = schedules[i];
    annotations.has_schedule = true;
    operation.annotations = std::make_shared<const traces::Annotations>(std::move(annotations));
  }
  return program;
}

}  // namespace taintgraph::props
