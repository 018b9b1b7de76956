#include "props/comparison.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "traces/comparison.hpp"

namespace taintgraph::props {
namespace {

using traces::Operation;
using traces::OpKind;
using traces::Outcome;
using traces::StepResult;

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::size_t kBytesShown = 16;

// The rule that an outcome follows from.
std::string_view outcome_property(const Operation& operation, Outcome expected) {
  switch (expected) {
    case Outcome::rejected:
      return "R4 outcome";
    case Outcome::poisoned:
      return "D1 outcome";
    case Outcome::skipped:
      return "W1 outcome";
    case Outcome::timeout:
      return "R3 outcome";
    case Outcome::unwritten:
      return operation.kind == OpKind::read ? "R1 outcome" : "W5 outcome";
    default:
      return operation.kind == OpKind::read ? "R1 outcome" : "W2 outcome";
  }
}

std::string count_text(std::uint64_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what);
}

std::string hex_text(reference::Value byte) {
  if (byte == reference::kUnknown) return "??";
  return {kHexDigits[byte >> 4], kHexDigits[byte & 15]};
}

// Bytes [begin, begin + kBytesShown), "??" where any value is right.
std::string expected_bytes(const Prediction& prediction, std::size_t begin) {
  std::string text = "from byte " + std::to_string(begin) + ":";
  const std::size_t end = std::min(prediction.bytes.size(), begin + kBytesShown);
  for (std::size_t i = begin; i < end; ++i) text += " " + hex_text(prediction.bytes[i]);
  return text;
}

std::string found_bytes(const StepResult& result, std::size_t begin) {
  std::string text = "from byte " + std::to_string(begin) + ":";
  const std::size_t end = std::min(result.bytes.size(), begin + kBytesShown);
  for (std::size_t i = begin; i < end; ++i) text += " " + hex_text(result.bytes[i]);
  return text;
}

Disagreement differing(std::string_view property, std::string expected, std::string found) {
  Disagreement result;
  result.property = property;
  result.expected = std::move(expected);
  result.found = std::move(found);
  return result;
}

std::string suspects_text(const std::vector<std::uint64_t>& newest, std::uint64_t dropped) {
  return list_of(newest) + (dropped == 0 ? "" : " and " + count_text(dropped, "older"));
}

std::optional<Disagreement> compare_bytes(const Prediction& expected, const StepResult& found) {
  if (expected.bytes.size() != found.bytes.size()) {
    return differing("R1 bytes", count_text(expected.bytes.size(), "bytes"), count_text(found.bytes.size(), "bytes"));
  }
  for (std::size_t i = 0; i < found.bytes.size(); ++i) {
    if (expected.bytes[i] == found.bytes[i] || expected.bytes[i] == reference::kUnknown) continue;
    return differing("R1 bytes", expected_bytes(expected, i), found_bytes(found, i));
  }
  return std::nullopt;
}

std::string told_text(std::uint64_t carriers, std::uint64_t dropped) {
  return count_text(carriers, "carriers") + ", " + count_text(dropped, "records dropped");
}

bool same(const std::vector<reference::ClaimedInput>& expected, const std::vector<traces::ReportedInput>& found) {
  const auto equal = [](const reference::ClaimedInput& one, const traces::ReportedInput& other) {
    return one.range == reference::Range{other.buffer, other.begin, other.end} && one.failure == other.root;
  };
  return std::equal(expected.begin(), expected.end(), found.begin(), found.end(), equal);
}

// In the words of what is found.
std::vector<traces::ReportedInput> reported(const std::vector<reference::ClaimedInput>& inputs) {
  std::vector<traces::ReportedInput> result;
  result.reserve(inputs.size());
  for (const reference::ClaimedInput& input : inputs)
    result.push_back({input.range.buffer, input.range.begin, input.range.end, input.failure});
  return result;
}

std::string input_text(const traces::ReportedInput& input) {
  return "buffer of #" + std::to_string(input.buffer) + " [" + std::to_string(input.begin) + ", " +
         std::to_string(input.end) + ") of #" + std::to_string(input.root);
}

std::string hop_text(const traces::ReportedHop& hop) {
  std::string text = hop.kernel;
  for (const traces::ReportedInput& input : hop.inputs) text += "; " + input_text(input);
  return text;
}

// What is told of each root, and of each hop of the chain (R2).
std::optional<Disagreement> compare_reports(const Prediction& expected, const StepResult& found) {
  if (expected.told.size() != found.reports.size() || expected.hops.size() != found.hops.size())
    return differing("R2 report",
                     count_text(expected.told.size(), "reports") + ", " + count_text(expected.hops.size(), "hops"),
                     count_text(found.reports.size(), "reports") + ", " + count_text(found.hops.size(), "hops"));
  for (std::size_t i = 0; i < found.reports.size(); ++i) {
    const Told& wanted = expected.told[i];
    const auto& told = found.reports[i];
    if (wanted.carriers == told.carriers && wanted.dropped_records == told.dropped_records) continue;
    return differing("R2 report", told_text(wanted.carriers, wanted.dropped_records),
                     told_text(told.carriers, told.dropped_records));
  }
  for (std::size_t i = 0; i < found.hops.size(); ++i) {
    const reference::Skip& wanted = expected.hops[i];
    const traces::ReportedHop& hop = found.hops[i];
    // A replay goes by whatever name the runtime has for it.
    const std::string_view kernel = wanted.kernel.empty() ? hop.kernel : wanted.kernel;
    if (kernel == hop.kernel && same(wanted.inputs, hop.inputs)) continue;
    return differing("R2 hop", hop_text({std::string(kernel), reported(wanted.inputs)}), hop_text(hop));
  }
  return std::nullopt;
}

std::string claims_text(const std::vector<traces::ReportedInput>& claims) {
  std::string text;
  for (const traces::ReportedInput& claim : claims) text += (text.empty() ? "" : "; ") + input_text(claim);
  return text.empty() ? "none" : text;
}

// What is said for a human is lines of text, and where memory was short it says how (D3).
std::optional<Disagreement> judge_detail(const Operation& operation, const StepResult& found) {
  const std::string& detail = found.detail;
  if (detail.empty()) {
    if (operation.kind != OpKind::alloc || found.error != "out_of_memory") return std::nullopt;
    return differing("D3 detail", "why the memory cannot be had", "nothing");
  }
  const bool torn = detail.find('\0') != std::string::npos || detail.find("\n\n") != std::string::npos ||
                    detail.starts_with('\n') || detail.ends_with('\n');
  if (torn) return differing("D3 detail", "lines of text", traces::visible(detail));
  return std::nullopt;
}

// Whose every byte is of what the operation is about (B1).
std::optional<Disagreement> compare_claims(const Prediction& expected, const StepResult& found) {
  if (same(expected.claims, found.claims)) return std::nullopt;
  return differing("B1 claims", claims_text(reported(expected.claims)), claims_text(found.claims));
}

std::string outcome_text(Outcome outcome, const std::vector<std::uint64_t>& roots, std::string_view error) {
  std::string text(traces::to_string(outcome));
  if (!roots.empty()) text += ", roots " + list_of(roots);
  if (!error.empty()) text += " (" + std::string(error) + ")";
  return text;
}

}  // namespace

