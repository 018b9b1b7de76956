// One way in which a program's run was not what it should have been: which property, where, what was expected.
#pragma once

#include <cstdint>
#include <string>

#include "traces/operation.hpp"

namespace taintgraph::props {

struct Disagreement {
  std::string property;                         // a rule and what of it ("R1 bytes"), or the nature of a finding
  std::uint64_t step = 0;                       // ordinal of the operation, from 1; after the last one: at the end
  traces::OpKind kind = traces::OpKind::check;  // of that operation; `check` at the end
  std::string operation;                        // as a line of a trace; empty at the end
  std::string expected;
  std::string found;

  // What two programs must share to be said to fail the same way. Steps, ranges and numbers change as programs shrink.
  [[nodiscard]] bool same_failure(const Disagreement& other) const {
    return property == other.property && kind == other.kind;
  }
};

}  // namespace taintgraph::props
