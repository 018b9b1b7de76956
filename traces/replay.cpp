#include "traces/replay.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <istream>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "traces/half_done_work.hpp"
#include "traces/interrupt.hpp"
#include "traces/reader.hpp"
#include "traces/recorder.hpp"
#include "traces/replayer.hpp"
#include "traces/spool.hpp"
#include "traces/step_text.hpp"

namespace taintgraph::traces {
namespace {

constexpr int kHeld = 0;
constexpr int kMismatch = 1;
constexpr int kInconclusive = 2;
constexpr int kBadInput = 64;
constexpr int kInternalError = 70;
constexpr int kNoGpu = 77;

struct Options {
  Backend backend = Backend::sim;
  int device = 0;
  std::vector<std::string> traces;
  std::optional<std::string> record;
  std::optional<std::string> svg;
  std::optional<std::string> html;
  std::optional<std::uint64_t> until;
  bool json = false;
  bool verbose = false;
  bool stream = false;
};

void print(const std::vector<Problem>& problems, const std::string& path, std::ostream& err) {
  for (const Problem& problem : problems) err << to_string(problem, path) << '\n';
}

// One trace, from its text to its summary.
class TraceRun {
 public:
  TraceRun(const Options& options, std::string path, const ReplayRenderers& renderers, std::ostream& out,
           std::ostream& err)
      : options_(options), path_(std::move(path)), renderers_(renderers), out_(out), err_(err) {}

  int run() {
    auto spool = open();
    if (!spool && InterruptGuard::interrupted()) {
      err_ << path_ << ": interrupted while it was read; nothing was executed\n";
      return kInconclusive;
    }
    if (!spool) return refuse(spool.error());
    if (!options_.stream) {
      NameTable unused;
      auto text = spool->read();
      if (!text) return refuse("cannot be read");
      if (const auto problems = read_trace(*text, unused, first_look()); !problems.empty()) {
        print(problems, path_, err_);
        return kBadInput;
      }
      if (impossible_) return refuse_impossible();
    }
    auto text = spool->read();
    if (!text) return refuse("cannot be read");
    return execute(*text);
  }

 private:
  // With --stream standard input is read as it comes.
  tl::expected<Spool, std::string> open() {
    return Spool::open(options_.stream && path_ == "-" ? "/dev/stdin" : path_);
  }

  int refuse(const std::string& why) {
    err_ << to_string(Problem{0, 0, why, {}}, path_) << '\n';
    return kBadInput;
  }

  int execute(std::istream& text) {
    TraceSink sink;
    sink.header = [this](const Header& header) { return begin(header); };
    sink.operation = [this](Operation&& operation) { return step(operation); };
    sink.end = [this](const End& end) {
      if (replayer_ && !stopped_) replayer_->compare_end(end);
      return true;
    };
    const std::vector<Problem> problems = read_trace(text, names_, sink);
    if (!problems.empty()) {
      print(problems, path_, err_);
      return kBadInput;
    }
    if (impossible_) return refuse_impossible();
    const int written = write_outputs();
    replayer_->finish();
    summarise();
    if (written != kHeld) return written;
    if (InterruptGuard::interrupted()) return kInconclusive;
    return replayer_->mismatches() > 0 ? kMismatch : kHeld;
  }

  // Before a real driver a call is made or not; nothing can make it do a part of its work.
  bool can_inject(bool half_done, std::uint64_t line) {
    if (options_.backend == Backend::sim || !half_done) return true;
    impossible_ =
        Problem{line, 1, "a fault with bytes_done; only the simulated driver can do a part of a call's work", {}};
    stopped_ = true;
    return false;
  }

  // Before anything is executed: how much there is to do, and whether it can be done.
  TraceSink first_look() {
    TraceSink sink;
    sink.header = [this](const Header& header) { return can_inject(leaves_work_half_done(header), 1); };
    sink.operation = [this](Operation&& operation) {
      ++operations_;
      return can_inject(leaves_work_half_done(operation), operation.line);
    };
    return sink;
  }

  int refuse_impossible() {
    print({*impossible_}, path_, err_);
    return kBadInput;
  }

