#include "props/determinism.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "props/failure_groups.hpp"
#include "traces/replayer.hpp"
#include "traces/writer.hpp"

namespace taintgraph::props {
namespace {

std::string line_at(const traces::Program& program, std::size_t index) {
  if (index >= program.operations.size()) return {};
  return traces::operation_line(program.operations[index], program.names);
}

std::string text_at(const CheckedRun& run, std::size_t index) {
  if (index < run.trail.size()) return "fingerprint " + traces::fingerprint_text(run.trail[index]);
  return run.trail.empty() ? "fingerprint " + traces::fingerprint_text(run.fingerprint) : "the run had ended";
}

// The index of the first step that is not the same in both; nothing if all are.
std::optional<std::size_t> first_difference(const CheckedRun& a, const CheckedRun& b) {
  const auto [at, other] = std::mismatch(a.trail.begin(), a.trail.end(), b.trail.begin(), b.trail.end());
  if (at != a.trail.end() || other != b.trail.end()) return static_cast<std::size_t>(at - a.trail.begin());
  const bool same_end = a.fingerprint == b.fingerprint && a.disagreement.has_value() == b.disagreement.has_value() &&
                        (!a.disagreement || a.disagreement->same_failure(*b.disagreement));
  if (same_end) return std::nullopt;
  return a.trail.size();
}

Disagreement parting(const traces::Program& program, const CheckedRun& first, const CheckedRun& second,
                     std::size_t index) {
  Disagreement result;
  result.property = kDeterminismProperty;
  result.step = index + 1;
  if (index < program.operations.size()) result.kind = program.operations[index].kind;
  result.operation = line_at(program, index);
  result.expected = text_at(first, index) + ", as in the first run";
  result.found = text_at(second, index);
  return result;
}

}  // namespace

CheckedRun judge_twice(const Judge& judge, const std::function<traces::Program()>& make, const CheckOptions& options) {
  CheckOptions both = options;
  both.keep_trail = true;
  const traces::Program program = make();
  const traces::Program again = make();
  CheckedRun first = judge(program, both);
  const CheckedRun second = judge(again, both);
  std::optional<std::size_t> difference;
  const std::size_t count = std::max(program.operations.size(), again.operations.size());
  for (std::size_t i = 0; i < count && !difference; ++i) {
    if (line_at(program, i) != line_at(again, i)) difference = i;
  }
  if (!difference) difference = first_difference(first, second);
  if (difference) first.disagreement = parting(program, first, second, *difference);
  return first;
}

}  // namespace taintgraph::props
