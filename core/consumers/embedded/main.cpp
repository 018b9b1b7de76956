// Uses the core from within its own build, by the spelling that the installed package has too.
#include <iostream>

#include <taintgraph/core/error_graph.hpp>
#include <taintgraph/core/taint.hpp>

namespace core = taintgraph::core;

int main() {
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
