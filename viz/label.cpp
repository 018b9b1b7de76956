#include "viz/label.hpp"

#include <array>
#include <optional>

namespace taintgraph::viz {
namespace {

// Advance widths of Helvetica for 0x20 to 0x7e, in thousandths of the font size.
constexpr std::array<std::uint16_t, 95> kHelvetica = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};
constexpr unsigned kOtherWidth = 600;   // Latin, Greek and Cyrillic beyond ASCII, on average
constexpr unsigned kWideWidth = 1000;   // from U+1100 on: ideographs, Hangul, symbols
constexpr unsigned kRoomPercent = 115;  // DejaVu Sans, the usual stand-in, is wider by about this much
constexpr unsigned kBoldPercent = 108;

struct Decoded {
  char32_t code = 0;
  std::size_t length = 1;  // bytes consumed
  bool good = false;
};

// One code point at the start of `text`. Requires: `text` is not empty.
Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1, true};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return {first, 1, false};
  char32_t code = first & (0x7FU >> length);
  for (std::size_t at = 1; at < length; ++at) {
    if ((byte(at) & 0xC0U) != 0x80U) return {first, 1, false};
    code = (code << 6) | (byte(at) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> smallest = {0, 0, 0x80, 0x800, 0x10000};
  if (code < smallest[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {first, 1, false};
  return {code, length, true};
}

// Characters that cannot be seen, that change the text around them, or that XML refuses.
bool hidden(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code <= 0xA0) || code == 0xAD || code == 0x061C ||
         (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202F) ||
         (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF || (code >= 0xFFF9 && code <= 0xFFFB) ||
         (code & 0xFFFEU) == 0xFFFEU || (code >= 0xE0000 && code <= 0xE0FFF);
}

std::string hexadecimal(char32_t value, std::size_t min_digits) {
  std::string digits;
  for (; value != 0 || digits.size() < min_digits; value >>= 4)
    digits.insert(digits.begin(), "0123456789abcdef"[value & 15U]);
  return digits;
}

std::string written_out(const Decoded& piece) {
  if (piece.code == U'\n') return "\\n";
  if (piece.code == U'\t') return "\\t";
  if (piece.code == U'\r') return "\\r";
  if (!piece.good || piece.code < 0x80) return "\\x" + hexadecimal(piece.code, 2);
  return "\\u{" + hexadecimal(piece.code, 1) + "}";
}

}  // namespace

std::string visible(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Decoded piece = decode(text);
    if (piece.good && !hidden(piece.code)) {
      result += text.substr(0, piece.length);
    } else {
      result += written_out(piece);
    }
    text.remove_prefix(piece.length);
  }
  return result;
}

std::string shorten(std::string_view text, std::size_t max_characters) {
  std::size_t characters = 0;
  std::size_t kept_bytes = 0;  // of max_characters - 1 characters
  for (std::size_t at = 0; at < text.size(); at += decode(text.substr(at)).length) {
    if (characters + 1 == max_characters) kept_bytes = at;
    if (++characters > max_characters) return std::string(text.substr(0, kept_bytes)) + "…";
  }
  return std::string(text);
}

std::string label(std::string_view text, std::size_t max_characters) { return shorten(visible(text), max_characters); }

std::string xml_escape(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char character : text) {
    switch (character) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      case '\\':  // DOT would take it for the start of an escape sequence
        result += "&#92;";
        break;
      default:
        result += character;
    }
  }
  return result;
}

std::string dot_quote(std::string_view text) {
  std::string result = "\"";
  for (const char character : text) {
    if (character == '"' || character == '\\') result += '\\';
    result += character;
    if (character == '&') result += "amp;";
  }
  return result + '"';
}

unsigned text_width(std::string_view text, unsigned size_points, bool bold) {
  std::uint64_t thousandths = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Decoded piece = decode(text.substr(at));
    if (piece.code >= 0x20 && piece.code <= 0x7E) {
      thousandths += kHelvetica[piece.code - 0x20];
    } else {
      thousandths += piece.code < 0x1100 || (piece.code >= 0x2000 && piece.code < 0x2100) ? kOtherWidth : kWideWidth;
    }
    at += piece.length;
  }
  const std::uint64_t percent = bold ? kRoomPercent * kBoldPercent / 100 : kRoomPercent;
  return static_cast<unsigned>(thousandths * size_points * percent / 100'000) + 1;
}

std::string range_text(std::uint64_t begin, std::uint64_t end) {
  return "[" + std::to_string(begin) + ", " + std::to_string(end) + ")";
}

std::string count_text(std::uint64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

}  // namespace taintgraph::viz
