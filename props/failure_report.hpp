// What is done about a failing case: say it, write it down, make sure that it fails again, shrink it, say it again.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

#include "props/campaign.hpp"
#include "props/failure_folder.hpp"
#include "props/fuzz_options.hpp"
#include "props/shrink.hpp"

namespace taintgraph::props {

// So many failures of a run are shrunk and written; the rest are named.
inline constexpr std::size_t kMostReported = 20;

// What has become of a failure once it is dealt with.
struct ReportedFailure {
  int status = 0;       // that the run is to end with on its account
  bool written = true;  // every file, but for a picture that could not be drawn
  FailureRecord record;
};

class FailureReport {
 public:
  FailureReport(const FuzzOptions& options, std::uint64_t seed, Campaign& campaign, std::ostream& out,
                std::ostream& err)
      : options_(options), seed_(seed), campaign_(campaign), out_(out), err_(err) {}

  // Deals with the run's failure number `number`, counted from 1. `interrupted` ends the shrinking early, keeping the
  // smallest so far.
  [[nodiscard]] ReportedFailure make(std::size_t number, const FailureGroup& group, const GraphRenderer& render,
                                     const std::function<bool()>& interrupted);

 private:
  // The failing case while it is dealt with.
  struct Subject {
    std::size_t number = 1;
    traces::Program program;
    Disagreement disagreement;
    std::string signature;
    Scrutiny scrutiny;
    FailureRecord record;
  };

  [[nodiscard]] bool fails_again(const Subject& subject);
  void shrink_and_write(Subject& subject, const FailureFolder& folder, const GraphRenderer& render,
                        const std::function<bool()>& interrupted);
  [[nodiscard]] Shrunk shrink_subject(const Subject& subject, const std::function<bool()>& interrupted);
  void begin(const FailureGroup& group, const Subject& subject);
  void tell_program(const traces::Program& program);
  void wrote(const FailureFolder& folder, const std::string& name, const tl::expected<void, std::string>& result);
  [[nodiscard]] std::string command(std::uint64_t case_number) const;
  [[nodiscard]] static std::uint64_t last_step(const Subject& subject, std::uint64_t step);
  [[nodiscard]] std::optional<std::chrono::milliseconds> shrinking_stall(const Subject& subject) const;

  bool unwritten_ = false;  // a file could not be written
  const FuzzOptions& options_;
  std::uint64_t seed_;
  Campaign& campaign_;
  std::ostream& out_;
  std::ostream& err_;
};

// The four lines of a failure: property, step, operation, expected and found.
void tell(std::ostream& out, const Disagreement& disagreement);

}  // namespace taintgraph::props
