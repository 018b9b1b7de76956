// The small facts about JSON text that reader, writer and messages share: escaping, UTF-8, hex digits.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace taintgraph::traces::internal {

// Appends `text` (UTF-8) as it stands between the quotes of a JSON string. DEL is escaped too, for terminals.
void append_json_escaped(std::string& out, std::string_view text);
// The same with its quotes.
void append_json_string(std::string& out, std::string_view text);

// How many bytes the UTF-8 character at the start of `bytes` has; 0 if it is none: a stray or missing continuation
// byte, a form longer than needed, a surrogate, or a code point beyond U+10FFFF. Requires: `bytes` is not empty.
[[nodiscard]] std::size_t utf8_length(std::string_view bytes);

// Appends `code_point` as UTF-8. Requires: it is below 0x110000.
void append_utf8(std::string& out, std::uint32_t code_point);

// 0 to 15, or -1 if `digit` is no hex digit of either case.
[[nodiscard]] int hex_value(char digit);

// Two lower-case digits a byte.
void append_hex(std::string& out, std::span<const std::uint8_t> bytes);

}  // namespace taintgraph::traces::internal
