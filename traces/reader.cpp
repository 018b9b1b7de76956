#include "traces/reader.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <utility>

#include "traces/internal/trace_reading.hpp"

namespace taintgraph::traces {
namespace {

tl::expected<Program, std::vector<Problem>> read_program(std::istream& input) {
  Program program;
  const TraceSink sink{.header =
                           [&](const Header& header) {
                             program.header = header;
                             return true;
                           },
                       .operation =
                           [&](Operation&& operation) {
                             program.operations.push_back(std::move(operation));
                             return true;
                           },
                       .end =
                           [&](const End& end) {
                             program.end = end;
                             return true;
                           }};
  auto problems = read_trace(input, program.names, sink);
  if (!problems.empty()) return tl::unexpected(std::move(problems));
  return program;
}

tl::expected<Program, std::vector<Problem>> unreadable(std::string why) {
  return tl::unexpected(std::vector<Problem>{{.message = std::move(why), .pointer = {}}});
}

}  // namespace

std::string to_string(const Problem& problem, std::string_view file) {
  return std::string(file) + ":" + std::to_string(problem.line) + ":" + std::to_string(problem.column) +
         ": error: " + problem.message + (problem.pointer.empty() ? "" : " (" + problem.pointer + ")");
}

std::vector<Problem> read_trace(std::istream& input, NameTable& names, const TraceSink& sink) {
  if (!input) return {Problem{.message = "the input cannot be read; expected a trace", .pointer = {}}};
  return internal::TraceReading(input, names, sink).run();
}

tl::expected<Program, std::vector<Problem>> load_program(const std::string& path) {
  if (path == "-") return read_program(std::cin);
  std::error_code unknown;  // what cannot be looked at is left to opening it
  if (std::filesystem::is_directory(path, unknown)) return unreadable("this is a directory; expected a trace file");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return unreadable(std::string("cannot be opened: ") + std::strerror(errno) + "; expected a trace file");
  return read_program(file);
}

tl::expected<Program, std::vector<Problem>> parse_program(std::string_view text) {
  std::istringstream input{std::string(text)};
  return read_program(input);
}

}  // namespace taintgraph::traces
