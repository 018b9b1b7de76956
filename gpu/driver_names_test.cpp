// The table's names where cuda.h stands before it. Every entry is made a macro here, which cuda.h does to some only.
#include "rename_entries.inc"
//
#include "gpu/driver_api.hpp"
#include "gpu/fault_table.hpp"
//
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace taintgraph::gpu {
namespace {

// Each entry's name, and what the preprocessor makes of it.
using Names = std::vector<std::pair<std::string_view, std::string_view>>;
#define TAINTGRAPH_TEXT(name) #name
#define TAINTGRAPH_NAMES(name, parameters) {#name, TAINTGRAPH_TEXT(name)},

TEST(DriverNames, AreMacrosStillAfterTheTable) {
  for (const auto& [name, spelled] : Names{TAINTGRAPH_DRIVER_ENTRIES(TAINTGRAPH_NAMES)})
    EXPECT_EQ(spelled, std::string(name) + "_renamed");
}

#include "gpu/driver_names_begin.hpp"
TEST(DriverNames, MeanThemselvesBetweenTheTwoHeaders) {
  for (const auto& [name, spelled] : Names{TAINTGRAPH_DRIVER_ENTRIES(TAINTGRAPH_NAMES)}) EXPECT_EQ(spelled, name);
}
#include "gpu/driver_names_end.hpp"

// Beyond the macros the table's members and the calls have the names that they have everywhere.
#include "restore_entries.inc"
#define TAINTGRAPH_MEMBER(name, parameters) \
  static_assert(std::is_member_object_pointer_v<decltype(&DriverApi::name)> && Call::name != Call::none, #name);
TAINTGRAPH_DRIVER_ENTRIES(TAINTGRAPH_MEMBER)

}  // namespace
}  // namespace taintgraph::gpu
