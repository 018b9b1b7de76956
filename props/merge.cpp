#include "props/merge.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "props/ci_reports.hpp"
#include "props/exit_status.hpp"
#include "props/failure_report.hpp"
#include "props/run_report.hpp"
#include "props/summary_json.hpp"
#include "props/summary_merge.hpp"
#include "traces/path_option.hpp"
#include "traces/writer.hpp"

namespace taintgraph::props {
namespace {

namespace fs = std::filesystem;

struct MergeOptions {
  std::vector<std::string> folders;
  RunReportOptions report;
};

// Only of a regular file: a pipe would be waited for, a directory cannot be read.
tl::expected<std::string, std::string> read_file(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return tl::make_unexpected(path.string() + ": " + error.message());
  if (!fs::is_regular_file(status)) return tl::make_unexpected(path.string() + ": is no regular file");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file.is_open() && file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (!file.is_open() || file.bad() || !text) return tl::make_unexpected(path.string() + ": " + std::strerror(errno));
  return text.str();
}

bool is_summary(const fs::path& path) {
  return path.extension() == ".json" && path.filename().string().rfind("summary", 0) == 0;
}

tl::expected<std::vector<fs::path>, std::string> summaries_in(const std::string& folder) {
  std::error_code error;
  std::vector<fs::path> paths;
  fs::directory_iterator at(folder, error);
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    if (is_summary(at->path())) paths.push_back(at->path());
  }
  if (error) return tl::make_unexpected(folder + ": " + error.message());
  if (paths.empty()) return tl::make_unexpected(folder + ": has no summary of a shard; was it the --out of a run?");
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Puts the shard's folder in front of its failures' own. What the summary names may not have come along with it: that
// is said to `err`, and the failure is taken as one that was not written.
void find_failures(RunSummary& shard, const fs::path& folder, std::ostream& err) {
  for (FailureSummary& each : shard.failures) {
    if (each.folder.empty()) continue;
    const fs::path trace = folder / each.folder / "trace.jsonl";
    each.folder = trace.parent_path().string();
    std::error_code ignored;  // whatever the reason, there is no trace to be had
    if (fs::is_regular_file(trace, ignored)) continue;
    err << "taintgraph merge: " << trace.string() << ": is gone; it showed the failure " << each.signature << '\n';
    each.folder.clear();
  }
}

// The summaries of all folders.
tl::expected<std::vector<RunSummary>, std::string> read_shards(const std::vector<std::string>& folders,
                                                               std::ostream& err) {
  std::vector<RunSummary> shards;
  for (const std::string& folder : folders) {
    const auto paths = summaries_in(folder);
    if (!paths) return tl::make_unexpected(paths.error());
    for (const fs::path& path : *paths) {
      const auto text = read_file(path);
      if (!text) return tl::make_unexpected(text.error());
      auto summary = parse_summary(*text);
      if (!summary) return tl::make_unexpected(path.string() + ": " + summary.error());
      find_failures(*summary, folder, err);
      shards.push_back(std::move(*summary));
    }
  }
  return shards;
}

// Copies the files of one failure; what a shard did not leave is not there.
tl::expected<void, std::string> copy_failure(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_directories(to, error);
  if (error) return tl::make_unexpected(to.string() + ": " + error.message());
  for (const char* name : {"trace.jsonl", "shrunk.jsonl", "graph.svg", "run.json"}) {
    if (!fs::exists(from / name, error)) continue;
    const auto text = read_file(from / name);
    if (!text) return tl::make_unexpected(text.error());
    if (auto written = traces::write_file_whole((to / name).string(), *text); !written) return written;
  }
  return {};
}

class Merge {
 public:
  Merge(const MergeOptions& options, std::ostream& out, std::ostream& err) : options_(options), out_(out), err_(err) {}

  int run() {
    const std::string& into = options_.report.out;
    for (const std::string& folder : options_.folders) {
      std::error_code ignored;  // one that is not there is complained about when it is read
      if (fs::equivalent(folder, into, ignored)) return refuse(into + ": is one of the folders to be joined", kUsage);
    }
    auto shards = read_shards(options_.folders, err_);
    if (!shards) return refuse(shards.error(), kUsage);
    const std::size_t count = shards->size();
    auto joined = join(std::move(*shards));
    if (!joined) return refuse(joined.error(), kUsage);
    if (const std::string why = unwritable(options_.report); !why.empty()) return refuse(why, kInternalError);
    out_ << "seed " << joined->seed << ": " << cases_text(*joined) << ", joined from " << count << " shards\n";
    for (const RegressionFailure& each : joined->failed_regressions) {
      out_ << "regression " << each.path << " fails\n";
      tell(out_, each.disagreement);
    }
    RunReportOptions report = options_.report;
    report.unwritten = !take_failures(*joined);
    return report_run(*joined, report, out_, err_);
  }

 private:
  int refuse(const std::string& why, int status) {
    err_ << "taintgraph merge: " << why << '\n';
    return status;
  }

  bool take_failures(RunSummary& summary) {
    std::size_t number = 0;
    bool copied = true;
    for (FailureSummary& each : summary.failures) {
      if (each.command.empty()) continue;  // known, or one of too many to be dealt with
      out_ << "case " << each.shortest_case << " failed\n";
      tell(out_, each.disagreement);
      if (!each.folder.empty()) copied = take(each, summary.seed, ++number) && copied;
      out_ << "reproduce: " << each.command << '\n';
    }
    return copied;
  }

  // Copies a failure's files into folder `number` of the joined run, which they are in from then on.
  bool take(FailureSummary& failure, std::uint64_t seed, std::size_t number) {
    const std::string name = std::to_string(seed) + (number > 1 ? "/" + std::to_string(number) : "");
    const fs::path to = fs::path(options_.report.out) / name;
    const auto result = copy_failure(failure.folder, to);
    if (!result) refuse(result.error(), kInternalError);
    out_ << "wrote " << to.string() << '\n';
    failure.folder = name;
    return result.has_value();
  }

  const MergeOptions& options_;
  std::ostream& out_;
  std::ostream& err_;
};

}  // namespace

int merge_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  MergeOptions options;
  RunReportOptions& report = options.report;
  report.command = "merge";
  report.annotate = on_github();
  CLI::App app("Join what the shards of one run of fuzz left in their --out folders.", "taintgraph merge");
  app.set_help_flag("-h,--help", "print this and leave");
  app.add_option("DIR", options.folders, "folders of shards, in any order")->required()->check(traces::not_empty());
  app.add_option("-o,--out", report.out, "where the joined summary and the failures go")
      ->required()
      ->check(traces::not_empty())
      ->type_name("DIR");
  app.add_option("--json", report.json, "write the joined summary here, too")
      ->check(traces::not_empty())
      ->type_name("FILE");
  app.add_option("--junit", report.junit, "write the result as JUnit XML")
      ->check(traces::not_empty())
      ->type_name("FILE");
  app.add_flag("-q,--quiet", report.quiet, "leave out what was exercised, and how often");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    out << app.help();
    return kAllHeld;
  } catch (const CLI::ParseError& error) {
    err << "taintgraph merge: " << error.what() << "\n\n" << app.help();
    return kUsage;
  }
  report.summary = report.out + "/" + summary_file_name({});
  return Merge(options, out, err).run();
}

}  // namespace taintgraph::props
