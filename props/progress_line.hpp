// How a run says what it is doing: one line rewritten in place on a terminal, a plain line now and then elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

#include "props/totals.hpp"

namespace taintgraph::props {

class ProgressLine {
 public:
  // What the run will have done in the end, by whichever is given: so much is left.
  struct Goal {
    std::optional<std::uint64_t> cases;
    std::optional<std::chrono::milliseconds> time;
  };

  // Shows on `err`, which is taken to be standard error when asked whether it is a terminal.
  ProgressLine(std::ostream& err, const Goal& goal);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Shows the totals, unless that was done a moment ago.
  void show(const Totals& totals);

 private:
  std::ostream& err_;
  Goal goal_;
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point began_;
  std::chrono::steady_clock::time_point last_;
};

// "1200/2000 cases, 48000 operations, 24000/s, 4600 faults, 76/79 cells, 0.6s left", `elapsed` after the start.
[[nodiscard]] std::string progress_text(const Totals& totals, const ProgressLine::Goal& goal,
                                        std::chrono::milliseconds elapsed);

// "12.3s"
[[nodiscard]] std::string seconds_text(std::chrono::milliseconds time);

// One line a feature with its count and floor, one a kind of operation with its outcomes, one a cell never hit, of
// which it shows some.
void show_coverage(std::ostream& out, const Totals& totals);

}  // namespace taintgraph::props
