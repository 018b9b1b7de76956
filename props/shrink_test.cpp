// The shrinker against failures planted as plain functions of a program: what it must find is known, and how many runs
// that takes is counted.
#include "props/shrink.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <vector>

#include "props/generator.hpp"
#include "traces/writer.hpp"

namespace taintgraph::props {
namespace {

using traces::NameId;
using traces::Operation;
using traces::OpKind;
using traces::Program;
using traces::Ref;

struct Bytes {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

bool meet(Bytes a, Bytes b) { return std::max(a.begin, b.begin) < std::min(a.end, b.end); }

// Buffers as the operations so far leave them, by the simplest rules that planted failures need.
class Buffers {
 public:
  void take(const Operation& operation) {
    if (operation.kind == OpKind::alloc) sizes_.emplace(operation.buffer, operation.size);
    if (operation.kind == OpKind::free) sizes_.erase(operation.buffer);
  }
  [[nodiscard]] bool live(NameId buffer) const { return sizes_.count(buffer) > 0; }
  [[nodiscard]] Bytes bytes(const Ref& ref) const {
    const auto found = sizes_.find(ref.buffer);
    if (found == sizes_.end()) return {};
    if (ref.whole) return {0, found->second};
    return ref.end <= found->second ? Bytes{ref.begin, ref.end} : Bytes{};
  }

 private:
  std::map<NameId, std::uint64_t> sizes_;
};

bool is_work(const Operation& operation) {
  return operation.kind == OpKind::launch || operation.kind == OpKind::copy || operation.kind == OpKind::write;
}

using Planted = std::optional<std::size_t> (*)(const Program&);

// Claims by buffer: the last range that a faulty operation was to write.
template <class Judge>
std::optional<std::size_t> walk(const Program& program, Judge judge) {
  Buffers buffers;
  std::map<NameId, Bytes> claims;
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    const Operation& operation = program.operations[i];
    buffers.take(operation);
    if (operation.kind == OpKind::free) claims.erase(operation.buffer);
    if (judge(operation, buffers, claims)) return i + 1;
    if (!is_work(operation) || !operation.fault) continue;
    for (const Ref& ref : operation.writes) {
      const Bytes bytes = buffers.bytes(ref);
      if (bytes.begin < bytes.end) claims[ref.buffer] = bytes;
    }
  }
  return std::nullopt;
}

// An operation that fails to write, then a read that meets its bytes: alloc, launch, read.
std::optional<std::size_t> read_of_a_claim(const Program& program) {
  return walk(program, [](const Operation& operation, const Buffers& buffers, std::map<NameId, Bytes>& claims) {
    return operation.kind == OpKind::read &&
           std::any_of(operation.reads.begin(), operation.reads.end(), [&](const Ref& r) {
             return claims.count(r.buffer) > 0 && meet(claims[r.buffer], buffers.bytes(r));
           });
  });
}

// The claim handed on to another buffer first: two allocs, a failure, a launch, a read.
std::optional<std::size_t> read_of_a_claim_handed_on(const Program& program) {
  std::set<NameId> handed;
  return walk(program, [&](const Operation& operation, const Buffers& buffers, std::map<NameId, Bytes>& claims) {
    if (operation.kind == OpKind::alloc || operation.kind == OpKind::free) handed.erase(operation.buffer);
    if (operation.kind == OpKind::read) {
      return std::any_of(operation.reads.begin(), operation.reads.end(),
                         [&](const Ref& ref) { return handed.count(ref.buffer) > 0; });
    }
    if (operation.kind != OpKind::launch && operation.kind != OpKind::copy) return false;
    const bool claimed = std::any_of(operation.reads.begin(), operation.reads.end(), [&](const Ref& ref) {
      return claims.count(ref.buffer) > 0 && meet(claims[ref.buffer], buffers.bytes(ref));
    });
    for (const Ref& ref : operation.writes) {
      if (claimed && buffers.live(ref.buffer) && claims.count(ref.buffer) == 0) handed.insert(ref.buffer);
    }
    return false;
  });
}

// A buffer freed, its name allocated again and written: alloc, free, alloc, write.
std::optional<std::size_t> write_to_a_second_life(const Program& program) {
  std::map<NameId, int> lives;
  std::set<NameId> live;
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    const Operation& operation = program.operations[i];
    if (operation.kind == OpKind::alloc && live.insert(operation.buffer).second) ++lives[operation.buffer];
    if (operation.kind == OpKind::free) live.erase(operation.buffer);
    if (operation.kind != OpKind::write) continue;
    const NameId buffer = operation.writes[0].buffer;
    if (live.count(buffer) > 0 && lives[buffer] > 1) return i + 1;
  }
  return std::nullopt;
}

// A write strictly inside a claim: ranges may not become whole, only small.
std::optional<std::size_t> write_inside_a_claim(const Program& program) {
  return walk(program, [](const Operation& operation, const Buffers& buffers, std::map<NameId, Bytes>& claims) {
    if (operation.kind != OpKind::write || operation.fault) return false;
    const Ref& ref = operation.writes[0];
    const Bytes bytes = buffers.bytes(ref);
    return claims.count(ref.buffer) > 0 && bytes.begin < bytes.end && bytes.begin > claims[ref.buffer].begin &&
           bytes.end < claims[ref.buffer].end;
  });
}

// A graph made of a window that records something, and replayed: begin, launch or copy, end, replay.
std::optional<std::size_t> replay_of_work(const Program& program) {
  std::map<std::uint32_t, int> recorded;  // by stream
  std::set<std::uint32_t> open;
  std::set<NameId> graphs;
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    const Operation& operation = program.operations[i];
    if (operation.kind == OpKind::capture_begin && open.insert(operation.stream).second) recorded[operation.stream] = 0;
    if (operation.kind == OpKind::launch || operation.kind == OpKind::copy) ++recorded[operation.stream];
    if (operation.kind == OpKind::capture_end && open.erase(operation.stream) > 0 && recorded[operation.stream] > 0) {
      graphs.insert(operation.graph);
    }
    if (operation.kind == OpKind::destroy) graphs.erase(operation.graph);
    if (operation.kind == OpKind::replay && graphs.count(operation.graph) > 0) return i + 1;
  }
  return std::nullopt;
}

