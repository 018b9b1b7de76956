#include "props/fuzz_options.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <ostream>
#include <thread>

#include "props/exit_status.hpp"
#include "props/fault_cells.hpp"
#include "props/small_programs.hpp"
#include "traces/path_option.hpp"

namespace taintgraph::props {
namespace {

constexpr std::size_t kMaxJobs = 1024;

// The whole text as a number, or nothing.
std::optional<std::uint64_t> parse_number(std::string_view text, int base) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// An option whose text `parse` reads; `complaint` says what it should have been.
template <class Parse, class Store>
CLI::Option* add_parsed(CLI::App& app, const std::string& name, const std::string& type, Parse parse, Store store,
                        const std::string& complaint, const std::string& help) {
  return app
      .add_option_function<std::string>(
          name,
          [=](const std::string& text) {
            const auto value = parse(text);
            if (!value) throw CLI::ValidationError(name, complaint + ": " + text);
            store(*value);
          },
          help)
      ->type_name(type);
}

void declare_cases(CLI::App& app, FuzzOptions& options) {
  add_parsed(
      app, "--seed", "S", parse_seed, [&options](std::uint64_t seed) { options.seed = seed; },
      "not a number of 64 bits or a commit hash",
      "decimal, 0x hex, or a commit hash (its first 64 bits); default: a fresh one, printed");
  CLI::Option* cases = add_parsed(
      app, "--cases", "N|A..B", parse_cases,
      [&options](const CaseRange& range) {
        options.first_case = range.first;
        options.end_case = range.end;
      },
      "not N or A..B with A < B <= " + std::to_string(kMaxCase),
      "run cases 0 to N-1, or A to B-1; default: " + std::to_string(kDefaultCases));
  add_parsed(
      app, "--time", "TIME", parse_duration, [&options](std::chrono::milliseconds time) { options.time = time; },
      "not a time of 1ms to 596h such as 60s, 5m or 1h", "run cases from 0 on for so long: 60s, 5m, 1h")
      ->excludes(cases);
  app.add_option("--ops", options.operations, "operations a case, about")
      ->check(CLI::Range(1U, kMaxOperations))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--jobs,-j", options.jobs, "worker processes; the result does not depend on it")
      ->check(CLI::Range(std::size_t{1}, kMaxJobs))
      ->type_name("J")
      ->capture_default_str();
  add_parsed(
      app, "--shard", "I/N", parse_shard, [&options](const Shard& shard) { options.shard = shard; },
      "not I/N with 1 <= I <= N <= " + std::to_string(kMaxShards),
      "run every N-th case only; shards 1/N to N/N together are the whole run");
}

// What says which programs are drawn, and on what they run, has no meaning where none is drawn.
void declare_enumeration(CLI::App& app, FuzzOptions& options) {
  CLI::Option* enumerate = app.add_flag(
      "--enumerate", options.enumerate,
      "run every program of up to N operations (--ops, here at most " + std::to_string(SmallPrograms::kMostOperations) +
          ", default " + std::to_string(kDefaultEnumeratedOperations) +
          ") over two small buffers and two streams, with every fault, in every order of the device");
  for (const char* other : {"--seed", "--cases", "--time", "--shard", "--known", "--json", "--junit", "--backend",
                            "--device", "--matrix"}) {
    enumerate->excludes(app.get_option(other));
  }
}

// Throws what the parser throws.
void settle_enumeration(const CLI::App& app, FuzzOptions& options) {
  if (!options.enumerate) return;
  if (app.count("--ops") == 0) options.operations = kDefaultEnumeratedOperations;
  if (options.operations > SmallPrograms::kMostOperations) {
    throw CLI::ValidationError("--ops", "with --enumerate at most " + std::to_string(SmallPrograms::kMostOperations));
  }
}

void declare_failures(CLI::App& app, FuzzOptions& options) {
  app.add_flag("--keep-going", options.keep_going, "run all cases, whatever fails; failures are grouped by signature");
  app.add_option("--known", options.known,
                 "signatures that may fail, one a line as printed, # before a comment: counted, and no failure")
      ->check(traces::not_empty())
      ->type_name("FILE");
  app.add_option("--regressions", options.regressions,
                 "replay the traces of this folder first; from a checkout its own, and with an empty name none")
      ->type_name("DIR")
      ->take_last();  // the entry script gives one, the user's counts
  app.add_option("--out", options.out,
                 "where failures are written, in a folder named by the seed; if given, a summary for merge, too")
      ->check(traces::not_empty())
      ->type_name("DIR")
      ->capture_default_str();
  app.add_option("--json", options.json, "write a summary of the run")->check(traces::not_empty())->type_name("FILE");
  app.add_option("--junit", options.junit, "write the result as JUnit XML")
      ->check(traces::not_empty())
      ->type_name("FILE");
  app.add_option_function<std::string>(
         "--backend",
         [&options](const std::string& name) {
           options.backend = name == "cuda" ? traces::Backend::cuda : traces::Backend::sim;
         },
         "which driver: sim (the default), or cuda, a real one with faults injected at its tables")
      ->check(CLI::IsMember({"sim", "cuda"}))
      ->type_name("DRIVER");
  app.add_option("--device", options.device, "which GPU, with --backend cuda")
      ->check(CLI::Range(0, traces::kMostDevice))
      ->type_name("N")
      ->capture_default_str();
  app.add_flag("--matrix", options.matrix,
               "show the cells of faults that a run can hit, and what is left out; run nothing");
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
  if (!first || !end || *first >= *end || *end > kMaxCase) return std::nullopt;
  return CaseRange{*first, *end};
}

std::optional<Shard> parse_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::optional<std::uint64_t> index = parse_number(text.substr(0, slash), 10);
  const std::optional<std::uint64_t> count = parse_number(text.substr(slash + 1), 10);
  if (!index || !count || *index < 1 || *index > *count || *count > kMaxShards) return std::nullopt;
  return Shard{*index, *count};
}

FuzzCommandLine parse_fuzz_command_line(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  FuzzCommandLine result;
  result.options.end_case = kDefaultCases;
  result.options.jobs = std::max(1U, std::thread::hardware_concurrency());
  CLI::App app("Generate programs, run each on the runtime and on the reference model, compare every step.",
               "taintgraph fuzz");
  app.set_help_flag("-h,--help", "print this and leave");
  declare_cases(app, result.options);
  declare_failures(app, result.options);
  declare_enumeration(app, result.options);
  try {
    app.parse(argc, argv);
    settle_enumeration(app, result.options);
    if (app.count("--device") > 0 && result.options.backend == traces::Backend::sim)
      throw CLI::ValidationError("--device", "is for --backend cuda; the simulated driver has one device");
    result.options.keep_summary = app.count("--out") > 0;
    if (result.options.matrix) {
      show_matrix(out);
      result.exit_status = 0;
    }
  } catch (const CLI::CallForHelp&) {
    out << app.help();
    result.exit_status = 0;
  } catch (const CLI::ParseError& error) {
    err << "taintgraph fuzz: " << error.what() << "\n\n" << app.help();
    result.exit_status = kUsage;
  }
  return result;
}

}  // namespace taintgraph::props
