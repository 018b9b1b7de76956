// The libFuzzer target: bytes are a trace file, read by the ordinary reader. A good trace is run by runtime and model
// side by side, as `fuzz` does with the programs that it draws: without what it expects or asserts, which its changed
// relatives no longer do. It is also written and read again. Where model and runtime disagree, or the reader takes what
// the writer wrote for something else, the process says so and aborts.
//
// The mutator changes programs, not bytes: see trace_mutator.hpp. The entry points have the names and types that
// libFuzzer gives them; it allows for no state of ours, and there is none.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "props/checker.hpp"
#include "props/failure_report.hpp"
#include "props/libfuzzer/bare_program.hpp"
#include "props/libfuzzer/budget.hpp"
#include "props/libfuzzer/trace_mutator.hpp"
#include "traces/reader.hpp"
#include "traces/writer.hpp"

extern "C" {
// libFuzzer's own byte mutations.
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned int seed);
std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* data1, std::size_t size1, const std::uint8_t* data2,
                                      std::size_t size2, std::uint8_t* out, std::size_t max_out_size,
                                      unsigned int seed);
}

namespace taintgraph::props {
namespace {

std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

std::string written(const traces::Program& program) {
  std::ostringstream text;
  traces::write_program(text, program);
  return text.str();
}

[[noreturn]] void give_up(const Disagreement& disagreement, const std::string& trace) {
  tell(std::cerr, disagreement);
  std::cerr << "the trace, as it ran:\n" << trace << std::flush;
  std::abort();
}

// What the writer makes of a program is a good trace of the same program.
void expect_round_trip(const traces::Program& program) {
  const std::string once = written(program);
  const auto again = traces::parse_program(once);
  Disagreement disagreement;
  disagreement.property = "round trip";
  disagreement.expected = "what was written, read back";
  if (!again) {
    disagreement.found = traces::to_string(again.error().front(), "trace");
    give_up(disagreement, once);
  }
  disagreement.found = written(*again);
  if (disagreement.found != once) give_up(disagreement, once);
}

void run(std::string_view text) {
  auto program = traces::parse_program(text);
  if (!program) return;
  expect_round_trip(*program);
  if (!device_within_budget(program->header)) return;
  make_bare(*program);
  cut_to_budget(*program);
  const CheckedRun run = check(*program, {});
  if (run.disagreement) give_up(*run.disagreement, written(*program));
}

// Puts `text` where libFuzzer wants it. Nothing, or what is too long, is no mutation: libFuzzer tries again.
std::size_t put(const std::optional<std::string>& text, std::uint8_t* out, std::size_t max_size) {
  if (!text || text->size() > max_size) return 0;
  std::copy(text->begin(), text->end(), out);
  return text->size();
}

}  // namespace
}  // namespace taintgraph::props

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  taintgraph::props::run(taintgraph::props::as_text(data, size));
  return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned int seed) {
  using namespace taintgraph::props;
  const std::string_view text = as_text(data, size);
  if (wants_bytes_mutated(text, seed)) return LLVMFuzzerMutate(data, size, max_size);
  return put(mutated(text, max_size, seed), data, max_size);
}

std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* data1, std::size_t size1, const std::uint8_t* data2,
                                      std::size_t size2, std::uint8_t* out, std::size_t max_out_size,
                                      unsigned int seed) {
  using namespace taintgraph::props;
  return put(crossed(as_text(data1, size1), as_text(data2, size2), max_out_size, seed), out, max_out_size);
}
