// Many cases of one seed, generated and checked in child processes, so that a crash or a hang is a finding with a case
// number and not the end of the run.
//
// What is counted is the sum over cases and does not depend on how they were batched, so shards can be added up.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "props/checker.hpp"
#include "props/generator.hpp"
#include "props/isolation.hpp"

namespace taintgraph::props {

// What the cases run so far add up to.
struct Totals {
  std::uint64_t cases = 0;
  std::uint64_t operations = 0;
  std::uint64_t faults = 0;
  std::uint64_t fingerprint = 0;  // sum of mix(case, its fingerprint)
  FeatureCounts features;
  CellCoverage cells;

  void add(std::uint64_t case_number, const CheckedRun& run);
  void add(const Totals& other);
};

// What is left of a checked program once it has crossed the border between processes.
struct Verdict {
  std::optional<Disagreement> disagreement;
  bool hung = false;
  std::uint64_t fingerprint = 0;
};

struct BatchResult {
  Totals totals;                        // of the cases that ended, a failing one included unless it crashed
  std::optional<std::uint64_t> failed;  // the first case that failed, and the last that ran
  Verdict verdict;                      // of that case
};

// What runs a program and says whether all held: check(), unless a test puts a failure in.
using Judge = std::function<CheckedRun(const traces::Program&, const CheckOptions&)>;

struct CampaignOptions {
  std::uint64_t seed = 0;
  GeneratorOptions generator;
  std::chrono::milliseconds stall_limit{0};    // how long a child may take over one operation
  std::function<bool()> stopped;               // asked between cases, in the child too; may be empty
  std::function<void(traces::Program&)> form;  // given to each program that is drawn; may be empty
};

class Campaign {
 public:
  Campaign(CampaignOptions options, Judge judge);

  // Runs cases [first, first + count) or until one fails or `stopped` says so.
  [[nodiscard]] BatchResult run(std::uint64_t first, std::uint64_t count);

  // Runs one program in a child of its own.
  [[nodiscard]] Verdict check_alone(const traces::Program& program, bool validate);

  // Whether run() validates this case.
  [[nodiscard]] static bool validates(std::uint64_t case_number);

  [[nodiscard]] traces::Program program(std::uint64_t case_number) const;
  [[nodiscard]] const Judge& judge() const { return judge_; }

  // Does `work` in a child under this campaign's watch.
  [[nodiscard]] tl::expected<std::string, Death> isolated(const std::function<std::string()>& work);

 private:
  [[nodiscard]] std::string run_in_child(std::uint64_t first, std::uint64_t count);

  CampaignOptions options_;
  Judge judge_;
  SharedProgress progress_;
};

}  // namespace taintgraph::props