  bool begin(const Header& header) {
    if (!can_inject(leaves_work_half_done(header), 1)) return false;
    SessionOptions session;
    session.backend = options_.backend;
    session.device = options_.device;
    session.keep_history = options_.svg || options_.html;
    replayer_.emplace(header, names_, session,
                      [this](const Operation& operation, const StepResult& result,
                             const std::vector<Mismatch>& mismatches) { show(operation, result, mismatches); });
    if (options_.html) film_ = renderers_.film();
    if (options_.record) recorder_.emplace(header, names_);
    return go_on();
  }

  bool go_on() {
    if (options_.until && replayer_->session().operations() >= *options_.until) stopped_ = true;
    if (InterruptGuard::interrupted()) stopped_ = true;
    return !stopped_;
  }

  bool step(const Operation& operation) {
    if (!can_inject(leaves_work_half_done(operation), operation.line)) return false;
    replayer_->execute(operation);
    return go_on();
  }

  void show(const Operation& operation, const StepResult& result, const std::vector<Mismatch>& mismatches) {
    const std::uint64_t ordinal = replayer_->session().operations();
    ++outcomes_[static_cast<std::size_t>(result.outcome)];
    if (recorder_) recorder_->add(operation, result);
    if (film_ && is_filmed(ordinal))
      film_->add(step_text(operation, ordinal, result, replayer_->names()), replayer_->session().snapshot());
    if (options_.json) {
      out_ << step_json(operation, ordinal, result, mismatches, replayer_->names()) << '\n';
      return;
    }
    if (options_.verbose) out_ << step_text(operation, ordinal, result, replayer_->names()) << '\n';
    for (const Mismatch& mismatch : mismatches) {
      out_ << path_ << ':' << operation.line << ": mismatch: operation #" << ordinal;
      if (operation.id != NameId::none) out_ << " (" << visible(names_.text(operation.id)) << ")";
      out_ << ", " << to_string(operation.kind) << ": " << to_string(mismatch) << '\n';
    }
  }

  // With --stream nobody knows how much is to come; the page shows the end then.
  bool is_filmed(std::uint64_t ordinal) const {
    const std::uint64_t last = std::min(operations_, options_.until.value_or(operations_));
    return ordinal + kFilmedOperations > last && ordinal <= last;
  }

  // What was not ok, so that a program error without an `expect` does not go unseen.
  std::string outcomes_text() const {
    std::string text;
    for (std::size_t i = 1; i < outcomes_.size(); ++i)
      if (outcomes_[i] > 0)
        text += (text.empty() ? " (" : ", ") + std::to_string(outcomes_[i]) + " " +
                std::string(to_string(static_cast<Outcome>(i)));
    return text.empty() ? text : text + ")";
  }

  void summarise() {
    const std::uint64_t operations = replayer_->session().operations();
    const std::string fingerprint = fingerprint_text(replayer_->session().fingerprint());
    if (options_.json) {
      out_ << "{\"trace\":" << json_quoted(path_) << ",\"operations\":" << operations
           << ",\"mismatches\":" << replayer_->mismatches() << ",\"fingerprint\":\"" << fingerprint
           << "\",\"whole_run\":[";
      const char* separator = "";
      for (const Mismatch& each : replayer_->whole_run()) {
        out_ << separator << json_quoted(to_string(each));
        separator = ",";
      }
      out_ << "]}\n";
      return;
    }
    for (const Mismatch& each : replayer_->whole_run())
      out_ << path_ << ": mismatch: whole run, " << to_string(each) << '\n';
    out_ << path_ << ": " << (replayer_->mismatches() == 0 ? "ok" : "MISMATCH") << ", " << operations << " operations, "
         << replayer_->mismatches() << " mismatches" << outcomes_text() << ", fingerprint " << fingerprint
         << (InterruptGuard::interrupted() ? ", interrupted" : "") << '\n';
  }

  int write_outputs() {
    int result = kHeld;
    const auto write = [&](const std::string& path, const tl::expected<std::string, std::string>& text) {
      if (!text) {
        err_ << "taintgraph: replay: " << path << ": " << text.error() << '\n';
        result = kInternalError;
      } else if (auto written = write_file_whole(path, *text); !written) {
        err_ << "taintgraph: replay: " << written.error() << '\n';
        result = kInternalError;
      }
    };
    if (recorder_) write(*options_.record, recorder_->finish(replayer_->session()));
    if (options_.svg) write(*options_.svg, renderers_.svg(replayer_->session().snapshot()));
    if (film_) write(*options_.html, film_->page(replayer_->session().snapshot()));
    return result;
  }

