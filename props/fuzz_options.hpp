// The command line of `fuzz`, read and checked.
#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "props/case_deal.hpp"
#include "props/isolation.hpp"
#include "traces/session.hpp"

namespace taintgraph::props {

struct FuzzOptions {
  std::optional<std::uint64_t> seed;  // none: to be drawn
  std::uint64_t first_case = 0;
  std::uint64_t end_case = 0;                     // one past the last; ignored with `time`
  std::optional<std::chrono::milliseconds> time;  // go on for so long instead
  std::uint32_t operations = 40;
  bool enumerate = false;  // run every program of up to so many operations instead of drawing any
  std::size_t jobs = 1;    // worker processes
  Shard shard;
  bool keep_going = false;  // after a failure that is not known
  std::string known;        // a file of known signatures; empty: none are
  std::string regressions;  // a folder of traces to be replayed first; empty: none
  std::string out = "taintgraph-failures";
  bool keep_summary = false;  // leave a summary in `out`, whatever the run comes to
  std::string json;           // files to write; empty: not written
  std::string junit;
  traces::Backend backend = traces::Backend::sim;
  int device = 0;       // which GPU, on a real driver
  bool matrix = false;  // only show what can be covered
  bool quiet = false;   // leaves out what was exercised

  // Not on the command line.
  std::string version;    // of the program, with its commit
  bool annotate = false;  // say failures in GitHub's words, too
  // Orders of magnitude above what a child needs, sanitizers included.
  ChildLimits limits{.memory_bytes = std::uint64_t{2} << 30};
};

inline constexpr std::uint64_t kDefaultCases = 2000;
inline constexpr std::uint32_t kMaxOperations = 100'000;  // a case; any depth, and not by slip of a digit the night
inline constexpr std::uint32_t kDefaultEnumeratedOperations = 4;

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

// "I/N", shard I of N, counted from 1.
[[nodiscard]] std::optional<Shard> parse_shard(std::string_view text);

struct CaseRange {
  std::uint64_t first = 0;
  std::uint64_t end = 0;

  friend bool operator==(const CaseRange&, const CaseRange&) = default;
};

// "A..B" is cases A up to but without B; "N" is 0..N. At least one case, none beyond
// kMaxCase.
[[nodiscard]] std::optional<CaseRange> parse_cases(std::string_view text);

}  // namespace taintgraph::props
