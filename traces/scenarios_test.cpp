// The corpus: every trace in scenarios/ and behaviours/ is read, and survives being written and read again.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "traces/reader.hpp"
#include "traces/trace_text_for_tests.hpp"

namespace taintgraph::traces {
namespace {

std::vector<std::string> scenarios() {
  std::vector<std::string> paths;
  for (const char* folder : {TAINTGRAPH_SCENARIOS, TAINTGRAPH_BEHAVIOURS})
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".jsonl") paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(Scenarios, AllAreReadAndWritten) {
  const auto paths = scenarios();
  EXPECT_GE(paths.size(), 41U);
  for (const std::string& path : paths) {
    const auto program = load_program(path);
    ASSERT_TRUE(program.has_value()) << to_string(program.error().front(), path);
    EXPECT_GE(program->operations.size(), 1U) << path;
    // The name says which file a report is about.
    EXPECT_EQ(program->header.name, std::filesystem::path(path).stem()) << path;
    const std::string text = text_of(*program);
    const auto again = parse_program(text);
    ASSERT_TRUE(again.has_value()) << path << "\n" << to_string(again.error().front(), "written");
    EXPECT_EQ(text_of(*again), text) << path;
  }
}

}  // namespace
}  // namespace taintgraph::traces
