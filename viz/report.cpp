#include "viz/report.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "viz/carrier.hpp"
#include "viz/dot.hpp"
#include "viz/label.hpp"
#include "viz/snapshot_index.hpp"

namespace taintgraph::viz {
namespace {

constexpr std::size_t kReportNameLength = 40;
constexpr std::size_t kReportDetailLength = 100;
constexpr std::size_t kRefs = 4;  // of a skip, each way
constexpr std::size_t kSuspects = 16;

template <class Element, class Range>
std::string refs_text(const std::vector<Element>& elements, Range range_of) {
  std::string text;
  for (std::size_t at = 0; at < elements.size(); ++at) {
    if (at == kRefs) return text + " and " + std::to_string(elements.size() - at) + " more";
    const traces::SnapshotRange& range = range_of(elements[at]);
    text += (at > 0 ? ", " : "") + label(range.buffer, kReportNameLength) + " " + range_text(range.begin, range.end);
  }
  return text.empty() ? "nothing" : text;
}

class Report {
 public:
  explicit Report(const SnapshotIndex& index) : index_(index) {}

  std::string write(const std::vector<std::size_t>& failures, const std::optional<std::string>& focus) {
    line(0, snapshot_name(index_.snapshot()));
    line(0, snapshot_counts(index_, focus));
    for (std::size_t at = 0; at < failures.size(); ++at) {
      if (at == kMaxReportFailures) {
        line(0, "");
        line(0, "and " + count_text(failures.size() - at, "more failure", "more failures"));
        break;
      }
      line(0, "");
      describe(failures[at]);
    }
    return std::move(text_);
  }

 private:
  void line(std::size_t indent, const std::string& words) {
    if (!words.empty()) text_ += std::string(indent, ' ') + words;
    text_ += '\n';
  }

  void describe(std::size_t at) {
    const traces::SnapshotFailure& failure = index_.snapshot().failures[at];
    line(0, failure_heading(failure));
    line(2, label(failure.what, kReportDetailLength) + ", operation " + std::to_string(failure.operation));
    line(2, error_text(failure));
    if (!failure.detail.empty()) line(2, label(failure.detail, kReportDetailLength));
    if (failure.poison) line(2, "all further device work is refused");
    describe_suspects(failure);
    describe_carriers(at, failure);
    describe_skips(failure);
  }

  // Newest first: what was queued last before the error showed is looked at first.
  void describe_suspects(const traces::SnapshotFailure& failure) {
    if (failure.suspects.empty()) return;
    line(2, "may be to blame, newest first");
    const std::size_t shown = std::min(failure.suspects.size(), kSuspects);
    for (std::size_t age = 0; age < shown; ++age) {
      const traces::SnapshotSuspect& suspect = failure.suspects[failure.suspects.size() - 1 - age];
      line(4, label(suspect.operation_name, kReportNameLength) + " (" + label(suspect.what, kReportNameLength) +
                  "), stream " + std::to_string(suspect.stream));
    }
    const std::uint64_t older = failure.suspects.size() - shown + failure.suspects_dropped;
    if (older > 0) line(4, "and " + count_text(older, "older one", "older ones"));
  }

  void describe_carriers(std::size_t at, const traces::SnapshotFailure& failure) {
    line(2, "carried by " + count_text(failure.carriers, "allocation", "allocations"));
    const std::vector<std::size_t>& carriers = index_.carriers(at);
    for (std::size_t each = 0; each < carriers.size(); ++each) {
      if (each == kMaxReportCarriers) {
        line(4, "and " + count_text(carriers.size() - each, "more allocation", "more allocations"));
        return;
      }
      const Carrier carrier = describe_carrier(index_, at, carriers[each], kMaxReportPieces);
      const std::string name = label(index_.snapshot().buffers[carrier.buffer].name, kReportNameLength);
      if (carrier.unallocated) line(4, name + ": unallocated, no memory behind it");
      for (const CarriedPiece& piece : carrier.pieces) {
        line(4, name + " " + range_text(piece.range.begin, piece.range.end) + ": " +
                    chain_text(failure, piece.chain, kMaxReportHops));
      }
      if (carrier.more_pieces > 0)
        line(4, name + ": and " + count_text(carrier.more_pieces, "more range", "more ranges"));
    }
  }

  void describe_skips(const traces::SnapshotFailure& failure) {
    if (failure.skips_total == 0) return;
    std::string words = "skipped for it, newest first";
    if (failure.skips_total > failure.skips.size()) {
      words += " (" + std::to_string(failure.skips_total) + " in all, the oldest " +
               std::to_string(failure.skips_total - failure.skips.size()) + " dropped)";
    }
    line(2, words);
    for (auto skip = failure.skips.rbegin(); skip != failure.skips.rend(); ++skip) {
      const std::string inputs = refs_text(
          skip->inputs, [](const auto& input) -> const auto& { return input.range; });
      const std::string outputs = refs_text(
          skip->outputs, [](const auto& output) -> const auto& { return output; });
      std::string sentence = label(skip->operation_name, kReportNameLength);
      sentence.append(" (").append(label(skip->kernel, kReportNameLength)).append("): needs ").append(inputs);
      line(4, sentence.append("; leaves unwritten ").append(outputs));
    }
  }

  const SnapshotIndex& index_;
  std::string text_;
};

}  // namespace

std::string report_text(const traces::Snapshot& snapshot, const std::optional<std::string>& focus) {
  const SnapshotIndex index(snapshot);
  return Report(index).write(index.failures_in_focus(focus), focus);
}

}  // namespace taintgraph::viz
