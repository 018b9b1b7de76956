// All that is to be said of a run of `fuzz`, or of several shards together, once it is over: what reports are made
// from, and what merge joins.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "props/case_deal.hpp"
#include "props/totals.hpp"

namespace taintgraph::props {

// One failure: a signature and the cases that share it.
struct FailureSummary {
  std::string signature;
  bool known = false;  // it does not count against the run
  int status = 0;      // that the run ends with on its account
  std::uint64_t cases = 0;
  std::uint64_t first_case = 0;
  std::uint64_t shortest_case = 0;
  Disagreement disagreement;  // of the shortest
  std::string folder;         // where it was written, relative to the run's; empty: nowhere
  std::uint64_t shrunk_operations = 0;
  std::string command;  // that reproduces it
};

// A trace of the regression folder that does not hold.
struct RegressionFailure {
  std::string path;
  Disagreement disagreement;
};

enum class RunEnd : std::uint8_t { all_run, out_of_time, stopped_by_failure, interrupted };

struct RunSummary {
  std::string version;  // of the program, with its commit
  std::string backend = "sim";
  std::uint64_t seed = 0;
  std::uint32_t operations_option = 0;
  std::uint64_t first_case = 0;
  std::optional<std::uint64_t> end_case;  // none: as many as time allowed
  Shard shard;
  RunEnd end = RunEnd::all_run;
  Totals totals;
  std::uint64_t regressions = 0;  // traces replayed
  std::vector<RegressionFailure> failed_regressions;
  std::vector<FailureSummary> failures;   // by first case
  std::vector<std::string> low_features;  // names of those below their floors
  int status = 0;
  std::uint64_t milliseconds = 0;
};

[[nodiscard]] std::string_view to_string(RunEnd end);

// "cases 0..2000", "cases from 0 on", with the shard if it is one.
[[nodiscard]] std::string cases_text(const RunSummary& summary);

// How many cases the run was to deal with; nothing if only time limits them.
[[nodiscard]] std::optional<std::uint64_t> cases_wanted(const RunSummary& summary);

// The features below their floors by the totals; none if there are too few cases to say.
[[nodiscard]] std::vector<std::string> low_features_of(const RunSummary& summary);

// The exit status by all that is in the summary: 1 a failure that is not known, 3 one that is not deterministic, 2
// inconclusive (a hang, a feature below its floor, interrupted), 0 otherwise, the first that holds.
[[nodiscard]] int status_of(const RunSummary& summary);

// "PASSED seed=... time=12.3s", without the end of line: what the command line promises for the last line. `status` is
// the one to leave with, which is another than the summary's if a file could not be written.
[[nodiscard]] std::string last_line(const RunSummary& summary, int status);

// One line for each reason why the run says less than it was asked to; empty if there is none.
[[nodiscard]] std::vector<std::string> inconclusive_reasons(const RunSummary& summary);

}  // namespace taintgraph::props
