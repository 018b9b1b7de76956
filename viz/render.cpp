#include "viz/render.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "traces/path_option.hpp"
#include "traces/reader.hpp"
#include "traces/writer.hpp"
#include "viz/difference.hpp"
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
  std::string compared_with;
};

// The format asked for, else the one that the file's name ends in, else SVG.
std::string format_of(const Options& options) {
  if (!options.format.empty()) return options.format;
  const std::size_t dot = options.output.rfind('.');
  const std::string extension = dot == std::string::npos ? "" : options.output.substr(dot + 1);
  if (extension == "htm") return "html";
  if (extension == "txt") return "text";
  return extension.empty() || extension.find('/') != std::string::npos ? "svg" : extension;
}

bool known(const std::string& format) { return std::find(kFormats.begin(), kFormats.end(), format) != kFormats.end(); }

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

tl::expected<std::string, std::string> draw(const std::vector<HtmlFrame>& frames, const std::string& format,
                                            const DotOptions& dot) {
  const traces::Snapshot& snapshot = frames.back().snapshot;
  if (format == "html") return html_page(frames, dot);
  if (format == "dot") return dot_text(snapshot, dot);
  if (format == "json") return json_text(snapshot, dot.picture.focus);
  if (format == "text") return report_text(snapshot, dot.picture.focus);
  return svg_text(snapshot, dot);
}

std::optional<traces::Program> load(const std::string& path, std::ostream& err) {
  auto program = traces::load_program(path);
  if (program) return std::move(*program);
  for (const traces::Problem& problem : program.error()) err << to_string(problem, path) << '\n';
  return std::nullopt;
}

// The state of the other trace after the same operation, or after its last if it is shorter.
traces::Snapshot other_snapshot(const traces::Program& other, const Options& options) {
  std::optional<std::uint64_t> at = options.at;
  if (at) at = std::min<std::uint64_t>(*at, other.operations.size());
  return std::move(run_to(other, at).back().snapshot);
}

int write(const std::string& text, const std::string& path, std::ostream& out, std::ostream& err) {
  if (path.empty() || path == "-") {
    out << text;
    return kDrawn;
  }
  const auto written = traces::write_file_whole(path, text);
  return written ? kDrawn : complain(err, written.error(), kInternalError);
}

int render(const Options& options, std::ostream& out, std::ostream& err) {
  const std::optional<traces::Program> program = load(options.trace, err);
  if (!program) return kBadInput;
  if (const std::string missing = missing_in(*program, options); !missing.empty()) {
    return complain(err, missing, kBadInput);
  }
  std::optional<traces::Program> other;
  if (!options.compared_with.empty()) {
    other = load(options.compared_with, err);
    if (!other) return kBadInput;
  }
  const std::string format = format_of(options);
  if (!known(format)) {
    return complain(err, "no format is called " + format + "; expected svg, html, dot, json or text", kBadInput);
  }
  DotOptions dot;
  dot.picture.focus = options.focus;
  std::vector<HtmlFrame> frames;
  try {
    // A comparison is of two moments; stepping through one of the two runs would say nothing of the other.
    const bool steps = format == "html" && !other;
    frames = run_to(*program, options.at, steps ? std::optional<DotOptions>(dot) : std::nullopt);
    if (other) {
      dot.difference = difference(frames.back().snapshot, other_snapshot(*other, options));
      dot.compared_with = other->header.name.empty() ? options.compared_with : other->header.name;
    }
  } catch (const std::exception& error) {
    return complain(err, error.what(), kInternalError);
  }
  const auto text = draw(frames, format, dot);
  if (!text) return complain(err, text.error(), kInternalError);
  return write(*text, options.output, out, err);
}

}  // namespace

int render_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  Options options;
  CLI::App app("Run a trace and draw which failures claim which bytes, and how they got there.", "taintgraph render");
  app.add_option("TRACE", options.trace, "the trace file; - reads standard input")->required();
  app.add_option("-o,--output", options.output, "write to FILE instead of standard output")->check(traces::not_empty());
  app.add_option("--format", options.format,
                 "svg (the default), html, dot, json or text; else FILE's extension decides")
      ->check(CLI::IsMember(kFormats));
  app.add_option("--at", options.at, "draw the graph after operation N (default: the last)")
      ->check([](const std::string& text) {
        const bool whole =
            !text.empty() && text.size() < 20 && text.find_first_not_of("0123456789") == std::string::npos;
        return whole ? std::string() : "expected the number of an operation, found " + text;
      });
  app.add_option("--focus", options.focus, "only the failures that touch this buffer, and their chains");
  app.add_option("--diff", options.compared_with,
                 "mark what the graph of this other trace does not have (svg, html, dot)")
      ->check(traces::not_empty());
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error, out, err);
    return complain(err, std::string(error.what()) + "; 'taintgraph render --help' tells more", kBadInput);
  }
  if (!options.compared_with.empty() && (format_of(options) == "json" || format_of(options) == "text")) {
    return complain(err, "--diff marks pictures: give it with the format svg, html or dot", kBadInput);
  }
  return render(options, out, err);
}

}  // namespace taintgraph::viz
