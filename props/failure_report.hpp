// What is done about a failing case: say it, write it down, make sure that it fails again, shrink it, say it again.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

#include "props/campaign.hpp"
#include "props/failure_folder.hpp"
#include "props/fuzz_options.hpp"
#include "props/shrink.hpp"

namespace taintgraph::props {

struct CaseFailure {
  std::uint64_t case_number = 0;
  Verdict verdict;
};

class FailureReport {
 public:
  FailureReport(const FuzzOptions& options, std::uint64_t seed, Campaign& campaign, std::ostream& out,
                std::ostream& err)
      : options_(options), seed_(seed), campaign_(campaign), out_(out), err_(err) {}

  // Returns the status that the run ends with. `interrupted` ends the shrinking early, keeping the smallest so far.
  [[nodiscard]] int make(const CaseFailure& failure, const GraphRenderer& render,
                         const std::function<bool()>& interrupted);

 private:
  // The failing case while it is dealt with.
  struct Subject {
    traces::Program program;
    Disagreement disagreement;
    bool validate = false;
    FailureRecord record;
  };

  [[nodiscard]] bool fails_again(const Subject& subject);
  void shrink_and_write(Subject& subject, const FailureFolder& folder, const GraphRenderer& render,
                        const std::function<bool()>& interrupted);
  [[nodiscard]] Shrunk shrink_subject(const Subject& subject, const std::function<bool()>& interrupted);
  void tell(const Disagreement& disagreement);
  void tell_program(const traces::Program& program);
  void wrote(const FailureFolder& folder, const std::string& name, const tl::expected<void, std::string>& result);
  [[nodiscard]] std::string command(std::uint64_t case_number) const;

  const FuzzOptions& options_;
  std::uint64_t seed_;
  Campaign& campaign_;
  std::ostream& out_;
  std::ostream& err_;
};

}  // namespace taintgraph::props
