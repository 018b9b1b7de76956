// What `dot` makes of a DOT text: its nodes and edges as laid out, for tests that want to know what a graph says
// instead of how it is spelt.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "viz/child_process.hpp"

namespace taintgraph::viz {

struct DotLayout {
  std::set<std::string> nodes;
  std::set<std::pair<std::string, std::string>> edges;  // ports left out
  std::string problem;                                  // why there is none; empty if all is well
};

inline bool dot_missing(const std::string& problem) { return problem.find("not found on PATH") != std::string::npos; }

inline DotLayout lay_out(const std::string& text) {
  DotLayout layout;
  const auto answer = run_filter({"dot", "-Tdot_json"}, text, std::chrono::minutes(2));
  if (!answer) {
    layout.problem = answer.error();
    return layout;
  }
  const nlohmann::json graph = nlohmann::json::parse(*answer);
  std::vector<std::string> names;
  for (const auto& node : graph.value("objects", nlohmann::json::array())) {
    names.push_back(node.at("name").get<std::string>());
    layout.nodes.insert(names.back());
  }
  for (const auto& edge : graph.value("edges", nlohmann::json::array())) {
    layout.edges.emplace(names.at(edge.at("tail").get<std::size_t>()), names.at(edge.at("head").get<std::size_t>()));
  }
  return layout;
}

}  // namespace taintgraph::viz
