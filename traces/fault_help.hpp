// The kinds of failure, for whoever writes a trace: the fault table as text.
#pragma once

#include <string>

namespace taintgraph::traces {

// One line a kind that a fault may have, under a heading.
[[nodiscard]] std::string fault_kinds_text();

}  // namespace taintgraph::traces
