#include "props/small_programs.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "props/checker.hpp"
#include "traces/writer.hpp"

namespace taintgraph::props {
namespace {

using traces::OpKind;

std::string operations_text(const traces::Program& program) {
  std::string text;
  for (const traces::Operation& each : program.operations) text += traces::operation_line(each, program.names) + "\n";
  return text;
}

// The alphabet: 5 kinds for either buffer and either stream (20), 2 for either buffer (4), sync of all (1), 5 for
// either stream (10): 35. Taking programs that differ in names as one, of length n there are
//     (35^n + b^n + s^n + t^n) / 4,
// where b letters stay the same when the buffers change names (1 + 10 = 11), s when the streams do (4 + 1 = 5), and t
// when both do (1): Burnside's lemma. For n = 1: (35 + 11 + 5 + 1) / 4 = 13, the kinds of which there are 13 as well.
// For n = 2: (1225 + 121 + 25 + 1) / 4 = 343; but nothing follows a first operation that is rejected for sure, which
// are 2 allocs, 2 ends of a capture and 2 replays: 6 * 35 pairs, of which 4 * 11 and 2 * 5 stay the same, so
// (210 + 44 + 10 + 0) / 4 = 66 are left out, and 277 stay. And there is the program of nothing.
TEST(SmallPrograms, AreAsManyAsCountedByHand) {
  EXPECT_EQ(SmallPrograms(0).size(), 1U);
  EXPECT_EQ(SmallPrograms(1).size(), 1U + 13U);
  EXPECT_EQ(SmallPrograms(2).size(), 1U + 13U + 277U);
}

TEST(SmallPrograms, NoTwoAreAlike) {
  const SmallPrograms programs(2);
  std::set<std::string> texts;
  for (std::uint64_t i = 0; i < programs.size(); ++i) texts.insert(operations_text(programs.program(i)));
  EXPECT_EQ(texts.size(), programs.size());
}

TEST(SmallPrograms, OnlyWhatIsCountedHasAnId) {
  const SmallPrograms programs(2);
  std::set<OpKind> kinds;
  std::size_t most = 0;
  for (std::uint64_t i = 0; i < programs.size(); ++i) {
    const traces::Program program = programs.program(i);
    std::size_t counted = 0;
    for (const traces::Operation& each : program.operations) {
      if (each.id == traces::NameId::none) continue;
      ++counted;
      kinds.insert(each.kind);
    }
    most = std::max(most, counted);
  }
  EXPECT_EQ(most, 2U);
  EXPECT_EQ(kinds.size(), 12U) << "of the 13 letters two are a sync";
}

// What the counting takes for granted: an operation is rejected for sure where nothing stands behind it, and there
// only.
TEST(SmallPrograms, NothingFollowsWhatIsRejectedForSure) {
  const SmallPrograms programs(3);
  for (std::uint64_t i = 0; i < programs.size(); i += 7) {
    const traces::Program program = programs.program(i);
    std::set<traces::NameId> freed;
    bool over = false;
    for (const traces::Operation& each : program.operations) {
      if (each.id == traces::NameId::none) continue;
      EXPECT_FALSE(over) << operations_text(program);
      for (const auto& refs : {each.reads, each.writes})
        for (const traces::Ref& ref : refs) over = over || freed.count(ref.buffer) > 0;
      if (each.kind == OpKind::free) over = !freed.insert(each.buffer).second;
      if (each.kind == OpKind::alloc) over = freed.erase(each.buffer) == 0;
      if (each.kind == OpKind::relocate) over = freed.count(each.buffer) > 0;
    }
  }
}

// Names exchanged, a program does the same: why one stands for all.
TEST(SmallPrograms, MirrorImagesDoTheSame) {
  const SmallPrograms programs(2);
  for (std::uint64_t i = 0; i < programs.size(); ++i) {
    const auto outcomes_of = [](const traces::Program& program) {
      std::string outcomes;
      CheckOptions options;
      options.after_step = [&](std::uint64_t ordinal, const traces::StepResult& result) {
        if (program.operations[static_cast<std::size_t>(ordinal - 1)].id == traces::NameId::none) return;
        outcomes += std::string(to_string(result.outcome)) + " " + std::to_string(result.failures) + "\n";
      };
      const CheckedRun run = check(program, options);
      EXPECT_FALSE(run.disagreement);
      return outcomes;
    };
    traces::Program mirrored = programs.program(i);
    const std::string outcomes = outcomes_of(mirrored);
    const traces::NameId x = *mirrored.names.find("X");
    const traces::NameId y = *mirrored.names.find("Y");
    const auto swap_buffer = [&](traces::NameId& name) { name = name == x ? y : name == y ? x : name; };
    for (traces::Operation& each : mirrored.operations) {
      if (each.id == traces::NameId::none) continue;
      swap_buffer(each.buffer);
      for (traces::Ref& ref : each.reads) swap_buffer(ref.buffer);
      for (traces::Ref& ref : each.writes) swap_buffer(ref.buffer);
      each.stream ^= 1U;
      each.on ^= 1U;
    }
    EXPECT_EQ(outcomes_of(mirrored), outcomes) << operations_text(mirrored);
  }
}

}  // namespace
}  // namespace taintgraph::props
