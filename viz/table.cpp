#include "viz/table.hpp"

#include <algorithm>

#include "viz/label.hpp"

namespace taintgraph::viz {
namespace {

constexpr unsigned kFontSize = 11;  // 14.7 pixels at 100%
constexpr unsigned kLineHeight = 15;
constexpr unsigned kPadding = 7;  // left and right of a cell's text

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + std::string(value) + "\"";
}

std::string attribute(std::string_view name, unsigned value) { return attribute(name, std::to_string(value)); }

std::string markup(const TableCell& cell) {
  std::string text;
  for (const TableLine& line : cell.lines) {
    std::string piece = xml_escape(line.text);
    if (piece.empty()) piece = " ";
    if (line.bold) piece.insert(0, "<b>").append("</b>");
    const std::string_view ink = line.quiet ? kQuietInk : cell.ink;
    if (ink != kInk) piece.insert(0, std::string("<font color=\"").append(ink).append("\">")).append("</font>");
    text += piece + (cell.left ? "<br align=\"left\"/>" : &line == &cell.lines.back() ? "" : "<br/>");
  }
  return text;
}

std::string markup(const TableCell& cell, unsigned width, unsigned height) {
  std::string result = "<td fixedsize=\"true\"" + attribute("width", width) + attribute("height", height);
  result += attribute("bgcolor", cell.fill);
  if (cell.border.empty()) {
    result += attribute("border", "0");
  } else {
    result += attribute("border", "1") + attribute("color", cell.border);
    if (cell.dashed) result += attribute("style", "dashed");
  }
  if (!cell.port.empty()) result += attribute("port", cell.port);
  if (cell.left) result += attribute("align", "left") + attribute("balign", "left");
  return result + ">" + markup(cell) + "</td>";
}

unsigned row_width(const TableRow& row) {
  unsigned width = 0;
  for (const TableCell& cell : row) width += cell.natural_width();
  return width;
}

std::string markup(const TableRow& row, unsigned width) {
  unsigned height = 0;
  for (const TableCell& cell : row) height = std::max(height, cell.height());
  std::string result = "<tr>";
  unsigned spare = width - row_width(row);
  auto takers =
      static_cast<unsigned>(std::count_if(row.begin(), row.end(), [](const auto& cell) { return cell.stretches; }));
  for (const TableCell& cell : row) {
    const unsigned share = cell.stretches ? spare / takers-- : 0;
    spare -= share;
    result += markup(cell, cell.natural_width() + share, height);
  }
  return result + "</tr>";
}

constexpr std::string_view kPlainTable = "<table border=\"0\" cellborder=\"0\" cellspacing=\"0\" cellpadding=\"0\">";

}  // namespace

unsigned TableCell::natural_width() const {
  unsigned width = min_width;
  for (const TableLine& line : lines)
    width = std::max(width, text_width(line.text, kFontSize, line.bold) + 2 * kPadding);
  return width;
}

unsigned TableCell::height() const { return static_cast<unsigned>(lines.size()) * kLineHeight + 8; }

std::string Table::dot_label() const {
  unsigned width = 0;
  for (const TableRow& row : rows) width = std::max(width, row_width(row));
  std::string result = "<<table cellborder=\"0\" cellspacing=\"0\" cellpadding=\"0\"";
  if (border.empty()) {
    result += attribute("border", "0");
  } else {
    result += attribute("border", border_width) + attribute("color", border);
  }
  result += attribute("bgcolor", kPaper) + ">";
  for (const TableRow& row : rows) {
    // A row of one cell needs no table of its own.
    const std::string inner = markup(row, width);
    result += row.size() == 1 ? inner : "<tr><td>" + std::string(kPlainTable) + inner + "</table></td></tr>";
  }
  return result + "</table>>";
}

}  // namespace taintgraph::viz
