#include "viz/trace_frames.hpp"

#include <utility>

#include "traces/comparison.hpp"
#include "traces/session.hpp"
#include "traces/step_text.hpp"
#include "viz/film.hpp"

namespace taintgraph::viz {
std::vector<HtmlFrame> run_to(const traces::Program& program, std::optional<std::uint64_t> at,
                              const std::optional<DotOptions>& steps) {
  traces::SessionOptions options;
  options.keep_history = true;
  traces::Session session(program.header, program.names, options);
  traces::OperationNames names(program.names);
  const std::uint64_t last = at.value_or(program.operations.size());
  const std::uint64_t first_step = last > traces::kFilmedOperations ? last - traces::kFilmedOperations + 1 : 1;
  Film film(steps.value_or(DotOptions{}));
  for (std::uint64_t ordinal = 1; ordinal <= last; ++ordinal) {
    const traces::Operation& operation = program.operations[ordinal - 1];
    const traces::StepResult result = session.execute(operation);
    names.remember(operation, ordinal, result);
    if (steps && ordinal >= first_step) film.add(step_text(operation, ordinal, result, names), session.snapshot());
  }
  return film.take(session.snapshot());
}

}  // namespace taintgraph::viz
