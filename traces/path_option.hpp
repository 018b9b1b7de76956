// What a command line's option that names a file or a folder has to hold.
//
// An empty name is a slip, as a rule a variable that is not set, and never means "none": whoever wants none leaves the
// option out. Whether the file can be read or written is found out by doing so.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace taintgraph::traces {

// For CLI::Option::check().
[[nodiscard]] inline CLI::Validator not_empty() {
  return CLI::Validator([](const std::string& name) { return name.empty() ? std::string("the name is empty") : ""; },
                        "");
}

}  // namespace taintgraph::traces
