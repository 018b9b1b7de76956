// From DOT to SVG, by one run of Graphviz's `dot`, however many graphs there are.
//
// What comes back is whole or an error, never part of a picture. It refers to nothing outside itself, and holds nothing
// that depends on the version of Graphviz but the layout itself.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "viz/dot.hpp"

namespace taintgraph::viz {

struct LayoutOptions {
  std::string program = "dot";
  std::chrono::milliseconds deadline{30'000};  // for all graphs together; a picture is drawn in well under a second
};

// The picture of one snapshot as a complete SVG file. Errors: a sentence; `dot` is missing, fails, or does not finish.
[[nodiscard]] tl::expected<std::string, std::string> svg_text(const traces::Snapshot& snapshot,
                                                              const DotOptions& options = {},
                                                              const LayoutOptions& layout = {});

// Each graph's <svg> element, in order, without the XML declaration: to be embedded. `graphs` are DOT texts.
[[nodiscard]] tl::expected<std::vector<std::string>, std::string> svg_elements(const std::vector<std::string>& graphs,
                                                                               const LayoutOptions& layout = {});

}  // namespace taintgraph::viz
