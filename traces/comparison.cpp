#include "traces/comparison.hpp"

#include <algorithm>

#include "core/work_log.hpp"

namespace taintgraph::traces {
namespace {

constexpr std::size_t kBytesPerMismatch = 64;

std::string list_text(const std::vector<NameId>& ids, const NameTable& names) {
  std::string text = "[";
  for (const NameId id : ids) text += (text.size() > 1 ? ", " : "") + visible(names.text(id));
  return text + "]";
}

bool queues_work(OpKind kind) {
  return kind == OpKind::write || kind == OpKind::launch || kind == OpKind::copy || kind == OpKind::read ||
         kind == OpKind::relocate || kind == OpKind::replay;
}

bool matches(const std::vector<NameId>& expected, const std::vector<std::uint64_t>& found,
             const OperationNames& names) {
  return std::equal(expected.begin(), expected.end(), found.begin(), found.end(),
                    [&](NameId id, std::uint64_t ordinal) { return names.matches(id, ordinal); });
}

}  // namespace

void OperationNames::remember(const Operation& operation, std::uint64_t ordinal, const StepResult& result) {
  if (!result.suspects.empty())
    for (const auto& [stream, newest] : work_)
      for (const auto& [worked, id] : newest)
        if (std::binary_search(result.suspects.begin(), result.suspects.end(), worked)) ids_[worked] = id;
  if (operation.id == NameId::none) return;
  const bool may_be_named =
      result.outcome == Outcome::failed || result.outcome == Outcome::skipped || operation.kind == OpKind::alloc;
  if (may_be_named) ids_[ordinal] = operation.id;
  if (!queues_work(operation.kind)) return;
  auto& newest = work_[operation.stream];
  newest.emplace_back(ordinal, operation.id);
  if (newest.size() > core::WorkLog::kPerStream) newest.pop_front();
}

std::string OperationNames::text(std::uint64_t ordinal) const {
  const auto found = ids_.find(ordinal);
  return found == ids_.end() ? "#" + std::to_string(ordinal) : names_.text(found->second);
}

bool OperationNames::matches(NameId expected, std::uint64_t ordinal) const {
  const auto found = ids_.find(ordinal);
  if (found != ids_.end() && found->second == expected) return true;
  return names_.text(expected) == "#" + std::to_string(ordinal);
}

std::vector<Mismatch> compare(const Operation& operation, const StepResult& result, const OperationNames& names) {
  std::vector<Mismatch> mismatches;
  if (const Expectation* expect = operation.expect()) {
    if (expect->outcome && *expect->outcome != result.outcome)
      mismatches.push_back(
          {"outcome", std::string(to_string(*expect->outcome)), std::string(to_string(result.outcome))});
    if (expect->roots && !matches(*expect->roots, result.roots, names))
      mismatches.push_back({"roots", list_text(*expect->roots, names.names()), list_text(result.roots, names)});
    if (expect->via && !matches(*expect->via, result.via, names))
      mismatches.push_back({"via", list_text(*expect->via, names.names()), list_text(result.via, names)});
    if (expect->error && gpu::row(*expect->error).name != result.error)
      mismatches.push_back({"error", std::string(gpu::row(*expect->error).name), std::string(result.error)});
    if (expect->bytes && (result.outcome != Outcome::ok || *expect->bytes != result.bytes))
      mismatches.push_back(
          {"bytes", hex_text(*expect->bytes, kBytesPerMismatch), hex_text(result.bytes, kBytesPerMismatch)});
    if (expect->fill) {
      const bool same =
          result.outcome == Outcome::ok && std::all_of(result.bytes.begin(), result.bytes.end(),
                                                       [&](std::uint8_t byte) { return byte == *expect->fill; });
      if (!same)
        mismatches.push_back({"fill", std::to_string(*expect->fill), hex_text(result.bytes, kBytesPerMismatch)});
    }
  }
  for (const std::string& failed : result.failed_checks) mismatches.push_back({"check", {}, failed});
  for (const std::string& finding : result.findings) mismatches.push_back({"finding", {}, finding});
  return mismatches;
}

std::string to_string(const Mismatch& mismatch) {
  if (mismatch.expected.empty()) return mismatch.what + ": " + mismatch.found;
  return mismatch.what + ": expected " + mismatch.expected + ", found " + mismatch.found;
}

std::string list_text(const std::vector<std::uint64_t>& ordinals, const OperationNames& names) {
  std::string text = "[";
  for (const std::uint64_t ordinal : ordinals) text += (text.size() > 1 ? ", " : "") + visible(names.text(ordinal));
  return text + "]";
}

std::string visible(std::string_view name) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char each : name) {
    const auto byte = static_cast<unsigned char>(each);
    if (byte >= 0x20 && byte != 0x7F) {
      text += each;
    } else {
      text += "\\x";
      text += kDigits[byte >> 4];
      text += kDigits[byte & 15];
    }
  }
  return text;
}

std::string hex_text(const std::vector<std::uint8_t>& bytes, std::size_t limit) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < std::min(limit, bytes.size()); ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  if (bytes.size() > limit) text += "... (" + std::to_string(bytes.size() - limit) + " more bytes)";
  return text;
}

}  // namespace taintgraph::traces
