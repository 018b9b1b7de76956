#include "traces/internal/json_scanner.hpp"

#include <array>
#include <unordered_set>
#include <utility>

#include "traces/internal/json_text.hpp"

namespace taintgraph::traces::internal {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_digit(int c) { return c >= '0' && c <= '9'; }

// What stands under the cursor, for a message.
std::string describe_byte(int c, TextWindow& window) {
  if (c == TextWindow::kNothing) return "the end of the file";
  if (c == '\n') return "the end of the line";
  if (c >= 0x20 && c < 0x7F) return std::string("'") + static_cast<char>(c) + "'";
  while (window.end() - window.at() < 4 && window.more()) {
  }
  const std::string_view ahead(window.at(), static_cast<std::size_t>(window.end() - window.at()));
  if (ahead.substr(0, kByteOrderMark.size()) == kByteOrderMark) return "a byte order mark";
  if (c >= 0x80 && utf8_length(ahead) == 0) return "bytes that are not UTF-8";
  if (c >= 0x80) return in_quotes(ahead.substr(0, utf8_length(ahead)));
  constexpr std::string_view digits = "0123456789abcdef";
  return std::string("the control character 0x") + digits[static_cast<std::size_t>(c >> 4)] +
         digits[static_cast<std::size_t>(c & 15)];
}

}  // namespace

std::string_view describe(ValueKind kind) {
  constexpr std::array<std::string_view, 7> names = {"nothing",  "an object", "a list", "a string",
                                                     "a number", "a boolean", "null"};
  return names[static_cast<std::size_t>(kind)];
}

void JsonScanner::fail(Place place, std::string message) {
  if (failed_) return;
  failed_ = true;
  problems_.add(place, std::move(message));
}

void JsonScanner::fail_here(std::string_view expected) {
  const int c = window_.current();
  if (window_.over_limit()) {
    fail_limit();
  } else if (window_.broken()) {
    fail(place(), "the file cannot be read on; expected " + std::string(expected));
  } else {
    const Place here = place();
    fail(here, "expected " + std::string(expected) + ", found " + describe_byte(c, window_));
  }
}

void JsonScanner::fail_limit() {
  fail(window_.unit_place(), line_mode_ ? "the line is over 1 MiB; expected at most 1048576 bytes"
                                        : "the operation or header is over 1 MiB; expected at most 1048576 bytes");
}

void JsonScanner::recover_line() {
  window_.skip_line();
  restart(0);
}

void JsonScanner::restart(std::size_t depth) {
  failed_ = false;
  fresh_ = false;
  depth_ = depth;
}

void JsonScanner::skip_space_slowly() {
  for (;;) {
    const int c = window_.current();
    if (c == '\n' && !line_mode_) {
      window_.advance();
      window_.newline_passed();
    } else if (c == ' ' || c == '\t' || c == '\r') {
      window_.advance();
    } else {
      return;
    }
  }
}

bool JsonScanner::at_end_of_input() {
  skip_space();
  return window_.current() == TextWindow::kNothing && !window_.over_limit() && !window_.broken();
}

bool JsonScanner::at_end_of_line() {
  skip_space();
  return window_.current() == '\n' || at_end_of_input();
}

ValueKind JsonScanner::peek() {
  if (failed_) return ValueKind::nothing;
  skip_space();
  const int c = window_.current();
  switch (c) {
    case '{':
      return ValueKind::object;
    case '[':
      return ValueKind::array;
    case '"':
      return ValueKind::string;
    case 't':
      return word_ahead("true") ? ValueKind::boolean : ValueKind::nothing;
    case 'f':
      return word_ahead("false") ? ValueKind::boolean : ValueKind::nothing;
    case 'n':
      return word_ahead("null") ? ValueKind::null : ValueKind::nothing;
    default:
      break;
  }
  if (c == '-' || is_digit(c)) return ValueKind::number;
  if (c == 'N' || c == 'I') {
    fail(place(), "NaN and Infinity are not JSON; expected a value");
  } else {
    fail_here("a value");
  }
  return ValueKind::nothing;
}

void JsonScanner::enter() {
  if (depth_ == kMaxNesting) {
    fail(place(), "nesting is deeper than 32; expected at most 32");
    return;
  }
  ++depth_;
  fresh_ = true;
  window_.advance();
}