// A device lost twice and reset after each.
std::optional<std::size_t> second_reset(const Program& program) {
  bool lost = false;
  int resets = 0;
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    const Operation& operation = program.operations[i];
    lost = lost || (operation.fault && gpu::row(operation.fault->kind).sticky);
    if (operation.kind != OpKind::reset || !lost) continue;
    lost = false;
    if (++resets == 2) return i + 1;
  }
  return std::nullopt;
}

// A buffer of at least 1,000 bytes, written: numbers must come down to just that, not by ones.
std::optional<std::size_t> write_to_a_large_buffer(const Program& program) {
  return walk(program, [](const Operation& operation, const Buffers& buffers, std::map<NameId, Bytes>&) {
    return operation.kind == OpKind::write && buffers.bytes({.buffer = operation.writes[0].buffer}).end >= 1000;
  });
}

struct Statistics {
  std::vector<std::size_t> operations;
  std::vector<std::uint64_t> runs;
  std::vector<Program> programs;
};

Statistics shrink_many(Planted planted, std::size_t count) {
  Statistics statistics;
  for (std::uint64_t seed = 0; statistics.runs.size() < count && seed < 4000; ++seed) {
    const Program program = generate(seed, 0, {.operations = 250});
    const std::optional<std::size_t> needed = planted(program);
    if (!needed || *needed < 20) continue;
    const Shrunk shrunk = shrink(program, *needed, planted, {});
    EXPECT_TRUE(shrunk.finished);
    EXPECT_EQ(planted(shrunk.program), shrunk.program.operations.size());
    statistics.operations.push_back(shrunk.program.operations.size());
    statistics.runs.push_back(shrunk.runs);
    statistics.programs.push_back(shrunk.program);
  }
  EXPECT_EQ(statistics.runs.size(), count);
  std::sort(statistics.operations.begin(), statistics.operations.end());
  std::sort(statistics.runs.begin(), statistics.runs.end());
  return statistics;
}

template <class T>
T percentile(const std::vector<T>& sorted, std::size_t percent) {
  return sorted[(sorted.size() - 1) * percent / 100];
}

struct Case {
  const char* name;
  Planted planted;
  std::size_t minimum;
};

class ShrinkPlanted : public testing::TestWithParam<Case> {};

TEST_P(ShrinkPlanted, ReachesTheMinimumInFewRuns) {
  const Statistics statistics = shrink_many(GetParam().planted, 60);
  std::cout << GetParam().name << ": operations median " << percentile(statistics.operations, 50) << ", p95 "
            << percentile(statistics.operations, 95) << "; runs median " << percentile(statistics.runs, 50) << ", p95 "
            << percentile(statistics.runs, 95) << '\n';
  EXPECT_EQ(statistics.operations.front(), GetParam().minimum);  // fewer: the failure is not what it is taken for
  EXPECT_EQ(percentile(statistics.operations, 50), GetParam().minimum);
  EXPECT_LE(percentile(statistics.operations, 95), GetParam().minimum + 1);
  EXPECT_LE(percentile(statistics.runs, 50), 300U);
}

