// A program stated in a test together with the answers that are right: what it shows of runtime and model.
#pragma once

#include <string>

namespace taintgraph::props {

// What is wrong, one line each; nothing if runtime, model and the program's own expectations agree. `header`: members
// of the trace's header beyond those that every trace has.
[[nodiscard]] std::string differences(const std::string& operations, const std::string& header = "");

}  // namespace taintgraph::props
