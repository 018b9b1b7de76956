#include "core/failure.hpp"

namespace taintgraph::core {
namespace {

std::string to_string(const WeakBinding& binding) {
  return "buffer " + std::to_string(binding.buffer.slot()) + "." + std::to_string(binding.buffer.generation()) + " [" +
         std::to_string(binding.range.begin) + ", " + std::to_string(binding.range.end) + ")";
}

// Kernel names and compile logs come from outside; a report stays readable whatever they hold.
std::string shortened(std::string_view text) {
  constexpr std::size_t kLongest = 160;
  if (text.size() <= kLongest) return std::string(text);
  return std::string(text.substr(0, kLongest)) + "...";
}

}  // namespace

std::string to_string(const FailureReport& report) {
  std::string text = "failure #" + std::to_string(report.failure.value()) + ": " + std::string(report.root.name);
  if (!report.root.call.empty())
    text += " from " + std::string(report.root.call) + " (code " + std::to_string(report.root.code) + ")";
  text += ", carried by " + std::to_string(report.carriers) + " allocation(s)";
  if (!report.root.detail.empty()) text += ": " + shortened(report.root.detail);
  for (const SkipRecord& skip : report.chain) {
    text += "\n  skipped `" + shortened(skip.kernel) + "`: it needed " + to_string(skip.inputs.front().binding);
    if (skip.inputs.size() > 1) text += " (and " + std::to_string(skip.inputs.size() - 1) + " other claimed input(s))";
  }
  if (report.dropped_records > 0)
    text += "\n  (" + std::to_string(report.dropped_records) + " older skips are no longer on record)";
  return text;
}

}  // namespace taintgraph::core
