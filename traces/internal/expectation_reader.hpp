// Reads what an operation's "expect" says.
#pragma once

#include <optional>

#include "traces/internal/value_reader.hpp"

namespace taintgraph::traces::internal {

struct ExpectationText {
  Expectation value;
  // Where expected bytes (or a fill) were named: only a read of one ref may have them, and that is known later.
  std::optional<Place> bytes_place;
  std::string_view bytes_member;
};

[[nodiscard]] std::optional<ExpectationText> read_expectation(ValueReader& in);

}  // namespace taintgraph::traces::internal
