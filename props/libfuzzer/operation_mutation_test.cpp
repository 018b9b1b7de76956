#include "props/libfuzzer/operation_mutation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "props/libfuzzer/fault_mutation.hpp"
#include "props/libfuzzer/splice.hpp"
#include "props/operation_faults.hpp"
#include "traces/reader.hpp"
#include "traces/trace_text_for_tests.hpp"

namespace taintgraph::props {
namespace {

using traces::NameId;
using traces::Operation;
using traces::OpKind;
using traces::Program;

// One operation of each kind, at least.
constexpr const char* kAllKinds = R"({"format":"taintgraph-trace","version":1}
{"op":"alloc","buffer":"X","size":16}
{"op":"alloc","buffer":"Y","size":16}
{"op":"write","to":["X",0,4],"bytes":"01020304"}
{"op":"write","to":"X","fill":7}
{"op":"launch","id":"L","kernel":"scale","reads":["X"],"writes":["Y"],"args":{"by":3},"stream":1}
{"op":"copy","from":["X",0,8],"to":["Y",8,16]}
{"op":"read","from":["X",["Y",2,9]],"fault":"invalid_value"}
{"op":"sync"}
{"op":"wait","stream":1,"on":2}
{"op":"trust","to":["X",3,5]}
{"op":"cleanup"}
{"op":"relocate","buffer":"Y"}
{"op":"capture_begin","stream":3}
{"op":"capture_end","stream":3,"graph":"g"}
{"op":"capture_begin","stream":2}
{"op":"capture_end","stream":2,"graph":"h"}
{"op":"replay","graph":"g"}
{"op":"destroy","graph":"h"}
{"op":"reset"}
{"op":"check"}
{"op":"free","buffer":"X"})";

Program all_kinds() { return *traces::parse_program(kAllKinds); }

// In which of its fields an operation has become another.
std::set<std::string> changed_fields(const Operation& a, const Operation& b) {
  std::set<std::string> fields;
  const auto compare = [&fields](const char* name, const auto& one, const auto& other) {
    if (!(one == other)) fields.insert(name);
  };
  compare("stream", a.stream, b.stream);
  compare("has_stream", a.has_stream, b.has_stream);
  compare("on", a.on, b.on);
  compare("buffer", a.buffer, b.buffer);
  compare("graph", a.graph, b.graph);
  compare("size", a.size, b.size);
  compare("fill", a.fill, b.fill);
  compare("bytes", a.bytes, b.bytes);
  compare("deadline", a.deadline, b.deadline);
  compare("cleanup", a.cleanup, b.cleanup);
  compare("kernel", a.kernel, b.kernel);
  compare("scalar", a.scalar, b.scalar);
  compare("reads", a.reads, b.reads);
  compare("writes", a.writes, b.writes);
  compare("fault", a.fault, b.fault);
  return fields;
}

// Every mutant can be written and read again, and over many draws every field that an operation has is changed.
TEST(OperationMutation, ReachesEveryFieldAndStaysATrace) {
  const Program original = all_kinds();
  std::set<std::string> reached;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    for (std::size_t i = 0; i < original.operations.size(); ++i) {
      Program mutant = original;
      Random random(seed, i);
      mutate_operation(random, mutant, i);
      reached.merge(changed_fields(original.operations[i], mutant.operations[i]));
      EXPECT_EQ(mutant.operations[i].kind, original.operations[i].kind);
      EXPECT_EQ(mutant.operations[i].id, original.operations[i].id);
      const auto again = traces::parse_program(text_of(mutant));
      if (!again) {  // the one reservation of a buffer that others name may have become another's
        EXPECT_NE(again.error().front().message.find("no operation of this file allocates"), std::string::npos)
            << traces::to_string(again.error().front(), "mutant") << '\n'
            << text_of(mutant);
        EXPECT_EQ(mutant.operations[i].kind, OpKind::alloc);
        continue;
      }
      EXPECT_EQ(text_of(*again), text_of(mutant));
    }
  }
  EXPECT_EQ(reached.size(), 15U) << [&] {
    std::string all;
    for (const std::string& each : reached) all += each + ' ';
    return all;
  }();
}

