// What tests of the whole command `fuzz` share: a run of few cases into a folder of its own, and judges that plant
// failures, since the runtime is not to have any.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "props/fuzz.hpp"
#include "traces/writer.hpp"

namespace taintgraph::props {

class Fuzz : public testing::Test {
 protected:
  Fuzz() {
    std::string pattern = (std::filesystem::temp_directory_path() / "fuzz_test_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    options_.seed = 5;
    options_.end_case = 60;
    options_.out = folder_ + "/failures";
  }
  ~Fuzz() override { std::filesystem::remove_all(folder_); }

  // Runs the command; out_ and err_ hold what it said.
  int run(const Judge& judge, const GraphRenderer& render = {}) {
    out_.str("");
    err_.str("");
    return fuzz(options_, judge, out_, err_, render);
  }

  [[nodiscard]] std::string last_line() const {
    const std::string text = out_.str();
    return text.substr(text.rfind('\n', text.size() - 2) + 1);
  }
  [[nodiscard]] std::string field(const std::string& name) const {
    const std::string line = last_line();
    const std::string key = " " + name + "=";
    const std::size_t at = line.find(key);
    if (at == std::string::npos) return "";
    const std::size_t begin = at + key.size();
    return line.substr(begin, line.find_first_of(" \n", begin) - begin);
  }
  [[nodiscard]] std::string path(const std::string& file) const { return options_.out + "/5/" + file; }
  [[nodiscard]] std::string said() const { return out_.str() + err_.str(); }

  std::string folder_;
  FuzzOptions options_;
  std::ostringstream out_;
  std::ostringstream err_;
};

inline std::optional<std::size_t> first_of(const traces::Program& program, traces::OpKind kind) {
  const auto found = std::find_if(program.operations.begin(), program.operations.end(),
                                  [kind](const traces::Operation& each) { return each.kind == kind; });
  if (found == program.operations.end()) return std::nullopt;
  return static_cast<std::size_t>(found - program.operations.begin());
}

// Says that every operation of this kind is wrong, in these words.
inline void plant(CheckedRun& run, const traces::Program& program, traces::OpKind kind, const std::string& property) {
  const auto index = first_of(program, kind);
  if (!index) return;
  Disagreement& disagreement = run.disagreement.emplace();
  disagreement.property = property;
  disagreement.step = *index + 1;
  disagreement.kind = kind;
  disagreement.operation = traces::operation_line(program.operations[*index], program.names);
  disagreement.expected = "no " + std::string(traces::to_string(kind));
  disagreement.found = traces::to_string(kind);
}

inline CheckedRun no_trust(const traces::Program& program, const CheckOptions& options) {
  CheckedRun run = check(program, options);
  plant(run, program, traces::OpKind::trust, "planted");
  return run;
}

inline CheckedRun crash_at_trust(const traces::Program& program, const CheckOptions& options) {
  const auto index = first_of(program, traces::OpKind::trust);
  CheckOptions watched = options;
  watched.before_step = [&](std::uint64_t ordinal) {
    if (options.before_step) options.before_step(ordinal);
    if (index && ordinal == *index + 1) ::abort();
  };
  return check(program, watched);
}

}  // namespace taintgraph::props
