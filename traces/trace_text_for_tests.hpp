// Traces as text, for tests: the shortest header, a program as it is written, and what is wrong with a text.
#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "traces/reader.hpp"
#include "traces/writer.hpp"

namespace taintgraph::traces {

inline const std::string kHeader = R"({"format":"taintgraph-trace","version":1})";

inline std::string text_of(const Program& program) {
  std::ostringstream output;
  write_program(output, program);
  return output.str();
}

// One line a problem.
inline std::string describe(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) text += to_string(problem, "trace") + "\n";
  return text;
}

}  // namespace taintgraph::traces
