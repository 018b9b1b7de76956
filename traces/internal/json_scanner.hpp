// A pull scanner of JSON over a TextWindow: the caller asks for the value it expects, so nothing is built that nobody
// wants, and every byte has a place.
//
// Strict RFC 8259, and less: no byte order mark, no NaN, no invalid UTF-8 or lone surrogate, no nesting deeper than
// kMaxNesting, no string longer than kMaxStringBytes. What breaks one of these is *fatal*: one problem is added, and
// from then on every call answers "nothing there" until recover_line(); loops over members or elements therefore end by
// themselves. Types and duplicate keys are the caller's to judge (skip() alone judges duplicates of what it skips).
//
// In line mode a newline ends the value instead of being white space. Recursion (in skip) is bounded by kMaxNesting.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "traces/internal/problem_list.hpp"
#include "traces/internal/text_window.hpp"

namespace taintgraph::traces::internal {

inline constexpr std::size_t kMaxNesting = 32;
inline constexpr std::size_t kMaxStringBytes = 64U << 10;

enum class ValueKind : std::uint8_t { nothing, object, array, string, number, boolean, null };

// "an object", "a string", ...
[[nodiscard]] std::string_view describe(ValueKind kind);

struct Number {
  enum class Kind : std::uint8_t {
    whole,     // digits only, below 2^64: `value` holds it
    negative,  // begins with '-'
    fraction,  // has '.' or an exponent
    too_large  // digits only, 2^64 or more
  };
  Kind kind = Kind::whole;
  std::uint64_t value = 0;
};

class JsonScanner {
 public:
  JsonScanner(TextWindow& window, ProblemList& problems) : window_(window), problems_(problems) {}

  void set_line_mode(bool on) { line_mode_ = on; }
  [[nodiscard]] bool failed() const { return failed_; }

  // The kind of the next value, which is not consumed; `nothing` (after a fatal problem) if there is none.
  [[nodiscard]] ValueKind peek();
  // Where the next byte stands. After peek(): where the value begins.
  [[nodiscard]] Place place() const { return window_.place(); }

  // Requires: peek() said object / array. Then next_member() / next_element() until they are false.
  void enter();
  // Moves to the next member's value; false behind the last one. The name is key(), its place key_place().
  [[nodiscard]] bool next_member();
  [[nodiscard]] bool next_element();
  // Good until the next member of any object.
  [[nodiscard]] const std::string& key() const { return key_; }
  [[nodiscard]] Place key_place() const { return key_place_; }

  // Requires: peek() said string / number / boolean or null. A string is good until the next call.
  [[nodiscard]] std::string_view string();
  [[nodiscard]] Number number();
  void literal();

  // Consumes the next value, whatever it is.
  void skip();

  // The text of the open unit, see TextWindow: how much lies before the cursor, and what lies behind such a point.
  [[nodiscard]] std::size_t unit_bytes() const { return window_.unit_bytes(); }
  [[nodiscard]] std::string_view since(std::size_t offset) const { return window_.since(offset); }

  // True if only white space follows, to the end of the input; false without a word if anything else does.
  [[nodiscard]] bool at_end_of_input();
  // In line mode: skips white space up to the end of the line; true if it is there.
  [[nodiscard]] bool at_end_of_line();

  // Adds a fatal problem, unless there is one already.
  void fail(Place place, std::string message);
  // The fatal problem of the byte under the cursor: "expected X, found Y".
  void fail_here(std::string_view expected);
  // The fatal problem of a unit that holds too much.
  void fail_limit();

  // After a fatal problem: moves behind the line and starts afresh.
  void recover_line();
  // Starts afresh at the cursor, `depth` containers deep.
  void restart(std::size_t depth);

 private:
  // Most values stand right behind the last one.
  void skip_space() {
    if (window_.at() == window_.end() || static_cast<unsigned char>(*window_.at()) <= ' ') skip_space_slowly();
  }
  void skip_space_slowly();
  [[nodiscard]] bool word_ahead(std::string_view word);
  void skip_object();
  [[nodiscard]] bool next(char close, std::string_view expected);
  [[nodiscard]] bool escaped(Place start);
  [[nodiscard]] bool unicode_escape();
  [[nodiscard]] bool four_hex_digits(std::uint32_t& value);
  [[nodiscard]] bool multibyte();
  [[nodiscard]] bool digits(Number* number);

  TextWindow& window_;
  ProblemList& problems_;
  std::string key_;
  Place key_place_;
  std::string decoded_;  // of a string with escapes
  std::size_t depth_ = 0;
  bool fresh_ = false;  // just inside a container: no comma is due
  bool failed_ = false;
  bool line_mode_ = false;
};

}  // namespace taintgraph::traces::internal
