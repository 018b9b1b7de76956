#include "props/progress_line.hpp"

#include <unistd.h>

#include <algorithm>
#include <iomanip>
#include <ostream>

namespace taintgraph::props {
namespace {

constexpr std::size_t kMissedShown = 20;  // a short run misses hundreds

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kTerminalEvery{100};
constexpr milliseconds kPlainEvery{10'000};

std::string outcomes_text(const FeatureCounts& counts, std::size_t kind) {
  std::string text;
  for (std::size_t outcome = 0; outcome < counts.outcomes[kind].size(); ++outcome) {
    const std::uint64_t count = counts.outcomes[kind][outcome];
    if (count == 0) continue;
    text += text.empty() ? "" : ", ";
    text += std::string(traces::to_string(static_cast<traces::Outcome>(outcome))) + " " + std::to_string(count);
  }
  return text;
}

}  // namespace

ProgressLine::ProgressLine(std::ostream& err, const Goal& goal)
    : err_(err), goal_(goal), terminal_(::isatty(STDERR_FILENO) != 0), began_(Clock::now()), last_(began_) {}

ProgressLine::~ProgressLine() {
  if (terminal_ && shown_) err_ << "\r\x1b[K" << std::flush;
}

void ProgressLine::show(const Totals& totals) {
  const Clock::time_point now = Clock::now();
  if (now - last_ < (terminal_ ? kTerminalEvery : kPlainEvery)) return;
  last_ = now;
  shown_ = true;
  const std::string text = progress_text(totals, goal_, std::chrono::duration_cast<milliseconds>(now - began_));
  if (terminal_) {
    err_ << '\r' << text << "\x1b[K";
  } else {
    err_ << text << '\n';
  }
  err_ << std::flush;
}

std::string progress_text(const Totals& totals, const ProgressLine::Goal& goal, milliseconds elapsed) {
  const auto spent = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(elapsed.count()));
  std::string text = std::to_string(totals.cases);
  if (goal.cases) text += "/" + std::to_string(*goal.cases);
  text += " cases, " + std::to_string(totals.operations) + " operations, " +
          std::to_string(totals.operations * 1000 / spent) + "/s, " + std::to_string(totals.faults) + " faults, " +
          std::to_string(totals.cells.count()) + "/" + std::to_string(cells_in_reach().size()) + " cells";
  if (goal.time) {
    text += ", " + seconds_text(std::max(*goal.time - elapsed, milliseconds(0))) + " left";
  } else if (goal.cases && totals.cases > 0) {
    const double left = static_cast<double>(spent) / static_cast<double>(totals.cases) *
                        static_cast<double>(*goal.cases - std::min(*goal.cases, totals.cases));
    text += ", " + seconds_text(milliseconds(static_cast<milliseconds::rep>(left))) + " left";
  }
  return text;
}

std::string seconds_text(milliseconds time) {
  const auto tenths = static_cast<std::uint64_t>(time.count()) / 100;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + "s";
}

void show_coverage(std::ostream& out, const Totals& totals) {
  for (const FeatureRow& row : feature_table()) {
    out << "  " << std::left << std::setw(44) << row.name << std::right << std::setw(9)
        << totals.features.of(row.feature) << "   (at least " << row.floor_per_1000_cases << " in 1000 cases)\n";
  }
  for (std::size_t kind = 0; kind < traces::kOpKindCount; ++kind) {
    const std::string line = outcomes_text(totals.features, kind);
    if (!line.empty()) out << "  " << traces::to_string(static_cast<traces::OpKind>(kind)) << ": " << line << '\n';
  }
  std::size_t missed = 0;
  for (const FaultCell& cell : cells_in_reach()) {
    if (totals.cells.contains(cell) || ++missed > kMissedShown) continue;
    out << "  never hit: " << text_of(cell) << '\n';
  }
  if (missed > kMissedShown) out << "  never hit: " << missed - kMissedShown << " more cells\n";
}

}  // namespace taintgraph::props
