// Says what a run came to, once it is over, to whoever asked: people, files, continuous integration.
#pragma once

#include <iosfwd>
#include <string>

#include "props/run_summary.hpp"

namespace taintgraph::props {

struct RunReportOptions {
  std::string command;  // whose name errors carry
  std::string out;      // the folder that failures' folders are in
  std::string summary;  // files to write; empty: not written
  std::string json;
  std::string junit;
  bool quiet = false;      // leaves out what was exercised
  bool annotate = false;   // prints GitHub's annotations
  bool unwritten = false;  // a file of the run is missing already, as if one of these could not be written
};

// Why one of the files could not be written, as far as can be told beforehand; empty if all is well.
[[nodiscard]] std::string unwritable(const RunReportOptions& options);

// Writes and prints everything, the summary's last line at the end. Returns the status to leave with: the summary's, or
// 70 if a file could not be written; that line fits it.
[[nodiscard]] int report_run(const RunSummary& summary, const RunReportOptions& options, std::ostream& out,
                             std::ostream& err);

}  // namespace taintgraph::props
