// Writes traces, one line a piece, in a fixed order of fields; fields with their default value are left out. What it
// writes, the reader reads back as the same values.
//
// Requires, of every string: valid UTF-8, at most 64 KiB; so a write has at most 32 KiB of `bytes`.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "traces/program.hpp"

namespace taintgraph::traces {

// Each without the newline.
[[nodiscard]] std::string header_line(const Header& header);
[[nodiscard]] std::string operation_line(const Operation& operation, const NameTable& names);
[[nodiscard]] std::string end_line(const End& end);

void write_program(std::ostream& output, const Program& program);

// Writes `text` to `path` whole or not at all: a temporary file beside it, flushed, then renamed over it. Returns what
// went wrong, in words that name the path.
[[nodiscard]] tl::expected<void, std::string> write_file_whole(const std::string& path, std::string_view text);

}  // namespace taintgraph::traces
