#include "viz/svg.hpp"

#include <string_view>

#include "viz/child_process.hpp"

namespace taintgraph::viz {
namespace {

constexpr std::string_view kClosing = "</svg>";

// Removes XML comments: they name Graphviz's version.
std::string without_comments(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (;;) {
    const std::size_t begin = text.find("<!--");
    result += text.substr(0, begin);
    if (begin == std::string_view::npos) return result;
    const std::size_t end = text.find("-->", begin);
    if (end == std::string_view::npos) return result;
    text.remove_prefix(end + 3);
    if (!text.empty() && text.front() == '\n') text.remove_prefix(1);
  }
}

}  // namespace

tl::expected<std::vector<std::string>, std::string> svg_elements(const std::vector<std::string>& graphs,
                                                                 const LayoutOptions& layout) {
  std::vector<std::string> elements;
  if (graphs.empty()) return elements;
  std::string input;
  for (const std::string& graph : graphs) input += graph;
  const auto drawn = run_filter({layout.program, "-Tsvg"}, input, layout.deadline);
  if (!drawn) {
    const bool missing = drawn.error().find("not found on PATH") != std::string::npos;
    return tl::unexpected("cannot draw the picture: " + drawn.error() + (missing ? "; it is part of Graphviz" : ""));
  }
  std::string_view rest = *drawn;
  for (;;) {
    const std::size_t begin = rest.find("<svg");
    if (begin == std::string_view::npos) break;
    const std::size_t closing = rest.find(kClosing, begin);
    if (closing == std::string_view::npos) break;
    elements.push_back(without_comments(rest.substr(begin, closing + kClosing.size() - begin)) + "\n");
    rest.remove_prefix(closing + kClosing.size());
  }
  if (elements.size() != graphs.size()) {
    return tl::unexpected("cannot draw the picture: `" + layout.program + "` gave " + std::to_string(elements.size()) +
                          " whole pictures for " + std::to_string(graphs.size()) + " graphs");
  }
  return elements;
}

tl::expected<std::string, std::string> svg_text(const traces::Snapshot& snapshot, const DotOptions& options,
                                                const LayoutOptions& layout) {
  auto elements = svg_elements({dot_text(snapshot, options)}, layout);
  if (!elements) return tl::unexpected(elements.error());
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + elements->front();
}

}  // namespace taintgraph::viz
