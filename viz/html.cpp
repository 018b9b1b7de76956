#include "viz/html.hpp"

#include <set>
#include <string_view>

#include "viz/carrier.hpp"
#include "viz/dot_nodes.hpp"
#include "viz/html_assets.hpp"
#include "viz/label.hpp"
#include "viz/palette.hpp"

namespace taintgraph::viz {
namespace {

constexpr std::size_t kPageNameLength = 64;
constexpr std::size_t kPageDetailLength = 300;
constexpr std::size_t kPiecesPerCarrier = 64;
constexpr std::size_t kHops = 16;  // as many records as a failure keeps

// The ids in a picture become unique in the page.
std::string with_prefix(std::string_view svg, std::string_view prefix) {
  constexpr std::string_view attribute = " id=\"";  // never in text, where Graphviz writes quotes as entities
  std::string result;
  result.reserve(svg.size());
  for (std::size_t at = svg.find(attribute); at != std::string_view::npos; at = svg.find(attribute)) {
    result += svg.substr(0, at + attribute.size());
    result += prefix;
    svg.remove_prefix(at + attribute.size());
  }
  return result.append(svg);
}

std::string cell(std::string_view text) { return "<td>" + xml_escape(text) + "</td>"; }

std::string row_of_rest(std::size_t count, std::size_t columns, std::string_view one, std::string_view many) {
  return "<tr><td class=\"quiet\" colspan=\"" + std::to_string(columns) + "\">and " + count_text(count, one, many) +
         "</td></tr>\n";
}

class FrameWriter {
 public:
  FrameWriter(const HtmlFrame& frame, const DotOptions& options, std::size_t ordinal)
      : index_(frame.snapshot), options_(options), prefix_("s" + std::to_string(ordinal) + "-") {
    const Picture picture = make_picture(index_, options.picture);
    for (const FailureNode& node : picture.failures) drawn_.insert(failure_node_name(index_, node.failure));
    for (const Bar& bar : picture.bars) drawn_.insert(buffer_node_name(bar.serial()));
    caption_ = visible(frame.caption.empty() ? snapshot_name(frame.snapshot) : frame.caption);
  }

  std::string write(std::string_view svg) {
    text_ = "<section class=\"frame\" data-caption=\"" + xml_escape(caption_) + "\">\n<h2>" + xml_escape(caption_) +
            "</h2>\n<p>" + xml_escape(snapshot_counts(index_, options_.picture.focus)) + "</p>\n" +
            "<figure class=\"fit\" tabindex=\"0\" role=\"group\" aria-label=\"Picture of the failure graph; " +
            "the tables below say the same\">\n" + with_prefix(svg, prefix_) + "</figure>\n";
    if (options_.difference) text_ += "<p>" + xml_escape(comparison_words(options_)) + "</p>\n";
    const std::vector<std::size_t> failures = index_.failures_in_focus(options_.picture.focus);
    if (!failures.empty()) {
      failure_table(failures);
      carrier_table(failures);
    }
    return text_ + "</section>\n";
  }

 private:
  // `text`, as a link to its node if the picture shows it.
  std::string link(const std::string& node, std::string_view text) const {
    if (drawn_.count(node) == 0) return xml_escape(text);
    return "<a href=\"#" + prefix_ + node + "\">" + xml_escape(text) + "</a>";
  }

  std::string failure_cell(std::size_t failure) const {
    return "<td><span class=\"chip\" style=\"background:" + std::string(failure_colour(failure).strong) + "\"></span>" +
           link(failure_node_name(index_, failure),
                label(index_.snapshot().failures[failure].operation_name, kPageNameLength)) +
           "</td>";
  }

  void failure_table(const std::vector<std::size_t>& failures) {
    text_ +=
        "<h3>Failures</h3>\n<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">failure</th>"
        "<th scope=\"col\">operation</th><th scope=\"col\">error</th><th scope=\"col\">carried by</th>"
        "<th scope=\"col\">skipped for it</th></tr></thead>\n<tbody>\n";
    for (std::size_t at = 0; at < failures.size(); ++at) {
      if (at == kMaxHtmlRows) {
        text_ += row_of_rest(failures.size() - at, 5, "more failure", "more failures");
        break;
      }
      const traces::SnapshotFailure& failure = index_.snapshot().failures[failures[at]];
      std::string error = xml_escape(error_text(failure));
      if (!failure.detail.empty()) {
        error += "<br><span class=\"quiet\">" + xml_escape(label(failure.detail, kPageDetailLength)) + "</span>";
      }
      if (failure.poison) error += "<br><strong>poisons the device: all further device work is refused</strong>";
      std::string skipped = std::to_string(failure.skips_total);
      if (failure.skips_total > failure.skips.size()) {
        skipped += " (" + std::to_string(failure.skips_total - failure.skips.size()) + " records dropped)";
      }
      text_ += "<tr>" + failure_cell(failures[at]) +
               cell(label(failure.what, kPageNameLength) + " (#" + std::to_string(failure.operation) + ")") + "<td>" +
               error + "</td>" + cell(count_text(failure.carriers, "allocation", "allocations")) + cell(skipped) +
               "</tr>\n";
    }
    text_ += "</tbody></table></div>\n";
  }

