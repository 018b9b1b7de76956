#include "traces/fault_help.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "gpu/fault_table.hpp"

namespace taintgraph::traces {
namespace {

TEST(FaultHelp, EveryKindThatATraceMayNameHasItsLine) {
  std::istringstream text(fault_kinds_text());
  std::string line;
  std::getline(text, line);
  EXPECT_EQ(line.substr(0, 4), "kind");
  for (const gpu::FaultRow& row : gpu::fault_table()) {
    if (!row.injectable) continue;
    ASSERT_TRUE(std::getline(text, line));
    std::istringstream words(line);
    std::string name;
    int code = 0;
    std::string when;
    std::string poisons;
    words >> name >> code >> when >> poisons;
    EXPECT_EQ(name, row.name);
    EXPECT_EQ(code, row.code) << name;
    EXPECT_EQ(when == "async", row.when == gpu::FaultWhen::async) << name;
    EXPECT_EQ(poisons != "no", row.sticky) << name;
    const std::string_view call = row.calls.empty() ? "none" : gpu::to_string(row.calls.front());
    EXPECT_NE(line.find(call), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace taintgraph::traces