// What has nothing to change stays as it is.
TEST(OperationMutation, LeavesAResetAlone) {
  Program program = all_kinds();
  const auto reset = std::find_if(program.operations.begin(), program.operations.end(),
                                  [](const Operation& each) { return each.kind == OpKind::reset; });
  const std::string before = text_of(program);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed, 0);
    mutate_operation(random, program, static_cast<std::size_t>(reset - program.operations.begin()));
  }
  EXPECT_EQ(text_of(program), before);
}

TEST(FaultMutation, DrawsKindsThatPassAndKindsThatStayAndTakesThemAway) {
  Operation launch;
  launch.kind = OpKind::launch;
  std::set<gpu::FaultKind> kinds;
  std::size_t removed = 0;
  Random random(1, 0);
  for (int i = 0; i < 3000; ++i) {
    EXPECT_TRUE(mutate_fault(random, launch));
    if (!launch.fault) {
      ++removed;
      continue;
    }
    kinds.insert(launch.fault->kind);
    EXPECT_TRUE(gpu::row(launch.fault->kind).injectable);
    EXPECT_FALSE(launch.fault->when == gpu::FaultWhen::async && !gpu::row(launch.fault->kind).sticky);
  }
  EXPECT_GT(removed, 100U);
  const auto injectable = std::count_if(gpu::fault_table().begin(), gpu::fault_table().end(),
                                        [](const gpu::FaultRow& row) { return row.injectable; });
  EXPECT_EQ(kinds.size(), static_cast<std::size_t>(injectable));  // a launch may carry them all
}

TEST(FaultMutation, KeepsOffWhatMayCarryNone) {
  for (const OpKind kind : {OpKind::free, OpKind::trust, OpKind::cleanup, OpKind::destroy, OpKind::reset}) {
    Operation operation;
    operation.kind = kind;
    Random random(1, 0);
    EXPECT_FALSE(mutate_fault(random, operation));
    EXPECT_FALSE(operation.fault);
  }
}

constexpr const char* kOther = R"({"format":"taintgraph-trace","version":1}
{"op":"alloc","buffer":"A","size":1}
{"op":"launch","id":"L","kernel":"copy","reads":["A"],"writes":["B"],"expect":{"outcome":"ok"}}
{"op":"launch","id":"M","kernel":"copy","reads":["B"],"writes":["A"]}
{"op":"alloc","buffer":"B","size":1})";

TEST(Splice, PutsARunOfOperationsWhereItIsTold) {
  const Program original = all_kinds();
  const Program other = *traces::parse_program(kOther);
  std::set<std::string> sources;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Program program = original;
    Random random(seed, 0);
    splice(random, program, 2, other, 1, 3);
    ASSERT_EQ(program.operations.size(), original.operations.size() + 2);
    EXPECT_TRUE(same(program.operations[1], original.operations[1]));
    EXPECT_TRUE(same(program.operations[4], original.operations[2]));
    const Operation& first = program.operations[2];
    const Operation& second = program.operations[3];
    EXPECT_EQ(first.reads[0].buffer, second.writes[0].buffer);  // A, whatever it is called
    EXPECT_EQ(first.writes[0].buffer, second.reads[0].buffer);  // B
    EXPECT_EQ(first.id, NameId::none);                          // taken
    EXPECT_EQ(program.names.text(second.id), "M");
    EXPECT_EQ(first.expect(), nullptr);
    sources.insert(program.names.text(first.reads[0].buffer));
  }
  EXPECT_EQ(sources, (std::set<std::string>{"A", "X", "Y"}));  // kept, or one of those that are there
}

}  // namespace
}  // namespace taintgraph::props
