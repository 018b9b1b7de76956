#include "traces/step_text.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gpu/kernel_catalog.hpp"

namespace taintgraph::traces {
namespace {

constexpr std::size_t kBytesPerStep = 32;
constexpr std::size_t kShownDetail = 160;  // a compiler's log has no end
constexpr std::size_t kShownSuspects = 16;

std::string operation_text(const Operation& operation, const NameTable& names) {
  std::string text(to_string(operation.kind));
  if (operation.kind == OpKind::launch) text += " " + std::string(gpu::kernel_catalog()[operation.kernel].name);
  if (operation.buffer != NameId::none) text += " " + visible(names.text(operation.buffer));
  return text;
}

// Whom to blame for an error that surfaced.
std::string suspects_text(const StepResult& result, const OperationNames& names) {
  const std::size_t shown = std::min(result.suspects.size(), kShownSuspects);
  const std::uint64_t older = result.suspects.size() - shown + result.suspects_dropped;
  const std::vector<std::uint64_t> newest(result.suspects.end() - static_cast<std::ptrdiff_t>(shown),
                                          result.suspects.end());
  return ", may be to blame " + list_text(newest, names) +
         (older == 0 ? "" : " and " + std::to_string(older) + " older");
}

std::string list_json(const std::vector<std::uint64_t>& ordinals, const OperationNames& names) {
  std::string text = "[";
  for (const std::uint64_t ordinal : ordinals) text += (text.size() > 1 ? "," : "") + json_quoted(names.text(ordinal));
  return text + "]";
}

// A check has no outcome of its own: it holds or it does not.
std::string outcome_text(const StepResult& result) {
  return result.failed_checks.empty() ? std::string(to_string(result.outcome)) : "does not hold";
}

}  // namespace

std::string json_quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string step_text(const Operation& operation, std::uint64_t ordinal, const StepResult& result,
                      const OperationNames& names) {
  std::string text = "#" + std::to_string(ordinal);
  if (operation.id != NameId::none) text += " " + visible(names.names().text(operation.id));
  text += " " + operation_text(operation, names.names()) + " -> " + outcome_text(result);
  if (!result.roots.empty()) text += ", roots " + list_text(result.roots, names);
  if (!result.via.empty()) text += ", via " + list_text(result.via, names);
  if (!result.error.empty()) text += ", " + std::string(result.error);
  if (!result.detail.empty()) text += " (" + visible(result.detail.substr(0, kShownDetail)) + ")";
  if (result.outcome == Outcome::failed && !result.suspects.empty()) text += suspects_text(result, names);
  if (!result.bytes.empty()) text += ", bytes " + hex_text(result.bytes, kBytesPerStep);
  return text + "; failures " + std::to_string(result.failures) + ", tags " + std::to_string(result.tags);
}

std::string step_json(const Operation& operation, std::uint64_t ordinal, const StepResult& result,
                      const std::vector<Mismatch>& mismatches, const OperationNames& names) {
  std::string text = "{\"operation\":" + std::to_string(ordinal);
  if (operation.line > 0) text += ",\"line\":" + std::to_string(operation.line);
  if (operation.id != NameId::none) text += ",\"id\":" + json_quoted(names.names().text(operation.id));
  text += ",\"op\":" + json_quoted(to_string(operation.kind));
  text += ",\"outcome\":" + json_quoted(to_string(result.outcome));
  text += ",\"roots\":" + list_json(result.roots, names);
  if (operation.kind == OpKind::read && result.outcome == Outcome::unwritten)
    text += ",\"via\":" + list_json(result.via, names);
  if (!result.error.empty()) text += ",\"error\":" + json_quoted(result.error);
  if (!result.detail.empty()) text += ",\"detail\":" + json_quoted(result.detail);
  if (!result.suspects.empty())
    text += ",\"suspects\":" + list_json(result.suspects, names) +
            ",\"suspects_dropped\":" + std::to_string(result.suspects_dropped);
  if (operation.kind == OpKind::read && result.outcome == Outcome::ok)
    text += ",\"bytes\":\"" + hex_text(result.bytes) + "\"";
  text += ",\"failures\":" + std::to_string(result.failures) + ",\"tags\":" + std::to_string(result.tags);
  text += ",\"mismatches\":[";
  for (std::size_t i = 0; i < mismatches.size(); ++i) {
    const Mismatch& each = mismatches[i];
    text += (i > 0 ? "," : "") + ("{\"what\":" + json_quoted(each.what)) +
            ",\"expected\":" + json_quoted(each.expected) + ",\"found\":" + json_quoted(each.found) + "}";
  }
  return text + "]}";
}

}  // namespace taintgraph::traces
