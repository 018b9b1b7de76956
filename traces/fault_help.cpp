#include "traces/fault_help.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>
#include <string_view>

#include "gpu/fault_table.hpp"

namespace taintgraph::traces {
namespace {

std::string_view when_text(gpu::FaultWhen when) {
  switch (when) {
    case gpu::FaultWhen::before:
      return "before";
    case gpu::FaultWhen::after:
      return "after";
    case gpu::FaultWhen::async:
      return "async";
  }
  return "";
}

// What makes work possible again once it has poisoned the device.
std::string_view recovery_text(const gpu::FaultRow& row) {
  if (!row.sticky) return "no";
  return row.recovery == gpu::FaultRecovery::context ? "reset" : "new process";
}

// All calls may return some kinds, and a few calls others.
std::string calls_text(const gpu::FaultRow& row) {
  constexpr std::size_t kShown = 3;
  if (row.calls.empty()) return "none that is made here";
  std::string text;
  const std::size_t shown = row.calls.size() > kShown + 1 ? kShown : row.calls.size();
  for (std::size_t i = 0; i < shown; ++i) text += (i > 0 ? ", " : "") + std::string(gpu::to_string(row.calls[i]));
  if (shown < row.calls.size()) text += " and " + std::to_string(row.calls.size() - shown) + " more";
  return text;
}

}  // namespace

std::string fault_kinds_text() {
  std::size_t widest = 0;
  for (const gpu::FaultRow& row : gpu::fault_table()) widest = std::max(widest, row.name.size());
  const auto name_width = static_cast<int>(widest) + 2;
  std::ostringstream text;
  text << std::left << std::setw(name_width) << "kind" << std::setw(6) << "code" << std::setw(8) << "when"
       << std::setw(13) << "poisons"
       << "calls that may return or cause it\n";
  for (const gpu::FaultRow& row : gpu::fault_table()) {
    if (!row.injectable) continue;
    text << std::setw(name_width) << row.name << std::setw(6) << row.code << std::setw(8) << when_text(row.when)
         << std::setw(13) << recovery_text(row) << calls_text(row) << '\n';
  }
  text << "\n\"when\" is what a bare \"fault\":\"kind\" means. What poisons the device holds it until a reset, or "
          "until the end\n"
          "of the process. The table is gpu/fault_table.cpp; CUDA's manuals explain the codes.\n";
  return text.str();
}

}  // namespace taintgraph::traces
