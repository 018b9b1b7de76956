#include "core/failure.hpp"

#include <algorithm>

namespace taintgraph::core {
namespace {

std::string to_string(const WeakBinding& binding) {
  return "buffer " + std::to_string(binding.buffer.slot()) + "." + std::to_string(binding.buffer.generation()) + " [" +
         std::to_string(binding.range.begin) + ", " + std::to_string(binding.range.end) + ")";
}

// Kernel names and compile logs come from outside: a report stays short and on its lines whatever they hold.
std::string shortened(std::string_view text) {
  constexpr std::size_t kLongest = 160;
  std::size_t end = std::min(text.size(), kLongest);
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end;  // whole characters
  std::string line(text.substr(0, end));
  for (char& each : line)
    if (static_cast<unsigned char>(each) < 0x20 || each == 0x7F) each = ' ';
  return end < text.size() ? line + "..." : line;
}

std::string to_string(const ClaimedInput& input) {
  return to_string(input.binding) + " claimed by #" + std::to_string(input.failure.value());
}

std::string number(Correlation correlation) { return std::to_string(static_cast<std::uint64_t>(correlation)); }

std::string hop_text(const SkipRecord& skip) {
  constexpr std::size_t kNamedInputs = 4;
  std::string text = "\n  skipped `" + shortened(skip.kernel) + "`, operation " + number(skip.correlation) +
                     ": it needed " + to_string(skip.inputs.front());
  for (std::size_t i = 1; i < std::min(skip.inputs.size(), kNamedInputs); ++i) text += ", " + to_string(skip.inputs[i]);
  if (skip.inputs.size() > kNamedInputs)
    text += " and " + std::to_string(skip.inputs.size() - kNamedInputs) + " other claimed inputs";
  return text;
}

std::string suspects_text(const Suspects& suspects) {
  constexpr std::size_t kNamed = 16;
  const std::vector<Suspect>& newest = suspects.newest;
  const std::size_t named = std::min(newest.size(), kNamed);
  const std::uint64_t others = newest.size() - named + suspects.dropped;
  std::string text;
  if (others > 0) text += "\n  (" + std::to_string(others) + " older ones may be to blame, too)";
  for (std::size_t i = newest.size() - named; i < newest.size(); ++i)
    text += "\n  may be to blame: `" + shortened(newest[i].kernel) + "`, operation " + number(newest[i].correlation) +
            " on stream " + std::to_string(index(newest[i].stream));
  return text;
}

}  // namespace

std::string to_string(const FailureReport& report) {
  std::string text = "failure #" + std::to_string(report.failure.value()) + " of operation " +
                     number(report.correlation) + ": " + std::string(report.root.name);
  if (!report.root.call.empty())
    text += " from " + std::string(report.root.call) + " (code " + std::to_string(report.root.code) + ")";
  text += ", carried by " + std::to_string(report.carriers) + " allocation(s)";
  if (!report.root.detail.empty()) text += ": " + shortened(report.root.detail);
  for (const SkipRecord& skip : report.chain) text += hop_text(skip);
  if (report.dropped_records > 0)
    text += "\n  (" + std::to_string(report.dropped_records) + " older skips are no longer on record)";
  return text + suspects_text(report.suspects);
}

}  // namespace taintgraph::core
