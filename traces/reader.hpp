// Reads traces: JSON Lines, or one JSON document with an "ops" array. Streaming: memory does not grow with the number
// of operations (names and ids aside).
//
// Everything a file can do wrong is a Problem with a place, never an exception or a crash. The rules are those of the
// trace format, section 2.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "traces/program.hpp"

namespace taintgraph::traces {

struct Problem {
  std::uint64_t line = 0;    // from 1; 0: the file as a whole
  std::uint64_t column = 0;  // from 1, in bytes
  std::string message;       // what is wrong, and what was expected
  std::string pointer;       // JSON pointer within the line's value (within the document, if it is one), e.g. "/size"
};

// "file:line:column: error: message (pointer)"
[[nodiscard]] std::string to_string(const Problem& problem, std::string_view file);

inline constexpr std::size_t kMaxProblems = 20;

// Receives a trace piece by piece. Any callback may return false to stop reading early.
struct TraceSink {
  std::function<bool(const Header&)> header;
  std::function<bool(Operation&&)> operation;
  std::function<bool(const End&)> end;  // may be empty
};

// Reads all of `input`, interning into `names`. Returns the problems found, at most kMaxProblems; empty if the trace is
// good. The sink is called as the text is read, so nothing that it does may assume that the rest is good: read once
// with an empty sink first, unless the caller accepts that.
[[nodiscard]] std::vector<Problem> read_trace(std::istream& input, NameTable& names, const TraceSink& sink);

// A whole file into memory ("-" is standard input). Problems if it is not a good trace, or cannot be read at all (a
// directory, no permission, not there).
[[nodiscard]] tl::expected<Program, std::vector<Problem>> load_program(const std::string& path);

// The same from text.
[[nodiscard]] tl::expected<Program, std::vector<Problem>> parse_program(std::string_view text);

}  // namespace taintgraph::traces