  void carrier_table(const std::vector<std::size_t>& failures) {
    text_ +=
        "<h3>Carriers</h3>\n<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">buffer</th>"
        "<th scope=\"col\">bytes</th><th scope=\"col\">claimed by</th>"
        "<th scope=\"col\">way, nearest first</th></tr></thead>\n<tbody>\n";
    std::size_t rows = 0;
    std::size_t left_out = 0;
    for (const std::size_t failure : failures) {
      for (const std::size_t buffer : index_.carriers(failure)) {
        if (rows >= kMaxHtmlRows) {
          ++left_out;
        } else {
          rows += carrier_rows(failure, buffer);
        }
      }
    }
    if (left_out > 0) text_ += row_of_rest(left_out, 4, "more carrier", "more carriers");
    text_ += "</tbody></table></div>\n";
  }

  std::size_t carrier_rows(std::size_t failure, std::size_t buffer) {
    const traces::SnapshotBuffer& source = index_.snapshot().buffers[buffer];
    const traces::SnapshotFailure& cause = index_.snapshot().failures[failure];
    const Carrier carrier = describe_carrier(index_, failure, buffer, kPiecesPerCarrier);
    const auto row = [&](const std::string& bytes, const std::string& way) {
      text_ += "<tr><td>" + link(buffer_node_name(source.serial), label(source.name, kPageNameLength)) +
               " <span class=\"quiet\">" + count_text(source.size, "byte", "bytes") +
               "</span></td><td class=\"bytes\">" + bytes + "</td>" + failure_cell(failure) + "<td class=\"chain\">" +
               xml_escape(way) + "</td></tr>\n";
    };
    if (carrier.unallocated) row("unallocated: no memory", label(cause.operation_name, kPageNameLength));
    for (const CarriedPiece& piece : carrier.pieces) {
      row(range_text(piece.range.begin, piece.range.end), chain_text(cause, piece.chain, kHops));
    }
    if (carrier.more_pieces > 0) row("and " + count_text(carrier.more_pieces, "more range", "more ranges"), "");
    return carrier.pieces.size() + 1;
  }

  SnapshotIndex index_;
  const DotOptions& options_;
  std::string prefix_;
  std::set<std::string> drawn_;
  std::string caption_;
  std::string text_;
};

std::string controls(std::size_t frames) {
  std::string text = "<div class=\"controls\">\n";
  if (frames > 1) {
    text +=
        "<button type=\"button\" id=\"previous\">Previous</button>\n"
        "<button type=\"button\" id=\"next\">Next</button>\n"
        "<label for=\"step\">Step</label>\n<input type=\"range\" id=\"step\" min=\"0\" max=\"" +
        std::to_string(frames - 1) + "\" value=\"" + std::to_string(frames - 1) + "\">\n" +
        "<output id=\"step-words\" for=\"step\"></output>\n";
  }
  return text +
         "<label><input type=\"checkbox\" id=\"fit\" checked> fit the picture to the page</label>\n"
         "<label>Filter <input type=\"search\" id=\"filter\"></label>\n</div>\n";
}

}  // namespace

tl::expected<std::string, std::string> html_page(const std::vector<HtmlFrame>& frames, const DotOptions& options,
                                                 const LayoutOptions& layout) {
  DotOptions picture = options;
  picture.title = false;
  std::vector<std::string> graphs;
  graphs.reserve(frames.size());
  for (const HtmlFrame& frame : frames) graphs.push_back(dot_text(frame.snapshot, picture));
  const auto pictures = svg_elements(graphs, layout);
  if (!pictures) return tl::unexpected(pictures.error());

  const std::string name = xml_escape(snapshot_name(frames.back().snapshot));
  std::string page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  page +=
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src 'unsafe-inline'\">\n";
  page += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" + name + "</title>\n";
  page += "<style>" + std::string(kPageStyle) + "</style>\n</head>\n<body>\n<h1>" + name + "</h1>\n";
  page +=
      "<p class=\"quiet\">Claimed: bytes that a failed operation left unwritten. Whoever reads them is told of the "
      "failure; a launch that needs them is skipped, and what it was to write is claimed too.</p>\n";
  page += controls(frames.size());
  for (std::size_t at = 0; at < frames.size(); ++at)
    page += FrameWriter(frames[at], picture, at).write((*pictures)[at]);
  return page + "<script>" + std::string(kPageScript) + "</script>\n</body>\n</html>\n";
}

}  // namespace taintgraph::viz