  const Options& options_;
  std::string path_;
  const ReplayRenderers& renderers_;
  std::ostream& out_;
  std::ostream& err_;
  NameTable names_;
  std::optional<Replayer> replayer_;
  std::optional<Recorder> recorder_;
  std::array<std::uint64_t, kOutcomeCount> outcomes_{};  // by Outcome
  std::unique_ptr<Film> film_;
  std::uint64_t operations_ = 0;  // in the trace; unknown with --stream
  bool stopped_ = false;
  std::optional<Problem> impossible_;  // on the driver that was asked for
};

// The gravest of several: what could not be done at all before what did not hold before what was left unfinished.
int worse(int a, int b) {
  constexpr std::array kByGravity = {kHeld, kInconclusive, kMismatch, kBadInput, kInternalError};
  const auto gravity = [&](int code) { return std::find(kByGravity.begin(), kByGravity.end(), code); };
  return gravity(a) < gravity(b) ? b : a;
}

// What is wrong with the files to be written; empty if nothing is.
std::string wrong_outputs(const Options& options) {
  const std::array outputs = {&options.record, &options.svg, &options.html};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!*outputs[i]) continue;
    if (outputs[i]->value().empty()) return "an output file has no name";
    for (std::size_t j = 0; j < i; ++j)
      if (*outputs[i] == *outputs[j]) return "two outputs go to " + outputs[i]->value();
  }
  const bool writes = std::any_of(outputs.begin(), outputs.end(), [](const auto* each) { return each->has_value(); });
  if (writes && options.traces.size() > 1) return "--record, --svg and --html take one trace";
  return {};
}

}  // namespace

int replay_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err,
                   const ReplayRenderers& renderers) {
  Options options;
  CLI::App app("Run traces and compare every operation with what the trace expects.", "taintgraph replay");
  app.add_option("TRACE", options.traces, "trace files; - reads standard input")->required();
  std::string backend = "sim";
  app.add_option("--backend", backend,
                 "which driver to run on: sim (the default) or cuda; faults are injected into either")
      ->check(CLI::IsMember({"sim", "cuda"}));
  app.add_option("--device", options.device, "which GPU, with --backend cuda (default 0)")
      ->check(CLI::Range(0, kMostDevice));
  app.add_option("--record", options.record, "write the trace with every decision of this run to FILE");
  app.add_option("--svg", options.svg, "draw the failure graph at the end into FILE");
  app.add_option("--html", options.html, "the same as a page that steps through the run");
  app.add_option("--until", options.until, "stop after operation N")->check([](const std::string& text) {
    const bool whole = !text.empty() && text.size() < 20 && text.find_first_not_of("0123456789") == std::string::npos;
    return whole ? std::string() : "expected the number of an operation, found " + text;
  });
  app.add_flag("--json", options.json, "one JSON object an operation, and one for each trace");
  app.add_flag("-v,--verbose", options.verbose, "one line an operation");
  app.add_flag("--stream", options.stream, "execute while reading, without checking the whole file first");
  app.footer(
      "A sync may have a \"deadline\" in nanoseconds of the device's time: what is not done by then makes it a "
      "timeout, which\n"
      "claims nothing. A kernel `spin` is never done; without a deadline a wait for it is given up after ten minutes "
      "of\n"
      "that time. traces/FORMAT.md has the rest of the language.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error, out, err);
    err << "taintgraph: replay: " << error.what() << "; 'taintgraph replay --help' tells more\n";
    return kBadInput;
  }
  options.backend = backend == "cuda" ? Backend::cuda : Backend::sim;
  if (app.count("--device") > 0 && options.backend == Backend::sim) {
    err << "taintgraph: replay: --device is for --backend cuda; the simulated driver has one device\n";
    return kBadInput;
  }
  if (const std::string wrong = wrong_outputs(options); !wrong.empty()) {
    err << "taintgraph: replay: " << wrong << '\n';
    return kBadInput;
  }
  const InterruptGuard guard;
  int result = kHeld;
  for (const std::string& path : options.traces) {
    if (InterruptGuard::interrupted()) return worse(result, kInconclusive);
    try {
      result = worse(result, TraceRun(options, path, renderers, out, err).run());
    } catch (const NoGpu& missing) {
      err << "taintgraph: replay: no GPU to run on: " << missing.what() << '\n';
      return kNoGpu;
    }
  }
  return result;
}

}  // namespace taintgraph::traces
