// An HTML-like table of DOT, of cells with fixed sizes: rows that are all as wide as the widest.
//
// Knows nothing of failures: text, colours and widths come in, markup comes out. Graphviz stretches no cell, so each
// row is filled to the full width here, and columns of different rows need not line up (each row is a table of its
// own).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "viz/palette.hpp"

namespace taintgraph::viz {

struct TableLine {
  std::string text;  // visible() already
  bool bold = false;
  bool quiet = false;
};

struct TableCell {
  std::vector<TableLine> lines;
  std::string_view fill = kPaper;
  std::string_view ink = kInk;
  std::string_view border;  // colour, empty for no border
  bool dashed = false;
  bool left = false;  // text from the left edge; centred otherwise
  std::string port;
  unsigned min_width = 0;  // points
  bool stretches = true;   // takes a share of what its row lacks to the table's width

  [[nodiscard]] unsigned natural_width() const;
  [[nodiscard]] unsigned height() const;
};

using TableRow = std::vector<TableCell>;

struct Table {
  std::vector<TableRow> rows;
  std::string_view border;  // colour of the frame, empty for none
  unsigned border_width = 1;

  // "<<table ...>...</table>>", to stand behind "label=".
  [[nodiscard]] std::string dot_label() const;
};

}  // namespace taintgraph::viz
