#include "traces/internal/problem_list.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "traces/internal/json_text.hpp"

namespace taintgraph::traces::internal {
namespace {

// Long enough to recognise a name, short enough for one line of a terminal.
constexpr std::size_t kMaxQuotedBytes = 64;

// RFC 6901: '~' and '/' are escaped. The rest is escaped as in JSON, so that a pointer is always one printable line.
std::string pointer_token(std::string_view key) {
  std::string token;
  for (const char c : key) {
    if (c == '~') {
      token += "~0";
    } else if (c == '/') {
      token += "~1";
    } else {
      token += c;
    }
  }
  const std::string shown = in_quotes(token);
  return shown.substr(1, shown.size() - 2);
}

}  // namespace

void ProblemList::add(Place place, std::string message) {
  if (muted_ || full()) return;
  add_at(place, std::move(message), pointer());
}

void ProblemList::add_at(Place place, std::string message, std::string pointer) {
  if (muted_ || full()) return;
  problems_.push_back({place.line, place.column, std::move(message), std::move(pointer)});
}

std::string ProblemList::pointer() const {
  std::vector<const PathStep*> steps;
  for (const PathStep* step = innermost_; step != nullptr; step = step->outer_) steps.push_back(step);
  std::string text;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    text += '/';
    text += (*step)->is_index_ ? std::to_string((*step)->index_) : pointer_token((*step)->key_);
  }
  return text;
}

std::vector<Problem> ProblemList::take() {
  std::stable_sort(problems_.begin(), problems_.end(), [](const Problem& a, const Problem& b) {
    return std::tie(a.line, a.column) < std::tie(b.line, b.column);
  });
  return std::exchange(problems_, {});
}

std::string in_quotes(std::string_view text) {
  std::size_t kept = std::min(text.size(), kMaxQuotedBytes);
  // Cut before a character, not inside one.
  while (kept < text.size() && kept > 0 && (static_cast<unsigned char>(text[kept]) & 0xC0U) == 0x80U) --kept;
  std::string shown = "\"";
  append_json_escaped(shown, text.substr(0, kept));
  if (kept < text.size()) shown += "...";
  shown += '"';
  return shown;
}

}  // namespace taintgraph::traces::internal
