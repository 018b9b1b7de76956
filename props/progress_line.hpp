// How a run says what it is doing and what it has seen: one line rewritten in place on a terminal, a plain line now and
// then elsewhere, and the words for times and counts.
#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>

#include "props/campaign.hpp"

namespace taintgraph::props {

class ProgressLine {
 public:
  // Shows on `err`, which is taken to be standard error when asked whether it is a terminal.
  explicit ProgressLine(std::ostream& err);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Shows the totals, unless that was done a moment ago.
  void show(const Totals& totals);

 private:
  std::ostream& err_;
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_;
};

// "12.3s"
[[nodiscard]] std::string seconds_text(std::chrono::milliseconds time);

// One line a feature with its count and floor, one a kind of operation with its outcomes, one a cell never hit.
void show_coverage(std::ostream& out, const Totals& totals);

}  // namespace taintgraph::props
