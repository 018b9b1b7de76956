// Text as pictures need it: made safe, shortened, measured.
//
// Names in a trace are any bytes, so everything that is drawn passes visible() first: afterwards it is valid UTF-8 that
// holds no control, no line break and nothing that reorders or hides text. Quoting for a syntax (DOT, XML) comes last,
// on top of that.
//
// Widths are estimates from Helvetica's metrics with room for wider stand-ins, so that the size of a node depends on
// its text alone and never on the fonts of one machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace taintgraph::viz {

// What a picture has room for, in characters. Tables and reports have more.
inline constexpr std::size_t kPictureNameLength = 24;    // of a name in a heading
inline constexpr std::size_t kPictureDetailLength = 44;  // of an error and its detail

// `text` with every control, format or undecodable byte written out: "\n", "\x01", "\u{202e}".
[[nodiscard]] std::string visible(std::string_view text);

// The first `max_characters` of `text` (valid UTF-8), the last of them an ellipsis if something was cut.
[[nodiscard]] std::string shorten(std::string_view text, std::size_t max_characters);

// visible(), then shorten().
[[nodiscard]] std::string label(std::string_view text, std::size_t max_characters);

// `text` for element content and attribute values of XML, HTML and DOT's HTML-like labels.
[[nodiscard]] std::string xml_escape(std::string_view text);

// `text` as one double-quoted string of DOT that no escape sequence or entity changes.
[[nodiscard]] std::string dot_quote(std::string_view text);

// Estimated width in points of `text` (valid UTF-8) in a sans-serif font of `size_points`.
[[nodiscard]] unsigned text_width(std::string_view text, unsigned size_points, bool bold = false);

// "[0, 16)"
[[nodiscard]] std::string range_text(std::uint64_t begin, std::uint64_t end);

// "1 allocation", "3 allocations"; `many` is the plural.
[[nodiscard]] std::string count_text(std::uint64_t count, std::string_view one, std::string_view many);

}  // namespace taintgraph::viz
