// The program `taintgraph`: finds the subcommand's room and hands over. Each room reads its own arguments, prints its
// own help and decides the exit code; only what no room can see is settled here: an exception that nobody caught, and
// output that could not be written.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <iomanip>
#include <iostream>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "commit.hpp"
#include "core/version.hpp"
#include "props/conform/conform.hpp"
#include "props/exhaust.hpp"
#include "props/fuzz.hpp"
#include "props/merge.hpp"
#include "props/shrink_command.hpp"
#include "traces/fault_help.hpp"
#include "traces/replay.hpp"
#include "traces/schema.hpp"
#include "viz/film.hpp"
#include "viz/render.hpp"
#include "viz/svg.hpp"

namespace {

namespace traces = taintgraph::traces;
namespace viz = taintgraph::viz;

constexpr int kUsage = 64;
constexpr int kInternalError = 70;

// argv[0] is the subcommand's name, argv[1] its first argument. Results go to `out`, errors to `err`.
using Command = int (*)(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

struct Subcommand {
  std::string_view name;
  std::string_view summary;
  Command run;
};

// Rooms that may not look at viz are handed what draws.
auto draw_svg(const traces::Snapshot& snapshot) { return viz::svg_text(snapshot); }
std::unique_ptr<traces::Film> new_film() { return std::make_unique<viz::Film>(); }

std::string version_text() {
  return std::string(taintgraph::core::kVersion) + " (commit " + std::string(taintgraph::kCommit) + ")";
}

int replay_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  return traces::replay_command(argc, argv, out, err, {.svg = draw_svg, .film = new_film});
}

int fuzz_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  return taintgraph::props::fuzz_command(argc, argv, out, err, {.render = draw_svg, .version = version_text()});
}

int help_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err);
int schema_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err);
int version_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

constexpr std::array kSubcommands = {
    Subcommand{"fuzz", "generate programs, run, check and shrink them", fuzz_command},
    Subcommand{"merge", "join the results of a run's shards", taintgraph::props::merge_command},
    Subcommand{"exhaust", "fail every driver call of traces in turn", taintgraph::props::exhaust_command},
    Subcommand{"replay", "run traces and compare with what they expect", replay_command},
    Subcommand{"shrink", "find the smallest trace that fails the same way", taintgraph::props::shrink_command},
    Subcommand{"render", "draw the failure graph of a trace", viz::render_command},
    Subcommand{"conform", "compare a real driver with the simulated one", taintgraph::props::conform_command},
    Subcommand{"schema", "print the JSON Schema of a trace", schema_command},
    Subcommand{"version", "print version, commit and compiler", version_command},
    Subcommand{"help", "print this, or the help of a subcommand", help_command},
};

const Subcommand* find_subcommand(std::string_view name) {
  const auto* const found =
      std::find_if(kSubcommands.begin(), kSubcommands.end(), [&](const Subcommand& each) { return each.name == name; });
  return found == kSubcommands.end() ? nullptr : found;
}

void print_usage(std::ostream& stream) {
  stream << "Usage: taintgraph SUBCOMMAND [ARGUMENTS]\n\n";
  for (const Subcommand& each : kSubcommands) {
    stream << "  " << std::left << std::setw(10) << each.name << each.summary << '\n';
  }
  stream << "\n'taintgraph SUBCOMMAND --help' tells more of each, 'taintgraph help faults' lists the kinds of failure. "
            "From a\n"
            "checkout, './taintgraph test [--all]' runs the tests, './taintgraph bench' the benchmarks, and "
            "'./taintgraph\n"
            "mutants' looks for planted slips.\n\n"
            "Exit codes: 0 all held; 1 a property or expectation failed; 2 inconclusive; 3 not deterministic;\n"
            "64 usage or bad input; 70 internal error; 77 skipped, no GPU.\n";
}

int unknown_subcommand(std::string_view name, std::ostream& err) {
  err << "taintgraph: unknown subcommand '" << name << "'; 'taintgraph help' lists them\n";
  return kUsage;
}

