// Uses the core from within its own build, by the spelling that the installed package has too.
#include <iostream>

#include <taintgraph/core/byte_range.hpp>
#include <taintgraph/core/error.hpp>

namespace core = taintgraph::core;

int main() {
  const core::ByteRange both = core::intersection({0, 16}, {8, 32});
  std::cout << core::torn_down().name << ' ' << both.begin << ' ' << both.end << '\n';
  return both == core::ByteRange{8, 16} && core::to_string(core::Recovery::context) == "context" ? 0 : 1;
}
