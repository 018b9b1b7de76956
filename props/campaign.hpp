// Cases of one seed, generated and checked in child processes, so that a crash or a hang is a finding with a case
// number and not the end of the run.
//
// This is about single pieces of work: a batch of cases, one program. Which batches there are, and what they add up to,
// is the sweep's business (sweep.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "props/case_deal.hpp"
#include "props/determinism.hpp"
#include "props/failure_groups.hpp"
#include "props/generator.hpp"
#include "props/isolation.hpp"
#include "props/totals.hpp"

namespace taintgraph::props {

// What is left of a checked program once it has crossed the border between processes.
struct Verdict {
  std::optional<Disagreement> disagreement;
  std::uint64_t fingerprint = 0;
};

// Positions [begin, end) of a deal.
struct Batch {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// What a batch, or the part of it that was run, came to.
struct BatchResult {
  Batch run;  // from its begin on
  Totals totals;
  FailureGroups failures;
  bool stopped = false;  // by a failure that runs do not go on after; its case is the last one
};

struct CampaignOptions {
  std::uint64_t seed = 0;
  GeneratorOptions generator;
  std::function<traces::Program(std::uint64_t case_number)> source;  // of programs, in the generator's place if given
  ChildLimits limits;
  // Whether a run goes on after a failure with this signature; empty: never.
  std::function<bool(const std::string& signature)> goes_on;
  std::function<bool()> interrupted;           // ends a program that is run alone; may be empty
  std::function<void(traces::Program&)> form;  // given to each program that is drawn; may be empty
  bool twice = true;                           // some cases are run twice and compared
};

// How a program is checked beyond what every program is.
struct Scrutiny {
  bool twice = false;  // run twice and compared
};

class Campaign {
 public:
  Campaign(CampaignOptions options, Judge judge);

  // The work of a child: runs the cases of a batch until one fails after which the run does not go on. Returns what
  // result_of() reads.
  [[nodiscard]] std::string run_batch(const CaseDeal& deal, const Batch& batch, SharedProgress& progress) const;
  [[nodiscard]] BatchResult result_of(std::string_view output, const Batch& batch) const;

  // A child that died over a case: a batch of that case alone.
  [[nodiscard]] BatchResult result_of(const Death& death, std::uint64_t case_number, std::uint64_t step,
                                      std::uint64_t position) const;

  // Runs one program in a child of its own. `stall` replaces the limit of that name, if given, and
  // scales that of a case. A run that was interrupted disagrees with nothing.
  [[nodiscard]] Verdict check_alone(const traces::Program& program, const Scrutiny& scrutiny,
                                    std::optional<std::chrono::milliseconds> stall = std::nullopt);

  // How this case is checked, here and wherever else it is run.
  [[nodiscard]] Scrutiny scrutiny_of(std::uint64_t case_number) const;

  [[nodiscard]] traces::Program program(std::uint64_t case_number) const;
  [[nodiscard]] std::uint64_t seed() const { return options_.seed; }
  [[nodiscard]] const Judge& judge() const { return judge_; }
  [[nodiscard]] const ChildLimits& limits() const { return options_.limits; }
  // From now on nothing ends a run early, for what is still to be told after an interruption.
  void ignore_interruptions() { options_.interrupted = {}; }

  // Does `work` in a child under this campaign's watch. Throws std::runtime_error if no child can be started.
  [[nodiscard]] tl::expected<std::string, Death> isolated(const std::function<std::string()>& work,
                                                          std::optional<std::chrono::milliseconds> stall = {});

 private:
  [[nodiscard]] bool goes_on(const Disagreement& disagreement) const;

  CampaignOptions options_;
  Judge judge_;
  SharedProgress progress_;
};

}  // namespace taintgraph::props
