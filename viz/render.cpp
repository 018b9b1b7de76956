#include "viz/render.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "traces/reader.hpp"
#include "traces/writer.hpp"
#include "viz/html.hpp"
#include "viz/json_graph.hpp"
#include "viz/report.hpp"
#include "viz/svg.hpp"
#include "viz/trace_frames.hpp"

namespace taintgraph::viz {
namespace {

constexpr int kDrawn = 0;
constexpr int kBadInput = 64;
constexpr int kInternalError = 70;

const std::vector<std::string> kFormats = {"svg", "html", "dot", "json", "text"};

struct Options {
  std::string trace;
  std::string output;
  std::string format;
  std::optional<std::uint64_t> at;
  std::optional<std::string> focus;
};

// The format asked for, else the one that the file's name ends in, else SVG.
std::string format_of(const Options& options) {
  if (!options.format.empty()) return options.format;
  const std::size_t dot = options.output.rfind('.');
  const std::string extension = dot == std::string::npos ? "" : options.output.substr(dot + 1);
  if (extension == "htm") return "html";
  if (extension == "txt") return "text";
  const bool known = std::find(kFormats.begin(), kFormats.end(), extension) != kFormats.end();
  return known ? extension : "svg";
}

int complain(std::ostream& err, std::string_view what, int code) {
  err << "taintgraph: render: " << what << '\n';
  return code;
}

bool allocates(const traces::Program& program, std::string_view buffer) {
  const auto name = program.names.find(buffer);
  return name && std::any_of(program.operations.begin(), program.operations.end(), [&](const traces::Operation& each) {
           return each.kind == traces::OpKind::alloc && each.buffer == *name;
         });
}

// What the trace does not have, in words; empty if all is well.
std::string missing_in(const traces::Program& program, const Options& options) {
  if (options.at && *options.at > program.operations.size()) {
    return "--at " + std::to_string(*options.at) + " is beyond the end of " + options.trace + ", which has " +
           std::to_string(program.operations.size()) + " operations";
  }
  if (options.focus && !allocates(program, *options.focus)) {
    return "--focus: " + options.trace + " has no buffer named '" + *options.focus + "'";
  }
  return {};
}

DotOptions dot_options(const Options& options) {
  DotOptions dot;
  dot.picture.focus = options.focus;
  return dot;
}

tl::expected<std::string, std::string> draw(const std::vector<HtmlFrame>& frames, const std::string& format,
                                            const Options& options) {
  const DotOptions dot = dot_options(options);
  const traces::Snapshot& snapshot = frames.back().snapshot;
  if (format == "html") return html_page(frames, dot);
  if (format == "dot") return dot_text(snapshot, dot);
  if (format == "json") return json_text(snapshot, options.focus);
  if (format == "text") return report_text(snapshot, options.focus);
  return svg_text(snapshot, dot);
}

int render(const Options& options, std::ostream& out, std::ostream& err) {
  const auto program = traces::load_program(options.trace);
  if (!program) {
    for (const traces::Problem& problem : program.error()) err << to_string(problem, options.trace) << '\n';
    return kBadInput;
  }
  if (const std::string missing = missing_in(*program, options); !missing.empty()) {
    return complain(err, missing, kBadInput);
  }
  const std::string format = format_of(options);
  std::vector<HtmlFrame> frames;
  try {
    const auto steps = format == "html" ? std::optional<DotOptions>(dot_options(options)) : std::nullopt;
    frames = run_to(*program, options.at, steps);
  } catch (const std::exception& error) {
    return complain(err, error.what(), kInternalError);
  }
  const auto text = draw(frames, format, options);
  if (!text) return complain(err, text.error(), kInternalError);
  if (options.output.empty() || options.output == "-") {
    out << *text;
    return kDrawn;
  }
  if (const auto written = traces::write_file_whole(options.output, *text); !written) {
    return complain(err, written.error(), kInternalError);
  }
  return kDrawn;
}

}  // namespace

int render_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  Options options;
  CLI::App app("Run a trace and draw which failures claim which bytes, and how they got there.", "taintgraph render");
  app.add_option("TRACE", options.trace, "the trace file; - reads standard input")->required();
  app.add_option("-o,--output", options.output, "write to FILE instead of standard output");
  app.add_option("--format", options.format,
                 "svg (the default), html, dot, json or text; else FILE's extension decides")
      ->check(CLI::IsMember(kFormats));
  app.add_option("--at", options.at, "draw the graph after operation N (default: the last)");
  app.add_option("--focus", options.focus, "only the failures that touch this buffer, and their chains");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error, out, err) == 0 ? kDrawn : kBadInput;
  }
  return render(options, out, err);
}

}  // namespace taintgraph::viz
