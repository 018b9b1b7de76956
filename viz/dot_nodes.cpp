#include "viz/dot_nodes.hpp"

#include <algorithm>

#include "viz/carrier.hpp"
#include "viz/label.hpp"
#include "viz/table.hpp"

namespace taintgraph::viz {
namespace {

constexpr std::size_t kInlineLength = 14;  // characters of a name in a cell
constexpr unsigned kBarWidth = 180;        // points that a bar's cells share by their bytes, if their text allows

std::string statement(const std::string& name, const Table& table, std::string_view tooltip) {
  return "  " + name + " [id=\"" + name + "\" tooltip=" + dot_quote(tooltip) + " label=" + table.dot_label() + "]\n";
}

std::string failure_label(const SnapshotIndex& index, std::size_t failure, std::size_t length) {
  return failure == kNone ? "?" : label(index.snapshot().failures[failure].operation_name, length);
}

std::string patch_text(const Patch& patch) {
  std::string text = label(patch.buffer, kInlineLength) + " ";
  if (patch.unallocated) return text + "(no memory)";
  text += range_text(patch.range.begin, patch.range.end);
  if (patch.more_ranges > 0) text += " and " + std::to_string(patch.more_ranges) + " more";
  return text;
}

TableCell patch_cell(const Patch& patch, std::string_view caption, std::string port) {
  const FailureColour& colour = failure_colour(patch.failure);
  TableCell cell;
  cell.lines = {{std::string(caption) + " " + patch_text(patch)}};
  cell.fill = colour.tint;
  cell.border = colour.strong;
  cell.port = std::move(port);
  return cell;
}

TableCell more_cell(std::uint64_t count, std::string_view one, std::string_view many) {
  TableCell cell;
  cell.lines = {{"and " + count_text(count, one, many)}};
  cell.border = kBorder;
  cell.dashed = true;
  return cell;
}

TableCell heading(std::string text, std::string_view fill, std::string_view ink) {
  TableCell cell;
  cell.lines = {{std::move(text), true}};
  cell.fill = fill;
  cell.ink = ink;
  return cell;
}

TableCell bar_cell(const SnapshotIndex& index, const Bar& bar, std::size_t at) {
  const BarCell& source = bar.cells()[at];
  const FailureColour& colour = failure_colour(source.failure);
  const std::string range = range_text(source.range.begin, source.range.end);
  const std::string failure = failure_label(index, source.failure, kInlineLength);
  TableCell cell;
  cell.border = kBorder;
  cell.port = cell_port(at);
  switch (source.state) {
    case BarCell::State::trusted:
      cell.lines = {{range}, {"trusted", false, true}};
      cell.fill = kTrusted;
      break;
    case BarCell::State::claimed:
      cell.lines = {{range}, {"claimed by " + failure}};
      cell.fill = colour.tint;
      cell.border = colour.strong;
      break;
    case BarCell::State::unallocated:
      cell.lines = {{"unallocated: no memory"}, {"because of " + failure}};
      cell.fill = colour.tint;
      cell.border = colour.strong;
      cell.dashed = true;
      break;
    case BarCell::State::freed:
      cell.lines = {{"freed: nothing", false, true}, {"is left to claim", false, true}};
      cell.dashed = true;
      break;
    case BarCell::State::rest:
      cell.lines = {{range}, {"and " + count_text(source.claims, "more claim", "more claims")}};
      cell.dashed = true;
      break;
  }
  // Cells share the bar by their bytes. As doubles: the product of two sizes may not fit 64 bits.
  const auto size = static_cast<double>(std::max<std::uint64_t>(bar.size_bytes(), 1));
  const double share = std::min(1.0, static_cast<double>(source.range.size()) / size);
  cell.min_width = static_cast<unsigned>(share * kBarWidth);
  return cell;
}

}  // namespace

std::string failure_node_name(const SnapshotIndex& index, std::size_t failure) {
  return "f" + std::to_string(index.snapshot().failures[failure].id);
}

std::string buffer_node_name(std::uint64_t serial) { return "b" + std::to_string(serial); }

std::string skip_node_name(const SnapshotIndex& index, const SkipNode& skip) {
  const traces::SnapshotFailure& failure = index.snapshot().failures[skip.failure];
  return "k" + std::to_string(failure.id) + "_" + std::to_string(failure.skips[skip.skip].operation);
}

std::string cell_port(std::size_t cell) { return "c" + std::to_string(cell); }
std::string input_port(std::size_t patch) { return "i" + std::to_string(patch); }
std::string output_port(std::size_t patch) { return "o" + std::to_string(patch); }

std::string bar_statement(const SnapshotIndex& index, const Bar& bar, const BarMarks& marks) {
  std::string name = label(bar.name(), kPictureNameLength);
  if (marks.names_repeat) name += " (#" + std::to_string(bar.serial()) + ")";
  TableCell title;
  title.lines = {{name, true}, {bar.freed() ? "buffer" : count_text(bar.size_bytes(), "byte", "bytes"), false, true}};
  if (marks.changed) title.lines.back() = {"changed", true};
  TableRow row = {title};
  for (std::size_t at = 0; at < bar.cells().size(); ++at) row.push_back(bar_cell(index, bar, at));
  return statement(buffer_node_name(bar.serial()), Table{{row}, {}}, "buffer " + visible(bar.name()));
}

std::string failure_statement(const SnapshotIndex& index, const FailureNode& node, bool is_new) {
  const traces::SnapshotFailure& failure = index.snapshot().failures[node.failure];
  const FailureColour& colour = failure_colour(node.failure);
  Table table;
  table.border = colour.strong;
  table.border_width = failure.poison ? 4 : 2;
  table.rows.push_back({heading((is_new ? "new: " : "") + failure_heading(failure), colour.strong, colour.on_strong)});
  TableCell text;
  text.lines = {{label(failure.what, kPictureDetailLength)}, {error_text(failure)}};
  if (!failure.detail.empty()) text.lines.push_back({label(failure.detail, kPictureDetailLength), false, true});
  if (failure.poison) text.lines.push_back({"all further device work is refused"});
  text.lines.push_back({"carried by " + count_text(failure.carriers, "allocation", "allocations")});
  if (node.more_skips > 0) {
    text.lines.push_back({"and " + count_text(node.more_skips, "more skipped launch", "more skipped launches")});
  }
  if (failure.skips_total > failure.skips.size()) {
    const std::uint64_t dropped = failure.skips_total - failure.skips.size();
    text.lines.push_back({count_text(dropped, "older skip record was dropped", "older skip records were dropped")});
  }
  table.rows.push_back({text});
  // With records dropped, nobody knows any more what the failure itself left unwritten and what a skip did.
  const std::string_view caption = failure.skips_total > failure.skips.size() ? "claimed:" : "unwritten:";
  TableRow claims;
  for (std::size_t at = 0; at < node.claims.size(); ++at) {
    const Patch& claim = node.claims[at];
    claims.push_back(patch_cell(claim, claim.unallocated ? "unallocated:" : caption, output_port(at)));
  }
  if (node.more_carriers > 0) claims.push_back(more_cell(node.more_carriers, "more allocation", "more allocations"));
  if (!claims.empty()) table.rows.push_back(claims);
  return statement(failure_node_name(index, node.failure), table, "failure " + visible(failure.operation_name));
}

std::string skip_statement(const SnapshotIndex& index, const SkipNode& node) {
  const traces::SnapshotSkip& skip = index.snapshot().failures[node.failure].skips[node.skip];
  Table table;
  table.border = kBorder;
  TableRow inputs;
  for (std::size_t at = 0; at < node.inputs.size(); ++at) {
    inputs.push_back(patch_cell(node.inputs[at], "needs", input_port(at)));
  }
  if (node.more_inputs > 0) inputs.push_back(more_cell(node.more_inputs, "more input", "more inputs"));
  if (!inputs.empty()) table.rows.push_back(inputs);
  table.rows.push_back({heading(
      label(skip.operation_name, kPictureNameLength) + ": " + label(skip.kernel, kPictureNameLength) + " skipped",
      kSkipped, kInk)});
  TableRow outputs;
  for (std::size_t at = 0; at < node.outputs.size(); ++at) {
    outputs.push_back(patch_cell(node.outputs[at], "unwritten:", output_port(at)));
  }
  if (node.more_outputs > 0) outputs.push_back(more_cell(node.more_outputs, "more output", "more outputs"));
  if (!outputs.empty()) table.rows.push_back(outputs);
  return statement(skip_node_name(index, node), table, "skipped " + visible(skip.operation_name));
}

std::string more_failures_statement(std::uint64_t count) {
  TableCell text = more_cell(count, "more failure", "more failures");
  return statement("more_failures", Table{{{text}}, {}}, "failures that are not drawn");
}

std::string missing_statement(const std::vector<std::string>& missing) {
  constexpr std::size_t most = 12;
  TableCell text;
  text.lines = {{"no longer:", true}};
  for (std::size_t at = 0; at < missing.size() && at < most; ++at) text.lines.push_back({missing[at]});
  if (missing.size() > most) text.lines.push_back({"and " + std::to_string(missing.size() - most) + " more"});
  text.border = kBorder;
  text.dashed = true;
  return statement("missing", Table{{{text}}, {}}, "only in the other graph");
}

std::string nothing_statement(const SnapshotIndex& index, const PictureOptions& options) {
  TableCell text;
  if (options.focus) {
    text.lines = {{"No failure touches buffer " + label(*options.focus, kPictureNameLength) + "."}};
  } else {
    const std::size_t live = index.snapshot().buffers.size();
    text.lines = {{"Nothing is claimed.", true},
                  {"All bytes of " + count_text(live, "live buffer", "live buffers") + " can be trusted."}};
  }
  text.fill = kTrusted;
  text.border = kBorder;
  return statement("nothing", Table{{{text}}, {}}, "no failures");
}

std::string legend_statement(const LegendOptions& options) {
  const FailureColour& sample = kFailureColours.front();
  constexpr unsigned swatch_width = 84;
  Table table;
  TableCell gap;
  gap.lines = {{""}};
  gap.stretches = false;
  const auto explain = [&](std::string word, std::string_view fill, std::string_view border, bool dashed,
                           std::vector<TableLine> lines) {
    TableCell swatch;
    swatch.lines = {{std::move(word)}};
    swatch.fill = fill;
    swatch.border = border;
    swatch.dashed = dashed;
    swatch.min_width = swatch_width;
    swatch.stretches = false;
    TableCell text;
    text.lines = std::move(lines);
    text.left = true;
    table.rows.push_back({swatch, gap, text});
  };
  explain("failed", sample.strong, sample.strong, false, {{"the root: an operation that"}, {"did not do its work"}});
  explain("claimed", sample.tint, sample.strong, false, {{"bytes that a failed operation"}, {"left unwritten"}});
  explain("trusted", kTrusted, kBorder, false, {{"bytes that hold what the"}, {"program wrote last"}});
  if (options.skipped) {
    explain("skipped", kSkipped, kBorder, false,
            {{"a launch that did not run, for it"}, {"needs claimed bytes; what it was"}, {"to write is claimed too"}});
  }
  if (options.unallocated) {
    explain("unallocated", sample.tint, sample.strong, true,
            {{"a buffer without memory: none"}, {"to be had, or lost in a reset"}});
  }
  if (options.freed) explain("freed", kPaper, kBorder, true, {{"a buffer that is gone,"}, {"its claims with it"}});
  TableCell arrows;
  arrows.lines = {{"Arrows run from the failure to the bytes", false, true},
                  {"it reaches. [0, 8) is bytes 0 to 7.", false, true}};
  if (options.healed) {
    arrows.lines.push_back({"Dashed arrow: those bytes do not carry", false, true});
    arrows.lines.push_back({"that failure any more.", false, true});
  }
  arrows.left = true;
  table.rows.push_back({arrows});
  return statement("legend", table, "legend");
}

}  // namespace taintgraph::viz
