// The command line of `fuzz`, read and checked.
#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "traces/session.hpp"

namespace taintgraph::props {

struct FuzzOptions {
  std::optional<std::uint64_t> seed;  // none: to be drawn
  std::uint64_t first_case = 0;
  std::uint64_t end_case = 0;                     // one past the last; ignored with `time`
  std::optional<std::chrono::milliseconds> time;  // go on for so long instead
  std::uint32_t operations = 40;
  std::string out = "taintgraph-failures";
  traces::Backend backend = traces::Backend::sim;
  int device = 0;      // which GPU, on a real driver
  bool quiet = false;  // leaves out what was exercised
  // How long a child may take over one operation; not on the command line. Orders of magnitude above what it needs,
  // sanitizers included.
  std::chrono::milliseconds stall_limit{30'000};
};

inline constexpr std::uint64_t kDefaultCases = 2000;

// What is to be done: run, or leave with a status because all is said.
struct FuzzCommandLine {
  FuzzOptions options;
  std::optional<int> exit_status;
};

// Help goes to `out` (status 0), complaints to `err` (status 64).
[[nodiscard]] FuzzCommandLine parse_fuzz_command_line(int argc, const char* const* argv, std::ostream& out,
                                                      std::ostream& err);

// Decimal, 0x and hexadecimal digits, or a commit hash of 40 hexadecimal digits, of which the first 64 bits count.
[[nodiscard]] std::optional<std::uint64_t> parse_seed(std::string_view text);

// "90", "90s", "15m", "1h", "500ms"; without a unit, seconds. Nothing below a millisecond.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

struct CaseRange {
  std::uint64_t first = 0;
  std::uint64_t end = 0;

  friend bool operator==(const CaseRange&, const CaseRange&) = default;
};

// "A..B" is cases A up to but without B; "N" is 0..N. At least one case.
[[nodiscard]] std::optional<CaseRange> parse_cases(std::string_view text);

}  // namespace taintgraph::props
