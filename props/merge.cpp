#include "props/merge.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "props/ci_reports.hpp"
#include "props/exit_status.hpp"
#include "props/failure_report.hpp"
#include "props/run_report.hpp"
#include "props/summary_json.hpp"
#include "props/summary_merge.hpp"
#include "traces/writer.hpp"

namespace taintgraph::props {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> folders;
  RunReportOptions report;
};

tl::expected<std::string, std::string> read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  if (!file.is_open() || file.bad()) return tl::make_unexpected(path.string() + ": " + std::strerror(errno));
  return text;
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

// The summaries of all folders, failures' folders with their own in front.
tl::expected<std::vector<RunSummary>, std::string> read_shards(const std::vector<std::string>& folders) {
  std::vector<RunSummary> shards;
  for (const std::string& folder : folders) {
    const auto paths = summaries_in(folder);
    if (!paths) return tl::make_unexpected(paths.error());
    for (const fs::path& path : *paths) {
      const auto text = read_file(path);
      if (!text) return tl::make_unexpected(text.error());
      auto summary = parse_summary(*text);
      if (!summary) return tl::make_unexpected(path.string() + ": " + summary.error());
      for (FailureSummary& each : summary->failures) {
        if (!each.folder.empty()) each.folder = (fs::path(folder) / each.folder).string();
      }
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
  Merge(const Options& options, std::ostream& out, std::ostream& err) : options_(options), out_(out), err_(err) {}

  int run() {
    const std::string& into = options_.report.out;
    for (const std::string& folder : options_.folders) {
      std::error_code ignored;  // one that is not there is complained about when it is read
      if (fs::equivalent(folder, into, ignored)) return refuse(into + ": is one of the folders to be joined", kUsage);
    }
    auto shards = read_shards(options_.folders);
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
    const bool copied = take_failures(*joined);
    const int status = report_run(*joined, options_.report, out_, err_);
    return copied ? status : kInternalError;
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
      if (each.folder.empty()) continue;
      const std::string name = std::to_string(summary.seed) + (++number > 1 ? "/" + std::to_string(number) : "");
      out_ << "case " << each.shortest_case << " failed\n";
      tell(out_, each.disagreement);
      const fs::path to = fs::path(options_.report.out) / name;
      if (const auto result = copy_failure(each.folder, to); !result) {
        copied = false;
        refuse(result.error(), kInternalError);
      }
      out_ << "wrote " << to.string() << "\nreproduce: " << each.command << '\n';
      each.folder = name;
    }
    return copied;
  }

  const Options& options_;
  std::ostream& out_;
  std::ostream& err_;
};

}  // namespace

int merge_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  Options options;
  RunReportOptions& report = options.report;
  report.command = "merge";
  report.annotate = on_github();
  CLI::App app("Join what the shards of one run of fuzz left in their --out folders.", "taintgraph merge");
  app.set_help_flag("-h,--help", "print this and leave");
  app.add_option("DIR", options.folders, "folders of shards, in any order")->required();
  app.add_option("-o,--out", report.out, "where the joined summary and the failures go")->required()->type_name("DIR");
  app.add_option("--json", report.json, "write the joined summary here, too")->type_name("FILE");
  app.add_option("--junit", report.junit, "write the result as JUnit XML")->type_name("FILE");
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