bool is_help_option(std::string_view argument) { return argument == "--help" || argument == "-h"; }

int unexpected_argument(std::string_view subcommand, std::string_view argument, std::ostream& err) {
  err << "taintgraph: " << subcommand << ": unexpected argument '" << argument << "'\n";
  return kUsage;
}

int help_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  if (argc < 2 || is_help_option(argv[1])) {
    print_usage(out);
    return 0;
  }
  if (argc > 2) return unexpected_argument(argv[0], argv[2], err);
  if (argv[1] == std::string_view("faults")) {
    out << traces::fault_kinds_text();
    return 0;
  }
  const Subcommand* const topic = find_subcommand(argv[1]);
  if (topic == nullptr) return unknown_subcommand(argv[1], err);
  const std::array<const char*, 3> arguments = {argv[1], "--help", nullptr};
  return topic->run(2, arguments.data(), out, err);
}

// What a subcommand without arguments has to say to those it is given; nothing if it was given none.
std::optional<int> answer_arguments(int argc, const char* const* argv, std::string_view summary, std::ostream& out,
                                    std::ostream& err) {
  if (argc < 2) return std::nullopt;
  if (!is_help_option(argv[1])) return unexpected_argument(argv[0], argv[1], err);
  out << "Usage: taintgraph " << argv[0] << "\n\n" << summary << '\n';
  return 0;
}

int schema_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  const auto answered = answer_arguments(argc, argv, "Prints the JSON Schema of a trace.", out, err);
  if (answered) return *answered;
  out << traces::schema_text();
  return 0;
}

int version_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  const auto answered = answer_arguments(argc, argv, "Prints version, commit and compiler of this program.", out, err);
  if (answered) return *answered;
  out << "taintgraph " << taintgraph::core::kVersion << " (commit " << taintgraph::kCommit << ", "
#if defined(__clang__)
      << "clang " << __clang_major__ << '.' << __clang_minor__ << '.' << __clang_patchlevel__
#else
      << "gcc " << __VERSION__
#endif
      << ")\n";
  return 0;
}

int run(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  if (argc < 2) {
    print_usage(err);
    return kUsage;
  }
  const std::string_view name = argv[1];
  if (is_help_option(name)) return help_command(argc - 1, argv + 1, out, err);
  if (name == "--version") return version_command(argc - 1, argv + 1, out, err);
  const Subcommand* const subcommand = find_subcommand(name);
  if (subcommand == nullptr) return unknown_subcommand(name, err);
  return subcommand->run(argc - 1, argv + 1, out, err);
}

// Standard input, output and error that somebody closed are opened the wrong way round: using them fails as before, and
// no other file gets their numbers.
void occupy_standard_files() {
  for (int file = STDIN_FILENO; file <= STDERR_FILENO; ++file) {
    if (::fcntl(file, F_GETFD) >= 0 || errno != EBADF) continue;
    (void)::open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

// Results that reached nobody are no results. A reader that went away needs no telling.
int check_output(int result) {
  std::cout.flush();
  if (std::cout.good()) return result;
  // The room may have met the error long ago; one more byte asks for the reason.
  const int reason = ::write(STDOUT_FILENO, "\n", 1) < 0 ? errno : 0;
  if (reason != EPIPE) {
    std::cerr << "taintgraph: cannot write the output" << (reason == 0 ? "" : ": ")
              << (reason == 0 ? "" : std::strerror(reason)) << '\n';
  }
  return kInternalError;
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_files();
  // A file that grows too large is to be an error of its write, not the end of the process.
  (void)std::signal(SIGXFSZ, SIG_IGN);
  std::ios::sync_with_stdio(false);
  int result = kInternalError;
  try {
    result = run(argc, argv, std::cout, std::cerr);
  } catch (const std::bad_alloc&) {
    std::cerr << "taintgraph: internal error: out of memory\n";
  } catch (const std::exception& error) {
    std::cerr << "taintgraph: internal error: " << error.what() << '\n';
  } catch (...) {
    std::cerr << "taintgraph: internal error: an exception of unknown type\n";
  }
  return check_output(result);
}
