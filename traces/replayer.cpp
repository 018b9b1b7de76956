#include "traces/replayer.hpp"

#include <utility>

namespace taintgraph::traces {

Replayer::Replayer(const Header& header, const NameTable& names, const SessionOptions& options, Observer observer)
    : session_(header, names, options), operation_names_(names), observer_(std::move(observer)) {}

void Replayer::execute(const Operation& operation) {
  const StepResult result = session_.execute(operation);
  operation_names_.remember(operation, session_.operations(), result);
  const std::vector<Mismatch> found = compare(operation, result, operation_names_);
  mismatches_ += found.size();
  if (observer_) observer_(operation, result, found);
}

void Replayer::compare_end(const End& end) {
  const std::string expected = fingerprint_text(end.fingerprint);
  const std::string found = fingerprint_text(session_.fingerprint());
  if (expected == found) return;
  whole_run_.push_back({"fingerprint", expected, found});
  ++mismatches_;
}

void Replayer::finish() {
  for (std::string& left : session_.finish()) {
    whole_run_.push_back({"end", {}, std::move(left)});
    ++mismatches_;
  }
}

std::string fingerprint_text(std::uint64_t fingerprint) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t i = 0; i < 16; ++i) text[15 - i] = kDigits[(fingerprint >> (4 * i)) & 15];
  return text;
}

}  // namespace taintgraph::traces
