// Runs one program through the production runtime and the reference model side by side, and compares after every
// operation: outcome, roots, chain, error, bytes of reads (R1, R2, W1, W2, W5, D1, R4), size of the graph and tags (C1,
// C2), the claims on what it names (B1), bytes in use, and what the simulated driver has to say (races, misuse,
// undeclared accesses). At the end everything is freed, the graph must be empty (C2), and nothing of the driver's may
// be left for the context to take along.
//
// Stops at the first disagreement: after one, model and runtime no longer speak of the same state.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "props/disagreement.hpp"
#include "props/fault_cells.hpp"
#include "props/features.hpp"
#include "props/model.hpp"
#include "props/run_shape.hpp"
#include "traces/program.hpp"
#include "traces/session.hpp"
#include "traces/snapshot.hpp"

namespace taintgraph::props {

struct CheckOptions {
  bool keep_predictions = false;  // in CheckedRun::predictions
  bool keep_snapshot = false;     // in CheckedRun::snapshot, as it is after the last operation executed
  bool keep_trail = false;        // in CheckedRun::trail
  // What runs the program; `keep_history` of it is set from the above, and its structures always validate themselves.
  traces::SessionOptions session;
  std::function<void(std::uint64_t ordinal)> before_step;                            // may be empty
  std::function<void(std::uint64_t ordinal, const traces::StepResult&)> after_step;  // likewise
};

struct CheckedRun {
  std::optional<Disagreement> disagreement;
  std::uint64_t operations = 0;  // executed
  std::uint64_t faults = 0;      // fired
  std::uint64_t runs = 1;        // more where one judgement takes several
  std::uint64_t orders = 0;      // of those, runs of a program that has several orders
  std::uint64_t fingerprint = 0;
  FeatureCounts features;
  CellCoverage cells;
  RunShape shape;
  std::vector<std::uint64_t> trail;  // the fingerprint as it was after each operation
  std::vector<Prediction> predictions;
  std::vector<std::vector<std::uint32_t>> schedules;  // of each operation, where the device's order was searched
  std::optional<traces::Snapshot> snapshot;
};

[[nodiscard]] CheckedRun check(const traces::Program& program, const CheckOptions& options);

}  // namespace taintgraph::props
