// Runs one program as a filter: text in, text out, nothing else. No shell, no files; the program is found on PATH.
//
// All or nothing: output counts only if the program exits with 0 and has closed its output before the deadline.
// Otherwise the caller gets a sentence that says what happened. A program that closes its input early raises no SIGPIPE
// here, and one that hangs is killed. Safe to use from several threads.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace taintgraph::viz {

// Requires: `command` is not empty; its first word is the program.
[[nodiscard]] tl::expected<std::string, std::string> run_filter(const std::vector<std::string>& command,
                                                                std::string_view input,
                                                                std::chrono::milliseconds deadline,
                                                                std::size_t max_output_bytes = 256U << 20);

}  // namespace taintgraph::viz
