#include "props/libfuzzer/trace_mutator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "props/libfuzzer/bare_program.hpp"
#include "props/libfuzzer/budget.hpp"
#include "traces/reader.hpp"
#include "traces/writer.hpp"

namespace taintgraph::props {
namespace {

using traces::Program;

constexpr std::size_t kRoom = 1U << 16;

// The traces that the target begins with.
std::vector<std::string> corpus() {
  std::vector<std::string> texts;
  for (const char* folder : {"scenarios", "behaviours", "regressions"}) {
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(TAINTGRAPH_TRACES) / folder)) {
      if (entry.path().extension() != ".jsonl") continue;
      std::ifstream file(entry.path());
      texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
  }
  std::sort(texts.begin(), texts.end());  // folders have no order
  return texts;
}

Program parsed(const std::string& text) {
  auto program = traces::parse_program(text);
  EXPECT_TRUE(program) << traces::to_string(program.error().front(), "text") << '\n' << text;
  return program ? std::move(*program) : Program{};
}

std::vector<std::string> lines_of(Program program) {
  make_bare(program);
  std::vector<std::string> lines;
  for (const traces::Operation& operation : program.operations) {
    lines.push_back(traces::operation_line(operation, program.names));
  }
  return lines;
}

// What a trace must name its buffers by; these come on top of the budget.
std::size_t empty_reservations_at_end(const Program& program) {
  const auto last = std::find_if(program.operations.rbegin(), program.operations.rend(),
                                 [](const auto& each) { return each.kind != traces::OpKind::alloc || each.size > 0; });
  return static_cast<std::size_t>(last - program.operations.rbegin());
}

// Nothing of the corpus is lost to the budget.
TEST(TraceCorpus, FitsTheBudget) {
  const std::vector<std::string> texts = corpus();
  ASSERT_GT(texts.size(), 30U);
  for (const std::string& text : texts) {
    const Program program = parsed(text);
    EXPECT_TRUE(device_within_budget(program.header));
    EXPECT_EQ(operations_within_budget(program), program.operations.size()) << text;
  }
}

TEST(TraceMutator, MakesGoodTracesWithinTheBudget) {
  std::size_t changed = 0;
  std::size_t all = 0;
  std::set<int> growth;  // how many operations more or fewer
  for (const std::string& text : corpus()) {
    const std::vector<std::string> before = lines_of(parsed(text));
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const auto mutant = mutated(text, kRoom, seed);
      ASSERT_TRUE(mutant);
      const Program program = parsed(*mutant);
      EXPECT_GE(operations_within_budget(program) + empty_reservations_at_end(program), program.operations.size());
      const std::vector<std::string> after = lines_of(program);
      ++all;
      if (after != before) ++changed;
      growth.insert(static_cast<int>(after.size()) - static_cast<int>(before.size()));
    }
  }
  EXPECT_GT(changed, all * 3 / 4);  // the device alone may change, or nothing
  EXPECT_LT(*growth.begin(), -2);
  EXPECT_GT(*growth.rbegin(), 2);
}

// The operations that a mutant shares with what it came from are most of them: it is a relative, not a stranger.
TEST(TraceMutator, ChangesLittle) {
  std::size_t kept = 0;
  std::size_t all = 0;
  for (const std::string& text : corpus()) {
    const std::vector<std::string> before = lines_of(parsed(text));
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const std::vector<std::string> after = lines_of(parsed(*mutated(text, kRoom, seed)));
      std::multiset<std::string> left(after.begin(), after.end());
      for (const std::string& line : before) {
        const auto found = left.find(line);
        if (found == left.end()) continue;
        left.erase(found);
        ++kept;
      }
      all += before.size();
    }
  }
  EXPECT_GT(kept, all * 2 / 3);
  EXPECT_LT(kept, all);
}

TEST(TraceMutator, FollowsFromItsArgumentsAlone) {
  const std::vector<std::string> texts = corpus();
  std::set<std::string> different;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto once = mutated(texts[0], kRoom, seed);
    EXPECT_EQ(once, mutated(texts[0], kRoom, seed));
    EXPECT_EQ(crossed(texts[0], texts[1], kRoom, seed), crossed(texts[0], texts[1], kRoom, seed));
    different.insert(*once);
  }
  EXPECT_GT(different.size(), 25U);
}

TEST(TraceMutator, KeepsToTheRoomThereIs) {
  for (const std::string& text : corpus()) {
    for (const std::size_t room : {100U, 400U, 1000U}) {
      for (std::uint64_t seed = 0; seed < 4; ++seed) {
        for (const auto& result : {mutated(text, room, seed), crossed(text, text, room, seed)}) {
          if (!result) continue;
          EXPECT_LE(result->size(), room);
          (void)parsed(*result);
        }
      }
    }
  }
  EXPECT_FALSE(mutated("", 10, 1));
}

TEST(TraceMutator, DrawsAProgramWhereThereIsNone) {
  for (const char* bad : {"", "{", R"({"format":"something else"})"}) {
    const auto drawn = mutated(bad, kRoom, 3);
    ASSERT_TRUE(drawn);
    EXPECT_GT(parsed(*drawn).operations.size(), 3U);
    EXPECT_NE(*drawn, *mutated(bad, kRoom, 4));
    EXPECT_FALSE(crossed(bad, *drawn, kRoom, 3));
    EXPECT_FALSE(crossed(*drawn, bad, kRoom, 3));
  }
}

// Both parents are in a crossing: the first whole, of the second a part.
TEST(TraceMutator, CrossesTwoPrograms) {
  const std::string into = R"({"format":"taintgraph-trace","version":1}
{"op":"alloc","buffer":"X","size":4}
{"op":"sync","stream":1})";
  const std::string from = R"({"format":"taintgraph-trace","version":1}
{"op":"alloc","buffer":"Y","size":5}
{"op":"cleanup"})";
  std::set<std::size_t> sizes;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const std::vector<std::string> lines = lines_of(parsed(*crossed(into, from, kRoom, seed)));
    for (const std::string& line : lines_of(parsed(into))) {
      EXPECT_EQ(std::count(lines.begin(), lines.end(), line), 1);
    }
    sizes.insert(lines.size());
  }
  EXPECT_EQ(sizes, (std::set<std::size_t>{3, 4}));
}

TEST(TraceMutator, SeldomWantsBytes) {
  std::size_t wanted = 0;
  for (std::uint64_t seed = 0; seed < 2400; ++seed) wanted += wants_bytes_mutated("{}", seed) ? 1 : 0;
  EXPECT_GT(wanted, 50U);
  EXPECT_LT(wanted, 200U);
  for (std::uint64_t seed = 0; seed < 100; ++seed) EXPECT_FALSE(wants_bytes_mutated("", seed));
}

}  // namespace
}  // namespace taintgraph::props