// Moves to the next member or element; false behind the container's end.
bool JsonScanner::next(char close, std::string_view expected) {
  if (failed_) return false;
  skip_space();
  const int c = window_.current();
  if (c == close) {
    window_.advance();
    --depth_;
    fresh_ = false;
    return false;
  }
  if (fresh_) {
    fresh_ = false;
    return true;
  }
  if (c != ',') {
    fail_here(expected);
    return false;
  }
  window_.advance();
  skip_space();
  if (window_.current() == close) {
    fail(place(), std::string("a comma before '") + close + "'; expected one more value, or no comma");
    return false;
  }
  return true;
}

bool JsonScanner::next_member() {
  if (!next('}', "',' or '}'")) return false;
  if (window_.current() != '"') {
    fail_here("a member's name in double quotes");
    return false;
  }
  key_place_ = place();
  key_ = string();
  skip_space();
  if (!failed_ && window_.current() != ':') fail_here("':' after the member's name");
  if (failed_) return false;
  window_.advance();
  return true;
}

bool JsonScanner::next_element() { return next(']', "',' or ']'"); }

bool JsonScanner::digits(Number* number) {
  if (!is_digit(window_.current())) {
    fail_here("a digit");
    return false;
  }
  for (int c = window_.current(); is_digit(c); c = window_.current()) {
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (number != nullptr && number->kind == Number::Kind::whole) {
      if (number->value > (~std::uint64_t{0} - digit) / 10) {
        number->kind = Number::Kind::too_large;
      } else {
        number->value = number->value * 10 + digit;
      }
    }
    window_.advance();
  }
  return true;
}

Number JsonScanner::number() {
  Number number;
  const bool negative = window_.current() == '-';
  if (negative) window_.advance();
  const bool zero_first = window_.current() == '0';
  const Place first = place();
  const std::size_t begin = window_.unit_bytes();
  if (!digits(&number)) return {};
  if (zero_first && window_.unit_bytes() - begin > 1) fail(first, "a number may not begin with 0; expected one digit");
  if (window_.current() == '.') {
    number.kind = Number::Kind::fraction;
    window_.advance();
    if (!digits(nullptr)) return {};
  }
  if (const int c = window_.current(); c == 'e' || c == 'E') {
    number.kind = Number::Kind::fraction;
    window_.advance();
    if (const int sign = window_.current(); sign == '+' || sign == '-') window_.advance();
    if (!digits(nullptr)) return {};
  }
  if (negative && number.kind != Number::Kind::fraction) number.kind = Number::Kind::negative;
  return number;
}

// Whether `word` stands under the cursor; fatal if not.
bool JsonScanner::word_ahead(std::string_view word) {
  const auto ahead = [&] { return static_cast<std::size_t>(window_.end() - window_.at()); };
  while (ahead() < word.size() && window_.more()) {
  }
  if (std::string_view(window_.at(), ahead()).substr(0, word.size()) == word) return true;
  fail(place(), "a word that is not JSON; expected true, false or null, or a value of another type");
  return false;
}

void JsonScanner::literal() {
  const std::size_t length = *window_.at() == 'f' ? 5 : 4;
  window_.move_to(window_.at() + length);
}

void JsonScanner::skip() {
  switch (peek()) {
    case ValueKind::nothing:
      return;
    case ValueKind::object:
      skip_object();
      return;
    case ValueKind::array: {
      enter();
      for (std::uint64_t i = 0; next_element(); ++i) {
        const PathStep step(problems_, i);
        skip();
      }
      return;
    }
    case ValueKind::string:
      (void)string();
      return;
    case ValueKind::number:
      (void)number();
      return;
    case ValueKind::boolean:
    case ValueKind::null:
      literal();
      return;
  }
}

void JsonScanner::skip_object() {
  enter();
  if (problems_.muted()) {
    while (next_member()) skip();
    return;
  }
  std::unordered_set<std::string> keys;
  while (next_member()) {
    const auto [key, is_new] = keys.insert(key_);  // its strings stay where they are
    const PathStep step(problems_, *key);
    if (!is_new) problems_.add(key_place_, "duplicate key " + in_quotes(*key) + "; expected each key once");
    skip();
  }
}

}  // namespace taintgraph::traces::internal
