// Which release of the library these headers are of: for a user's #if, and for printing.
//
// CMakeLists.txt reads the numbers from here, so the package and the headers cannot disagree. Before 1.0 a change of
// the minor number may break users.
#pragma once

#include <string_view>

#define TAINTGRAPH_VERSION_MAJOR 0
#define TAINTGRAPH_VERSION_MINOR 1
#define TAINTGRAPH_VERSION_PATCH 0

namespace taintgraph::core {

#define TAINTGRAPH_SPELLED(major, minor, patch) #major "." #minor "." #patch
#define TAINTGRAPH_JOINED(major, minor, patch) TAINTGRAPH_SPELLED(major, minor, patch)
inline constexpr std::string_view kVersion =
    TAINTGRAPH_JOINED(TAINTGRAPH_VERSION_MAJOR, TAINTGRAPH_VERSION_MINOR, TAINTGRAPH_VERSION_PATCH);
#undef TAINTGRAPH_JOINED
#undef TAINTGRAPH_SPELLED

}  // namespace taintgraph::core
