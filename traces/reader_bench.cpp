// Operations read and written a second, on text in memory.

#include <benchmark/benchmark.h>

#include <random>
#include <sstream>
#include <string>

#include "traces/reader.hpp"
#include "traces/writer.hpp"

namespace taintgraph::traces {
namespace {

constexpr int kOperations = 100000;
constexpr int kBuffers = 64;

// A mix as a recorder writes it: launches of one to two ranges most of all.
std::string text_of_trace(bool document) {
  std::mt19937_64 random(1);
  const auto buffer = [&] { return "\"B" + std::to_string(random() % kBuffers) + "\""; };
  const auto range = [&] {
    const auto begin = random() % 2000;
    return "[" + buffer() + "," + std::to_string(begin) + "," + std::to_string(begin + random() % 2000) + "]";
  };
  std::string text = R"({"format":"taintgraph-trace","version":1)";
  text += document ? ",\"ops\":[" : "}";
  for (int i = 0; i < kOperations; ++i) {
    if (document && i > 0) text += ',';
    text += '\n';
    const std::string stream = ",\"stream\":" + std::to_string(random() % 4) + "}";
    if (i < kBuffers) {
      text += "{\"op\":\"alloc\",\"buffer\":\"B" + std::to_string(i) + "\",\"size\":4096}";
    } else if (const auto kind = random() % 10; kind < 6) {
      text += "{\"op\":\"launch\",\"kernel\":\"add\",\"reads\":[" + range() + "," + range() + "],\"writes\":[" +
              range() + "]" + stream;
    } else if (kind < 8) {
      text += "{\"op\":\"write\",\"to\":" + range() + ",\"fill\":" + std::to_string(random() % 256) + stream;
    } else if (kind < 9) {
      text += "{\"op\":\"read\",\"from\":[" + range() + "],\"schedule\":[0,1,2]" + stream;
    } else {
      text += "{\"op\":\"launch\",\"kernel\":\"fill\",\"writes\":[" + buffer() +
              "],\"args\":{\"value\":7},\"fault\":\"launch_out_of_resources\"" + stream;
    }
  }
  return text + (document ? "]}" : "\n");
}

void read_text(benchmark::State& state, bool document) {
  const std::string text = text_of_trace(document);
  for (auto _ : state) {
    std::istringstream input(text);
    NameTable names;
    std::uint64_t operations = 0;
    const auto problems = read_trace(input, names,
                                     {.header = {},
                                      .operation =
                                          [&](Operation&&) {
                                            ++operations;
                                            return true;
                                          },
                                      .end = {}});
    if (!problems.empty() || operations != kOperations) state.SkipWithError("not read whole");
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * kOperations);
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}

void BM_ReadLines(benchmark::State& state) { read_text(state, false); }
BENCHMARK(BM_ReadLines)->Unit(benchmark::kMillisecond);

void BM_ReadDocument(benchmark::State& state) { read_text(state, true); }
BENCHMARK(BM_ReadDocument)->Unit(benchmark::kMillisecond);

void BM_Write(benchmark::State& state) {
  const auto program = parse_program(text_of_trace(false));
  for (auto _ : state) {
    std::size_t bytes = 0;
    for (const Operation& operation : program->operations) bytes += operation_line(operation, program->names).size();
    benchmark::DoNotOptimize(bytes);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * kOperations);
}
BENCHMARK(BM_Write)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace taintgraph::traces
