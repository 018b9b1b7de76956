// Snapshots as one self-contained HTML page: the picture, a table of the failures and a table of what carries them.
//
// The page refers to nothing outside itself and works from a file. It is read without scripts; they only step through
// the frames and filter the tables. Everything can be reached by keyboard, and it follows the reader's light or dark
// setting (pictures keep their paper).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "traces/snapshot.hpp"
#include "viz/dot.hpp"
#include "viz/svg.hpp"

namespace taintgraph::viz {

// Rows of one table; the rest is counted.
inline constexpr std::size_t kMaxHtmlRows = 2'000;

// One moment of a run.
struct HtmlFrame {
  std::string caption;  // what happened then, in a line; may be empty
  traces::Snapshot snapshot;
};

// Requires: `frames` is not empty; the page opens at the last. Errors: those of svg_elements(); all pictures are drawn
// by one run of `dot`.
[[nodiscard]] tl::expected<std::string, std::string> html_page(const std::vector<HtmlFrame>& frames,
                                                               const DotOptions& options = {},
                                                               const LayoutOptions& layout = {});

}  // namespace taintgraph::viz