INSTANTIATE_TEST_SUITE_P(Failures, ShrinkPlanted,
                         testing::Values(Case{"read_of_a_claim", read_of_a_claim, 3},
                                         Case{"read_of_a_claim_handed_on", read_of_a_claim_handed_on, 5},
                                         Case{"write_to_a_second_life", write_to_a_second_life, 4},
                                         Case{"write_inside_a_claim", write_inside_a_claim, 3},
                                         Case{"replay_of_work", replay_of_work, 4},
                                         Case{"second_reset", second_reset, 4}),
                         [](const testing::TestParamInfo<Case>& each) { return std::string(each.param.name); });

TEST(Shrink, WhatIsLeftIsPlain) {
  const Statistics statistics = shrink_many(read_of_a_claim, 10);
  for (const Program& program : statistics.programs) {
    EXPECT_EQ(program.header.device.streams, 1U);
    EXPECT_FALSE(program.header.device.page_bytes);
    EXPECT_EQ(program.header.seed, 0U);
    for (const Operation& operation : program.operations) {
      const std::string line = traces::operation_line(operation, program.names);
      EXPECT_EQ(operation.stream, 0U) << line;
      if (operation.kind == OpKind::alloc) {
        EXPECT_EQ(operation.size, 1U) << line;
      }
      for (const std::vector<Ref>* refs : {&operation.reads, &operation.writes}) {
        EXPECT_LE(refs->size(), 1U) << line;
        for (const Ref& ref : *refs) EXPECT_TRUE(ref.whole) << line;
      }
    }
  }
}

TEST(Shrink, WhatMattersOfRangesStays) {
  const Statistics statistics = shrink_many(write_inside_a_claim, 10);
  for (const Program& program : statistics.programs) {
    for (const Operation& operation : program.operations) {
      if (operation.kind == OpKind::alloc) {
        EXPECT_LE(operation.size, 3U);
      }
    }
  }
}

TEST(Shrink, LargeNumbersComeDownInFewRuns) {
  const Statistics statistics = shrink_many(write_to_a_large_buffer, 30);
  EXPECT_EQ(statistics.operations.back(), 2U);
  for (const Program& program : statistics.programs) EXPECT_EQ(program.operations[0].size, 1000U);
  EXPECT_LE(percentile(statistics.runs, 95), 300U);
}

TEST(Shrink, TheBudgetEndsItWithTheBestSoFar) {
  const Program program = generate(1, 0, {.operations = 250});
  const auto needed = read_of_a_claim(program);
  ASSERT_TRUE(needed);
  const Shrunk shrunk = shrink(program, *needed, read_of_a_claim, {.max_runs = 5, .interrupted = {}});
  EXPECT_EQ(shrunk.runs, 5U);
  EXPECT_FALSE(shrunk.finished);
  EXPECT_TRUE(read_of_a_claim(shrunk.program));
}

TEST(Shrink, AnInterruptEndsItWithTheBestSoFar) {
  const Program program = generate(1, 0, {.operations = 250});
  const auto needed = read_of_a_claim(program);
  ASSERT_TRUE(needed);
  int asked = 0;
  ShrinkOptions options;
  options.interrupted = [&asked] { return ++asked > 3; };
  const Shrunk shrunk = shrink(program, *needed, read_of_a_claim, options);
  EXPECT_LE(shrunk.runs, 3U);
  EXPECT_FALSE(shrunk.finished);
  EXPECT_TRUE(read_of_a_claim(shrunk.program));
}

// Every run sees a program that the test was not asked about before with more operations: it only ever gets shorter.
TEST(Shrink, NeverGrows) {
  const Program program = generate(2, 0, {.operations = 250});
  std::size_t best = program.operations.size();
  const FailureTest test = [&best](const Program& candidate) -> std::optional<std::size_t> {
    EXPECT_LE(candidate.operations.size(), best);
    const auto found = write_to_a_second_life(candidate);
    if (found) best = *found;
    return found;
  };
  const auto needed = test(program);
  ASSERT_TRUE(needed);
  (void)shrink(program, *needed, test, {});
}

}  // namespace
}  // namespace taintgraph::props
