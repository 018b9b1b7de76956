#include "props/signature.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>

namespace taintgraph::props {
namespace {

constexpr std::size_t kMaxErrorBytes = 160;  // a line of a log may be of any length

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool is_word(char character) { return std::isalnum(static_cast<unsigned char>(character)) != 0 || character == '_'; }
bool is_digit(char character) { return std::isdigit(static_cast<unsigned char>(character)) != 0; }

// The end of a number that begins at `at`, in whatever base.
std::size_t end_of_number(std::string_view text, std::size_t at) {
  const bool hexadecimal = text.substr(at, 2) == "0x";
  std::size_t end = at + (hexadecimal ? 2 : 1);
  while (end < text.size() &&
         (hexadecimal ? std::isxdigit(static_cast<unsigned char>(text[end])) != 0 : is_digit(text[end]))) {
    ++end;
  }
  return end;
}

// Numbers become N, quoted names '', control characters blanks.
std::string without_details(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size() && result.size() < kMaxErrorBytes;) {
    const char character = text[i];
    if (is_digit(character)) {
      i = end_of_number(text, i);
      result += 'N';
    } else if (character == '\'' && (result.empty() || !is_word(result.back())) &&
               text.find('\'', i + 1) != std::string_view::npos) {
      i = text.find('\'', i + 1) + 1;
      result += "''";
    } else {
      result += std::iscntrl(static_cast<unsigned char>(character)) != 0 ? ' ' : character;
      ++i;
    }
  }
  return result;
}

// "failed, roots #3 (out_of_memory)" without the roots.
std::string outcome_and_error(std::string_view found) {
  std::string text(found.substr(0, found.find_first_of(", ")));
  if (const std::size_t error = found.rfind(" ("); error != std::string_view::npos) text += found.substr(error);
  return text;
}

// Properties whose `found` is about the program's own values, and says nothing of the kind of failure.
bool about_values(std::string_view property) {
  constexpr std::string_view kValues[] = {" bytes",  " roots", " chain",    " via", " fill",
                                          " report", " hop",   " failures", " tags"};
  return std::any_of(std::begin(kValues), std::end(kValues),
                     [&](std::string_view end) { return ends_with(property, end); });
}

// Properties that are named by what was found.
bool named_by_finding(std::string_view property) {
  constexpr std::string_view kNames[] = {"race",
                                         "undeclared access",
                                         "use after free",
                                         "freed while in use",
                                         "check",
                                         "unallocated memory",
                                         "empty graph",
                                         "hang",
                                         "out of memory",
                                         "leak",
                                         "determinism",
                                         "end: leak",
                                         "end: empty graph"};
  return std::find(std::begin(kNames), std::end(kNames), property) != std::end(kNames);
}

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t begin = line.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(kBlank) + 1 - begin);
}

}  // namespace

std::string error_of(const Disagreement& disagreement) {
  if (about_values(disagreement.property) || named_by_finding(disagreement.property)) return {};
  if (ends_with(disagreement.property, " outcome")) return outcome_and_error(disagreement.found);
  return std::string(trimmed(without_details(disagreement.found)));
}

std::string signature_of(const Disagreement& disagreement) {
  std::string text = disagreement.property + " / " + std::string(traces::to_string(disagreement.kind));
  if (const std::string error = error_of(disagreement); !error.empty()) text += " / " + error;
  return text;
}

tl::expected<std::set<std::string>, std::string> load_known_signatures(const std::string& path) {
  std::ifstream file(path);
  std::set<std::string> signatures;
  std::string line;
  while (std::getline(file, line)) {
    const std::string_view signature = trimmed(line);
    if (!signature.empty() && signature.front() != '#') signatures.emplace(signature);
  }
  if (!file.eof()) return tl::make_unexpected(path + ": cannot be read: " + std::strerror(errno));
  return signatures;
}

}  // namespace taintgraph::props
