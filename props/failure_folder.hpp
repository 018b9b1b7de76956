// The folder that a failure leaves behind, DIR/SEED for the first of a run, DIR/SEED/2 for the next: the program as it
// was drawn, the program as it was shrunk, a picture of the failure graph where it went wrong, and what the run was.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <tl/expected.hpp>

#include "props/campaign.hpp"
#include "props/disagreement.hpp"
#include "traces/program.hpp"
#include "traces/snapshot.hpp"

namespace taintgraph::props {

// Draws a snapshot as SVG, or says why it cannot. Handed in, because this room may not look at the one that draws.
using GraphRenderer = std::function<tl::expected<std::string, std::string>(const traces::Snapshot&)>;

// What run.json says.
struct FailureRecord {
  std::uint64_t seed = 0;
  std::uint64_t case_number = 0;
  std::uint32_t operations_option = 0;
  Disagreement disagreement;
  std::string signature;
  std::uint64_t failing_cases = 0;  // with this signature, in this run
  std::uint64_t first_case = 0;     // of those
  std::uint64_t operations = 0;     // of the program as drawn
  std::uint64_t shrunk_operations = 0;
  std::uint64_t shrink_runs = 0;
  bool shrink_finished = false;
  std::string command;  // that reproduces it
};

// A program as a trace file, with the judge's predictions of its operations up to `step`, made in a child process: it
// is a program that fails. A step that kills the process is not executed, so nothing is expected of it.
[[nodiscard]] std::string expecting_text(const traces::Program& program, std::uint64_t step, Campaign& campaign);

// A program as a trace file that can be read back, whatever was left out of it.
[[nodiscard]] std::string trace_text(const traces::Program& program);

class FailureFolder {
 public:
  // Makes the folder of the run's failure number `number`, counted from 1, and removes what an earlier run with this
  // seed left there. Check error() before anything is written.
  FailureFolder(const std::string& parent, std::uint64_t seed, std::size_t number);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& error() const { return error_; }  // empty if the folder is there

  // Each file is written whole or not at all; the error names the path.
  // A program goes with the model's predictions up to `step`, made in a child process: it is one that fails.
  [[nodiscard]] tl::expected<void, std::string> write_program(const std::string& name, const traces::Program& program,
                                                              std::uint64_t step, Campaign& campaign) const;
  [[nodiscard]] tl::expected<void, std::string> write_graph(const traces::Program& program, std::uint64_t step,
                                                            const GraphRenderer& render, Campaign& campaign) const;
  [[nodiscard]] tl::expected<void, std::string> write_record(const FailureRecord& record) const;

 private:
  std::string path_;
  std::string error_;
};

}  // namespace taintgraph::props