std::string list_of(const std::vector<std::uint64_t>& ordinals) {
  std::string text;
  for (const std::uint64_t ordinal : ordinals) text += (text.empty() ? "#" : ", #") + std::to_string(ordinal);
  return text.empty() ? "none" : text;
}

std::string_view property_of_finding(std::string_view finding) {
  struct Row {
    std::string_view beginning;
    std::string_view property;
  };
  constexpr std::array<Row, 9> kRows = {{{"race: ", "race"},
                                         {"undeclared access: ", "undeclared access"},
                                         {"use after free: ", "use after free"},
                                         {"freed while in use: ", "freed while in use"},
                                         {"unallocated memory: ", "unallocated memory"},
                                         {"leaked: ", "leak"},
                                         {"everything is freed and ", "leak"},
                                         {"C2: ", "empty graph"},
                                         {"teardown: ", "teardown"}}};
  for (const Row& row : kRows) {
    if (finding.substr(0, row.beginning.size()) == row.beginning) return row.property;
  }
  return "misuse of the driver";
}

std::optional<Disagreement> compare(const Operation& operation, const Prediction& expected, const StepResult& found) {
  if (!found.findings.empty()) {
    return differing(property_of_finding(found.findings[0]), "no finding", found.findings[0]);
  }
  if (!found.failed_checks.empty()) return differing("check", "every part of it holds", found.failed_checks[0]);
  if (expected.outcome != found.outcome) {
    return differing(outcome_property(operation, expected.outcome),
                     outcome_text(expected.outcome, expected.roots, expected.error),
                     outcome_text(found.outcome, found.roots, found.error));
  }
  if (expected.roots != found.roots) {
    return differing(operation.kind == OpKind::read ? "R1 roots" : "W1 roots", list_of(expected.roots),
                     list_of(found.roots));
  }
  if (expected.via != found.via) return differing("R2 chain", list_of(expected.via), list_of(found.via));
  if (auto report = compare_reports(expected, found)) return report;
  const bool same_suspects = expected.suspects == found.suspects && expected.suspects_dropped == found.suspects_dropped;
  if (!expected.suspects_open && !same_suspects) {
    return differing("D1 suspects", suspects_text(expected.suspects, expected.suspects_dropped),
                     suspects_text(found.suspects, found.suspects_dropped));
  }
  // A model that names no error leaves it open, unless there is nothing to name.
  if (expected.error != found.error && (!expected.error.empty() || expected.outcome == Outcome::ok)) {
    return differing("R2 error", std::string(expected.error), std::string(found.error));
  }
  if (auto detail = judge_detail(operation, found)) return detail;
  if (expected.outcome == Outcome::ok && operation.kind == OpKind::read) {
    if (auto bytes = compare_bytes(expected, found)) return bytes;
  }
  if (expected.failures != found.failures) {
    return differing("C1 failures", count_text(expected.failures, "failures"), count_text(found.failures, "failures"));
  }
  if (expected.tags != found.tags) {
    return differing("C2 tags", count_text(expected.tags, "tags"), count_text(found.tags, "tags"));
  }
  if (expected.bytes_in_use != found.bytes_in_use) {
    return differing("bytes in use", count_text(expected.bytes_in_use, "bytes"),
                     count_text(found.bytes_in_use, "bytes"));
  }
  return compare_claims(expected, found);
}

}  // namespace taintgraph::props
