// The strings of JsonScanner: bytes without escapes are handed out where they lie, others are decoded.

#include <array>

#include "traces/internal/json_scanner.hpp"
#include "traces/internal/json_text.hpp"

namespace taintgraph::traces::internal {
namespace {

// Bytes that a string may hold as they are: printable ASCII but quote and backslash.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x80; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

constexpr std::string_view kTooLong = "the string is over 64 KiB; expected at most 65536 bytes";

// Moves over plain bytes.
void skip_plain(TextWindow& window) {
  const char* at = window.at();
  const char* const end = window.end();
  while (at != end && kPlain[static_cast<unsigned char>(*at)]) ++at;
  window.move_to(at);
}

}  // namespace

std::string_view JsonScanner::string() {
  const Place start = place();
  window_.advance();
  const std::size_t begin = window_.unit_bytes();
  for (;;) {
    skip_plain(window_);
    const int c = window_.current();
    if (kPlain[static_cast<unsigned char>(c)] && c != TextWindow::kNothing) continue;  // more was read
    if (c == '"') {
      const std::string_view text = window_.since(begin);
      window_.advance();
      if (text.size() > kMaxStringBytes) fail(start, std::string(kTooLong));
      return text;
    }
    if (c == '\\') {
      decoded_ = window_.since(begin);
      return escaped(start) ? std::string_view(decoded_) : std::string_view();
    }
    if (!multibyte()) return {};
  }
}

// From the first backslash on, appending to decoded_.
bool JsonScanner::escaped(Place start) {
  for (;;) {
    const std::size_t begin = window_.unit_bytes();
    skip_plain(window_);
    decoded_ += window_.since(begin);
    const int c = window_.current();
    if (kPlain[static_cast<unsigned char>(c)] && c != TextWindow::kNothing) continue;
    if (c == '"') {
      window_.advance();
      if (decoded_.size() > kMaxStringBytes) fail(start, std::string(kTooLong));
      return !failed_;
    }
    if (c == '\\') {
      constexpr std::string_view names = "\"\\/bfnrt";
      constexpr std::string_view values = "\"\\/\b\f\n\r\t";
      window_.advance();
      const int escape = window_.current();
      const std::size_t which =
          escape == TextWindow::kNothing ? std::string_view::npos : names.find(static_cast<char>(escape));
      if (which != std::string_view::npos) {
        window_.advance();
        decoded_ += values[which];
      } else if (escape != 'u') {
        fail_here("one of \" \\ / b f n r t u after a backslash");
        return false;
      } else if (!unicode_escape()) {
        return false;
      }
    } else {
      const std::size_t character = window_.unit_bytes();
      if (!multibyte()) return false;
      decoded_ += window_.since(character);
    }
  }
}

// From the 'u' of an escape on; both halves of a surrogate pair.
bool JsonScanner::unicode_escape() {
  const Place start = place();
  const auto lone = [&] {
    fail(start, "half of a surrogate pair stands alone; expected \\uD800 to \\uDBFF before \\uDC00 to \\uDFFF");
    return false;
  };
  std::uint32_t unit = 0;
  window_.advance();
  if (!four_hex_digits(unit)) return false;
  if (unit >= 0xDC00 && unit <= 0xDFFF) return lone();
  if (unit >= 0xD800 && unit <= 0xDBFF) {
    for (const char c : {'\\', 'u'}) {
      if (window_.current() != c) return lone();
      window_.advance();
    }
    std::uint32_t low = 0;
    if (!four_hex_digits(low)) return false;
    if (low < 0xDC00 || low > 0xDFFF) return lone();
    unit = 0x10000 + ((unit - 0xD800) << 10U) + (low - 0xDC00);
  }
  append_utf8(decoded_, unit);
  return true;
}

bool JsonScanner::four_hex_digits(std::uint32_t& value) {
  for (int i = 0; i < 4; ++i) {
    const int c = window_.current();
    const int digit = c == TextWindow::kNothing ? -1 : hex_value(static_cast<char>(c));
    if (digit < 0) {
      fail_here("four hex digits after \\u");
      return false;
    }
    value = value * 16 + static_cast<std::uint32_t>(digit);
    window_.advance();
  }
  return true;
}

// Moves over one character beyond ASCII; fatal if there is none.
bool JsonScanner::multibyte() {
  const int c = window_.current();
  if (c < 0x80) {  // a control character, or nothing
    fail_here("the end of the string, or an escape for a control character");
    return false;
  }
  while (window_.end() - window_.at() < 4 && window_.more()) {
  }
  const std::size_t length = utf8_length({window_.at(), static_cast<std::size_t>(window_.end() - window_.at())});
  if (length == 0) {
    fail(place(), "the text is not UTF-8; expected UTF-8");
    return false;
  }
  window_.move_to(window_.at() + length);
  return true;
}

}  // namespace taintgraph::traces::internal
