#include "viz/dot.hpp"

#include <algorithm>
#include <map>

#include "viz/dot_nodes.hpp"
#include "viz/label.hpp"
#include "viz/palette.hpp"
#include "viz/parts.hpp"

namespace taintgraph::viz {
namespace {

constexpr std::size_t kTitleLength = 60;
// Up to here `dot` may take as many rounds as it likes; beyond, it would not come to an end in useful time.
constexpr std::size_t kArrowsLaidOutWell = 100;

std::string edge(const std::string& from, const std::string& to, const Patch& patch, bool current) {
  std::string result = "  " + from + " -> " + to + " [color=\"" + std::string(failure_colour(patch.failure).strong);
  result += "\" edgetooltip=" + dot_quote(visible(patch.buffer) + " " + range_text(patch.range.begin, patch.range.end));
  return result + (current ? "]\n" : " style=\"dashed\"]\n");
}

class DotWriter {
 public:
  DotWriter(const SnapshotIndex& index, const Picture& picture, const DotOptions& options)
      : index_(index),
        picture_(picture),
        options_(options),
        parts_(count_parts(picture)),
        difference_(options.difference ? &*options.difference : nullptr) {
    for (const Bar& bar : picture.bars) ++names_[bar.name()];
  }

  std::string write() {
    header();
    for (const FailureNode& node : picture_.failures) {
      text_ += failure_statement(index_, node, difference_ && difference_->new_failures.count(node.failure) != 0);
    }
    for (const Bar& bar : picture_.bars) {
      const std::size_t buffer = index_.buffer({bar.name(), bar.serial(), 0, 0});
      const bool changed = difference_ && buffer != kNone && difference_->changed_buffers.count(buffer) != 0;
      text_ += bar_statement(index_, bar, {names_[bar.name()] > 1, changed});
    }
    for (const SkipNode& node : picture_.skips) text_ += skip_statement(index_, node);
    if (picture_.more_failures > 0) text_ += more_failures_statement(picture_.more_failures);
    if (picture_.failures.empty()) text_ += nothing_statement(index_, options_.picture);
    if (difference_ && !difference_->missing.empty()) text_ += missing_statement(difference_->missing);
    edges();
    if (options_.legend && !picture_.failures.empty()) text_ += legend_statement(legend_);
    return text_ + "}\n";
  }

 private:
  // Parts of the picture stand in a grid: a few beside each other, and the more, the wider.
  std::size_t columns() const {
    const std::size_t parts = parts_.count + (options_.legend ? 1 : 0);
    return parts <= 3 ? std::max<std::size_t>(parts, 1) : parts <= 12 ? 3 : parts <= 100 ? 4 : 6;
  }

  void header() {
    text_ += "digraph taintgraph {\n";
    text_ += "  graph [bgcolor=\"" + std::string(kPaper) + "\" fontname=\"Helvetica,Arial,sans-serif\" fontsize=13";
    text_ += " pad=0.25 nodesep=0.3 ranksep=0.35 pack=28 packmode=\"array_it" + std::to_string(columns()) + "\"";
    if (parts_.arrows_of_largest > kArrowsLaidOutWell) text_ += " nslimit=1 nslimit1=1";
    if (options_.title) {
      text_ += " labelloc=\"t\" labeljust=\"l\" label=<<b>" + xml_escape(snapshot_name(index_.snapshot())) +
               "</b><br align=\"left\"/>" + xml_escape(snapshot_counts(index_, options_.picture.focus)) +
               "<br align=\"left\"/>";
      if (difference_) text_ += xml_escape(comparison_words(options_)) + "<br align=\"left\"/>";
      if (picture_.partial()) text_ += "Not all is drawn: a focus on one buffer shows more.<br align=\"left\"/>";
      text_ += ">";
    }
    text_ += "]\n  node [shape=plain fontname=\"Helvetica,Arial,sans-serif\" fontsize=11]\n";
    text_ += "  edge [penwidth=1.5 arrowsize=0.7]\n";
  }

  void edges() {
    for (const FailureNode& node : picture_.failures) {
      const std::string name = failure_node_name(index_, node.failure);
      for (std::size_t at = 0; at < node.claims.size(); ++at) outgoing(name, at, node.claims[at]);
    }
    for (const SkipNode& node : picture_.skips) {
      const std::string name = skip_node_name(index_, node);
      for (std::size_t at = 0; at < node.inputs.size(); ++at) incoming(name, at, node.inputs[at]);
      for (std::size_t at = 0; at < node.outputs.size(); ++at) outgoing(name, at, node.outputs[at]);
      legend_.skipped = true;
    }
    for (const Bar& bar : picture_.bars) {
      legend_.freed |= bar.freed();
      legend_.unallocated |= bar.unallocated();
    }
  }

  void outgoing(const std::string& node, std::size_t at, const Patch& patch) {
    if (patch.bar == kNone) return;
    const std::string port = node + ":" + output_port(at) + ":s";
    const std::string bar = buffer_node_name(picture_.bars[patch.bar].serial());
    for (const std::size_t cell : patch.cells) text_ += edge(port, bar + ":" + cell_port(cell) + ":n", patch, true);
    if (patch.cells.empty()) text_ += edge(port, bar + ":" + cell_port(0) + ":n", patch, healed());
  }

  void incoming(const std::string& node, std::size_t at, const Patch& patch) {
    if (patch.bar == kNone) return;
    const std::string port = node + ":" + input_port(at) + ":n";
    const std::string bar = buffer_node_name(picture_.bars[patch.bar].serial());
    for (const std::size_t cell : patch.cells) text_ += edge(bar + ":" + cell_port(cell) + ":s", port, patch, true);
    if (patch.cells.empty()) text_ += edge(bar + ":" + cell_port(0) + ":s", port, patch, healed());
  }

  bool healed() {
    legend_.healed = true;
    return false;
  }

  const SnapshotIndex& index_;
  const Picture& picture_;
  const DotOptions& options_;
  const Parts parts_;
  const Difference* difference_;  // null if nothing is compared
  std::map<std::string, std::size_t> names_;
  LegendOptions legend_;
  std::string text_;
};

}  // namespace

std::string snapshot_name(const traces::Snapshot& snapshot) {
  const std::string name = snapshot.trace_name.empty() ? "failure graph" : label(snapshot.trace_name, kTitleLength);
  return name + ", after operation " + std::to_string(snapshot.operations);
}

std::string snapshot_counts(const SnapshotIndex& index, const std::optional<std::string>& focus) {
  const std::size_t live = index.snapshot().buffers.size();
  const std::size_t failures = index.snapshot().failures.size();
  const std::string buffers = count_text(live, "live buffer", "live buffers");
  std::string text = count_text(failures, "failure", "failures");
  text += failures == 0 ? ", " + buffers
                        : ", carried by " + std::to_string(live - index.trusted_buffers()) + " of " + buffers;
  if (focus) text += "; here only what touches buffer " + label(*focus, kTitleLength);
  return text;
}

std::string comparison_words(const DotOptions& options) {
  if (!options.difference) return {};
  return "Compared with " + label(options.compared_with, kTitleLength) +
         (options.difference->empty() ? ": no difference." : ": what differs is marked new or changed.");
}

std::string dot_text(const traces::Snapshot& snapshot, const DotOptions& options) {
  const SnapshotIndex index(snapshot);
  const Picture picture = make_picture(index, options.picture);
  return DotWriter(index, picture, options).write();
}

}  // namespace taintgraph::viz
