// Executes one trace on a session and compares every step with what the trace expects.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "traces/comparison.hpp"
#include "traces/program.hpp"
#include "traces/session.hpp"

namespace taintgraph::traces {

class Replayer {
 public:
  // What is shown of each step; both live until the call returns.
  using Observer = std::function<void(const Operation&, const StepResult&, const std::vector<Mismatch>&)>;

  // `names` must outlive the replayer. Throws what Session's constructor throws.
  Replayer(const Header& header, const NameTable& names, const SessionOptions& options, Observer observer);

  void execute(const Operation& operation);

  // Compares with the trace's closing line; a recorded trace must give the fingerprint it was recorded with.
  void compare_end(const End& end);

  // Tears the machine down. What should not be left counts as a mismatch of the run as a whole.
  void finish();

  [[nodiscard]] Session& session() { return session_; }
  [[nodiscard]] const OperationNames& names() const { return operation_names_; }
  [[nodiscard]] std::uint64_t mismatches() const { return mismatches_; }
  // Mismatches that belong to no operation.
  [[nodiscard]] const std::vector<Mismatch>& whole_run() const { return whole_run_; }

 private:
  Session session_;
  OperationNames operation_names_;
  Observer observer_;
  std::uint64_t mismatches_ = 0;
  std::vector<Mismatch> whole_run_;
};

[[nodiscard]] std::string fingerprint_text(std::uint64_t fingerprint);

}  // namespace taintgraph::traces
