#include "props/conform/conform.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <map>
#include <ostream>

#include "props/conform/transcript.hpp"
#include "props/exit_status.hpp"
#include "traces/half_done_work.hpp"
#include "traces/interrupt.hpp"
#include "traces/path_option.hpp"
#include "traces/reader.hpp"
#include "traces/session.hpp"
#include "traces/writer.hpp"

namespace taintgraph::props {
namespace {

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

tl::expected<Transcript, std::string> load_transcript(const std::string& path) {
  std::error_code ignored;  // what cannot be looked at is left to opening it
  if (std::filesystem::is_directory(path, ignored)) {
    return tl::unexpected(std::string("is a directory; expected a transcript of conform"));
  }
  errno = 0;
  std::ifstream file(path);
  if (!file) return tl::unexpected(std::string(std::strerror(errno)) + "; expected a transcript of conform");
  return read_transcript(file);
}

class ConformRun {
 public:
  ConformRun(const ConformOptions& options, const RigMaker& real, std::ostream& out, std::ostream& err)
      : options_(options), real_(real), out_(out), err_(err) {}

  int run() {
    if (!read_traces()) return kUsage;
    if (!options_.compare.empty()) {
      if (!read_kept()) return kUsage;
    } else {
      auto machine = look_at(real_);
      if (!machine) {
        err_ << "taintgraph: conform: no GPU to compare with: " << machine.error() << '\n';
        return kNoGpu;
      }
      found_.machine = std::move(*machine);
    }
    out_ << found_.machine.card << ", driver " << version_text(found_.machine.driver_version) << ", NVRTC "
         << version_text(found_.machine.compiler_version) << '\n';
    const traces::InterruptGuard guard;
    for (const Probe& probe : all_probes()) {
      if (guard.interrupted()) return kInconclusive;
      compare(probe);
    }
    for (const auto& [path, program] : programs_) {
      if (guard.interrupted()) return kInconclusive;
      compare(path, program);
    }
    return close();
  }

 private:
  bool read_traces() {
    for (const std::string& path : options_.traces) {
      auto program = traces::load_program(path);
      if (!program) {
        for (const traces::Problem& problem : program.error()) err_ << to_string(problem, path) << '\n';
        return false;
      }
      programs_.emplace_back(path.substr(path.rfind('/') + 1), std::move(*program));
    }
    return true;
  }

  bool read_kept() {
    auto transcript = load_transcript(options_.compare);
    if (!transcript) {
      err_ << "taintgraph: conform: " << options_.compare << ": " << transcript.error() << '\n';
      return false;
    }
    found_.machine = transcript->machine;
    for (ConformRow& row : transcript->rows) kept_.emplace(row.name, std::move(row));
    return true;
  }

  void compare(const Probe& probe) {
    const Observation simulated = observe(probe, simulated_rig(), options_.limit);
    ConformRow row{std::string(probe.name), simulated.expected, simulated.seen, {}, Agreement::left_out};
    if (options_.compare.empty()) {
      const Observation real = observe(probe, real_, options_.limit);
      row.real = real.seen;
      if (row.expected.empty()) row.expected = real.expected;
    }
    finish(std::move(row), probe.shows);
  }

  void compare(const std::string& name, const traces::Program& program) {
    traces::SessionOptions session;
    ConformRow row{name, std::string(kNoMismatch), observe(program, session, options_.limit), {}, Agreement::left_out};
    const bool possible = !traces::leaves_work_half_done(program);
    if (possible && options_.compare.empty()) {
      session.backend = traces::Backend::cuda;
      session.device = options_.device;
      row.real = observe(program, session, options_.limit);
    }
    finish(std::move(row), "trace", possible);
  }

  void finish(ConformRow row, std::string_view shows, bool possible = true) {
    if (!options_.compare.empty() && possible) {
      const auto kept = kept_.find(row.name);
      possible = kept != kept_.end();
      if (possible) row.real = kept->second.real;
    }
    if (possible) judge(row);
    ++counts_[static_cast<std::size_t>(row.agreement)];
    out_ << std::left << std::setw(36) << row.name << ' ' << std::setw(18) << to_string(row.agreement) << ' ' << shows
         << '\n';
    if (row.agreement != Agreement::agree && row.agreement != Agreement::left_out)
      out_ << "    expected  " << row.expected << "\n    simulated " << row.simulated << "\n    real      " << row.real
           << '\n';
    out_.flush();
    found_.rows.push_back(std::move(row));
  }

  int close() {
    std::size_t wrong = 0;
    for (const ConformRow& row : found_.rows)
      wrong += row.agreement != Agreement::agree && row.agreement != Agreement::both_allowed &&
                       row.agreement != Agreement::left_out
                   ? 1U
                   : 0U;
    const char* separator = "";
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i] == 0) continue;
      out_ << separator << counts_[i] << ' ' << to_string(static_cast<Agreement>(i));
      separator = ", ";
    }
    out_ << '\n';
    if (!options_.output.empty()) {
      if (auto written = traces::write_file_whole(options_.output, transcript_text(found_)); !written) {
        err_ << "taintgraph: conform: " << written.error() << '\n';
        return kInternalError;
      }
    }
    return wrong == 0 ? kAllHeld : kFailed;
  }

  const ConformOptions& options_;
  const RigMaker& real_;
  std::ostream& out_;
  std::ostream& err_;
  std::vector<std::pair<std::string, traces::Program>> programs_;
  std::map<std::string, ConformRow> kept_;
  Transcript found_;
  std::array<std::size_t, 6> counts_{};  // by Agreement
};

}  // namespace

int conform(const ConformOptions& options, const RigMaker& real, std::ostream& out, std::ostream& err) {
  return ConformRun(options, real, out, err).run();
}

int conform_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  ConformOptions options;
  CLI::App app(
      "Compare a real driver with the simulated one: probes of what the fault table says, each on both drivers in a "
      "process of its own, and traces.",
      "taintgraph conform");
  app.add_option("TRACE", options.traces, "traces to run on both drivers");
  app.add_option("--device", options.device, "which GPU (default 0)")->check(CLI::Range(0, traces::kMostDevice));
  app.add_option("-o,--output", options.output, "write what was found to FILE, as JSON lines")
      ->check(traces::not_empty());
  app.add_option("--compare", options.compare, "compare the simulated driver with a file that -o wrote; needs no GPU")
      ->check(traces::not_empty());
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error, out, err);
    err << "taintgraph: conform: " << error.what() << "; 'taintgraph conform --help' tells more\n";
    return kUsage;
  }
  return conform(options, real_rig(options.device), out, err);
}

}  // namespace taintgraph::props
