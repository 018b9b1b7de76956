#include "props/fuzz_options.hpp"

#include <CLI/CLI.hpp>

#include <charconv>
#include <limits>
#include <ostream>

namespace taintgraph::props {
namespace {

constexpr int kUsageStatus = 64;
constexpr std::uint32_t kMaxOperations = 100'000;  // a case; enough for any depth, and not by slip of a digit the night

// The whole text as a number, or nothing.
std::optional<std::uint64_t> parse_number(std::string_view text, int base) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void declare(CLI::App& app, FuzzOptions& options) {
  app.set_help_flag("-h,--help", "print this and leave");
  app.add_option_function<std::string>(
         "--seed",
         [&options](const std::string& text) {
           options.seed = parse_seed(text);
           if (!options.seed) throw CLI::ValidationError("--seed", "not a number of 64 bits or a commit hash: " + text);
         },
         "decimal, 0x hex, or a commit hash (its first 64 bits); default: a fresh one, printed")
      ->type_name("S");
  CLI::Option* cases = app.add_option_function<std::string>(
                              "--cases",
                              [&options](const std::string& text) {
                                const std::optional<CaseRange> range = parse_cases(text);
                                if (!range) throw CLI::ValidationError("--cases", "not N or A..B with A < B: " + text);
                                options.first_case = range->first;
                                options.end_case = range->end;
                              },
                              "run cases 0 to N-1, or A to B-1; default: " + std::to_string(kDefaultCases))
                           ->type_name("N|A..B");
  app.add_option_function<std::string>(
         "--time",
         [&options](const std::string& text) {
           options.time = parse_duration(text);
           if (!options.time) throw CLI::ValidationError("--time", "not a time such as 60s, 5m or 1h: " + text);
         },
         "run cases from 0 on for so long: 60s, 5m, 1h")
      ->type_name("TIME")
      ->excludes(cases);
  app.add_option("--ops", options.operations, "operations a case, about")
      ->check(CLI::Range(1U, kMaxOperations))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--out", options.out, "where failures are written, in a folder named by the seed")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_option_function<std::string>(
         "--backend",
         [&options](const std::string& name) {
           options.backend = name == "cuda" ? traces::Backend::cuda : traces::Backend::sim;
         },
         "which driver: sim (the default), or cuda, a real one with faults injected at its tables")
      ->check(CLI::IsMember({"sim", "cuda"}))
      ->type_name("DRIVER");
  app.add_option("--device", options.device, "which GPU, with --backend cuda")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N")
      ->capture_default_str();
  app.add_flag("-q,--quiet", options.quiet, "leave out what was exercised, and how often");
}

}  // namespace

std::optional<std::uint64_t> parse_seed(std::string_view text) {
  constexpr std::size_t kHashDigits = 40;
  constexpr std::size_t kDigitsOf64Bits = 16;
  if (text.size() == kHashDigits) {
    if (text.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos) return std::nullopt;
    return parse_number(text.substr(0, kDigitsOf64Bits), 16);
  }
  if (text.substr(0, 2) == "0x" || text.substr(0, 2) == "0X") return parse_number(text.substr(2), 16);
  return parse_number(text, 10);
}

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::optional<std::uint64_t> number = parse_number(text.substr(0, digits), 10);
  const std::string_view unit = text.substr(digits);
  std::uint64_t milliseconds = 0;
  if (unit.empty() || unit == "s") milliseconds = 1000;
  if (unit == "ms") milliseconds = 1;
  if (unit == "m") milliseconds = 60'000;
  if (unit == "h") milliseconds = 3'600'000;
  constexpr std::uint64_t kMax = std::numeric_limits<std::int32_t>::max();  // 24 days, far from any overflow
  if (!number || *number == 0 || milliseconds == 0 || *number > kMax / milliseconds) return std::nullopt;
  return std::chrono::milliseconds(*number * milliseconds);
}

std::optional<CaseRange> parse_cases(std::string_view text) {
  const std::size_t dots = text.find("..");
  const std::optional<std::uint64_t> first =
      dots == std::string_view::npos ? 0 : parse_number(text.substr(0, dots), 10);
  const std::optional<std::uint64_t> end =
      parse_number(dots == std::string_view::npos ? text : text.substr(dots + 2), 10);
  if (!first || !end || *first >= *end) return std::nullopt;
  return CaseRange{*first, *end};
}

FuzzCommandLine parse_fuzz_command_line(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  FuzzCommandLine result;
  result.options.end_case = kDefaultCases;
  CLI::App app("Generate programs, run each on the runtime and on the reference model, compare every step.",
               "taintgraph fuzz");
  declare(app, result.options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    out << app.help();
    result.exit_status = 0;
  } catch (const CLI::ParseError& error) {
    err << "taintgraph fuzz: " << error.what() << "\n\n" << app.help();
    result.exit_status = kUsageStatus;
  }
  return result;
}

}  // namespace taintgraph::props
