// Uses the core from within its own build, by the spelling that the installed package has too.
#include <iostream>

#include <taintgraph/core/runtime.hpp>
#include <taintgraph/core/version.hpp>

#if __has_include("core/error.hpp") || __has_include("gpu/driver_api.hpp") || __has_include("sim/driver.hpp")
#error "directories with plain names are on the include path of whoever embeds the core"
#endif

namespace core = taintgraph::core;

int main() {
  std::cout << "taintgraph " << core::kVersion << '\n';
  core::ErrorGraph graph;
  core::Taint taint;
  const core::FailureId failure = graph.mint({.name = "out_of_memory", .call = {}, .detail = {}}, {});
  taint.claim({0, 64}, failure, graph);
  taint.release({16, 32}, graph);
  for (const core::Claim& claim : taint.claims()) {
    std::cout << graph.error(claim.failure).name << " claims [" << claim.range.begin << ", " << claim.range.end
              << ")\n";
  }
  const bool held = taint.size() == 2 && !taint.first({16, 32}) && graph.size() == 1;
  taint.clear(graph);
  return held && graph.empty() ? 0 : 1;
}
