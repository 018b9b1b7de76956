#include "props/run_report.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <ostream>
#include <utility>

#include "props/ci_reports.hpp"
#include "props/exit_status.hpp"
#include "props/progress_line.hpp"
#include "props/summary_json.hpp"
#include "traces/writer.hpp"

namespace taintgraph::props {
namespace {

std::string why_unwritable(const std::string& path) {
  std::error_code ignored;  // what cannot be asked about is found out by writing
  if (std::filesystem::is_directory(path, ignored)) return path + ": is a directory";
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  if (::access(folder.c_str(), W_OK) == 0 || std::filesystem::exists(path, ignored)) return {};
  return folder + ": " + std::strerror(errno);
}

void tell_failures(const RunSummary& summary, std::ostream& out) {
  for (const FailureSummary& each : summary.failures) {
    out << (each.known ? "known failure: " : "failure: ") << each.signature << ", " << each.cases
        << (each.cases == 1 ? " case" : " cases") << ", the first is case " << each.first_case << '\n';
  }
  if (!summary.failed_regressions.empty()) {
    out << "regressions that fail: " << summary.failed_regressions.size() << " of " << summary.regressions << '\n';
  }
}

}  // namespace

std::string unwritable(const RunReportOptions& options) {
  if (!options.summary.empty()) {
    std::error_code error;
    std::filesystem::create_directories(options.out, error);
    if (error) return options.out + ": " + error.message();
  }
  for (const std::string& path : {options.summary, options.json, options.junit}) {
    if (path.empty()) continue;
    if (std::string why = why_unwritable(path); !why.empty()) return why;
  }
  return {};
}

int report_run(const RunSummary& summary, const RunReportOptions& options, std::ostream& out, std::ostream& err) {
  int status = options.unwritten ? kInternalError : summary.status;
  const auto write = [&](const std::string& path, const std::function<std::string()>& text) {
    if (path.empty()) return;
    if (const auto written = traces::write_file_whole(path, text()); !written) {
      err << "taintgraph " << options.command << ": " << written.error() << '\n';
      status = kInternalError;
    }
  };
  write(options.summary, [&] { return summary_json(summary); });
  write(options.json, [&] { return summary_json(summary); });
  write(options.junit, [&] { return junit_text(summary); });
  if (!options.quiet) show_coverage(out, summary.totals);
  tell_failures(summary, out);
  for (const std::string& reason : inconclusive_reasons(summary)) out << "inconclusive: " << reason << '\n';
  if (options.annotate) out << annotations_text(summary, options.out);
  out << last_line(summary, status) << std::endl;
  return status;
}

}  // namespace taintgraph::props
