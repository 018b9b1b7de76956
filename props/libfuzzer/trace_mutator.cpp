#include "props/libfuzzer/trace_mutator.hpp"

#include <algorithm>
#include <utility>

#include "props/failure_folder.hpp"
#include "props/libfuzzer/bare_program.hpp"
#include "props/libfuzzer/budget.hpp"
#include "props/libfuzzer/program_mutation.hpp"
#include "props/libfuzzer/splice.hpp"
#include "props/random.hpp"
#include "traces/reader.hpp"

namespace taintgraph::props {
namespace {

using traces::Program;

constexpr std::uint64_t kMostChanges = 4;
constexpr std::uint64_t kBytesOneIn = 24;

// Which of this file's decisions a sequence of draws is for: equal seeds must not make them go together.
enum class Purpose : std::uint8_t { whether_bytes, mutation, crossing };

Random random_for(Purpose purpose, std::uint64_t seed) { return {seed, static_cast<std::uint64_t>(purpose)}; }

// The program as text of at most `max_bytes`, with operations left out from behind where it would be longer.
std::optional<std::string> fitting_text(Program program, std::size_t max_bytes) {
  for (;;) {
    if (program.operations.empty()) return std::nullopt;
    std::string text = trace_text(program);
    if (text.size() <= max_bytes) return text;
    const std::size_t dropped = std::max<std::size_t>(1, program.operations.size() / 8);
    program.operations.resize(program.operations.size() - dropped);
  }
}

}  // namespace

bool wants_bytes_mutated(std::string_view text, std::uint64_t seed) {
  return !text.empty() && random_for(Purpose::whether_bytes, seed).one_in(kBytesOneIn);
}

std::optional<std::string> mutated(std::string_view text, std::size_t max_bytes, std::uint64_t seed) {
  Random random = random_for(Purpose::mutation, seed);
  auto parsed = traces::parse_program(text);
  if (!parsed) return fitting_text(draw_small_program(random), max_bytes);
  Program program = std::move(*parsed);
  make_bare(program);
  cut_to_budget(program);
  for (std::uint64_t left = random.between(1, kMostChanges); left > 0; --left) mutate_program(random, program);
  cut_to_budget(program);
  return fitting_text(std::move(program), max_bytes);
}

std::optional<std::string> crossed(std::string_view text, std::string_view other, std::size_t max_bytes,
                                   std::uint64_t seed) {
  auto into = traces::parse_program(text);
  auto from = traces::parse_program(other);
  if (!into || !from || from->operations.empty()) return std::nullopt;
  make_bare(*into);
  Random random = random_for(Purpose::crossing, seed);
  const auto begin = static_cast<std::size_t>(random.below(from->operations.size()));
  const std::size_t end = begin + 1 + static_cast<std::size_t>(random.below(from->operations.size() - begin));
  const auto at = static_cast<std::size_t>(random.below(into->operations.size() + 1));
  splice(random, *into, at, *from, begin, end);
  cut_to_budget(*into);
  return fitting_text(std::move(*into), max_bytes);
}

}  // namespace taintgraph::props
