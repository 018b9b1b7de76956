// One step of a replay in one line: for a person, or as a JSON object.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "traces/comparison.hpp"

namespace taintgraph::traces {

// "#5 P launch iota -> failed, roots [P], launch_out_of_resources; failures 1, tags 1"
[[nodiscard]] std::string step_text(const Operation& operation, std::uint64_t ordinal, const StepResult& result,
                                    const OperationNames& names);

// The same and its mismatches as one JSON object, keys in a fixed order.
[[nodiscard]] std::string step_json(const Operation& operation, std::uint64_t ordinal, const StepResult& result,
                                    const std::vector<Mismatch>& mismatches, const OperationNames& names);

// A JSON string with its quotes; bytes that are not UTF-8 become the replacement character.
[[nodiscard]] std::string json_quoted(std::string_view text);

}  // namespace taintgraph::traces
