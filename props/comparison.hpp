// Compares what an operation did with what the model says it should have done.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "props/disagreement.hpp"
#include "props/model.hpp"
#include "traces/operation.hpp"
#include "traces/session.hpp"

namespace taintgraph::props {

// The first thing that differs, findings of the simulated driver before all: where there is a race, wrong bytes are no
// news. The step and the operation's text are the caller's to fill in.
[[nodiscard]] std::optional<Disagreement> compare(const traces::Operation& operation, const Prediction& expected,
                                                  const traces::StepResult& found);

// Which property a line of traces::StepResult::findings or of Session::finish() speaks of.
[[nodiscard]] std::string_view property_of_finding(std::string_view finding);

// "3, 7" for ordinals 3 and 7; "none" for none.
[[nodiscard]] std::string list_of(const std::vector<std::uint64_t>& ordinals);

}  // namespace taintgraph::props
