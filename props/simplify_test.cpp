#include "props/simplify.hpp"

#include <gtest/gtest.h>

#include "gpu/kernel_catalog.hpp"
#include "props/decrements.hpp"
#include "props/generator.hpp"
#include "props/removal.hpp"
#include "traces/reader.hpp"
#include "traces/trace_text_for_tests.hpp"

namespace taintgraph::props {
namespace {

using traces::Operation;
using traces::OpKind;
using traces::Program;

Program parse(const std::string& lines) {
  return traces::parse_program(R"({"format":"taintgraph-trace","version":1})"
                               "\n" +
                               lines)
      .value();
}

std::uint64_t bytes_in_parts(const Operation& operation) {
  std::uint64_t bytes = 0;
  for (const std::vector<traces::Ref>* refs : {&operation.reads, &operation.writes}) {
    for (const traces::Ref& ref : *refs) bytes += ref.end - ref.begin;
  }
  return bytes;
}

// Following first candidates must come to an end: every step leads down.
TEST(Simplify, OperationsComeToAnEnd) {
  for (std::uint64_t case_number = 0; case_number < 200; ++case_number) {
    for (const Operation& drawn : generate(7, case_number, {}).operations) {
      if (bytes_in_parts(drawn) > 900) continue;  // the last candidates take them off one by one
      Operation operation = drawn;
      int steps = 0;
      for (auto simpler = simpler_operations(operation); !simpler.empty(); simpler = simpler_operations(operation)) {
        operation = simpler.back();
        ASSERT_LT(++steps, 10'000);
      }
      EXPECT_FALSE(operation.fault);
      EXPECT_EQ(operation.stream, 0U);
    }
  }
}

// A loss of the device becomes one at once that a reset recovers from, and never any other failure.
TEST(Simplify, LossesStayLosses) {
  const Program program =
      parse(R"({"op":"launch","kernel":"noop","fault":{"kind":"illegal_address","surface":{"after_calls":9}}})");
  Operation operation = program.operations[0];
  int steps = 0;
  for (bool found = true; found;) {
    found = false;
    for (const Operation& simpler : simpler_operations(operation)) {
      if (!simpler.fault) continue;
      EXPECT_TRUE(gpu::row(simpler.fault->kind).sticky);
      operation = simpler;
      found = true;
    }
    ASSERT_LT(++steps, 20);
  }
  EXPECT_EQ(operation.fault->kind, gpu::FaultKind::assert_);
  EXPECT_EQ(operation.fault->when, gpu::FaultWhen::before);
  EXPECT_FALSE(operation.fault->surface_after_calls);
}

TEST(Simplify, ADeadlineGoesOrGetsShorter) {
  const Operation sync = parse(R"({"op":"sync","deadline":1000})").operations.front();
  std::vector<std::optional<std::uint64_t>> deadlines;
  for (const Operation& simpler : simpler_operations(sync)) deadlines.push_back(simpler.deadline);
  EXPECT_EQ(deadlines, (std::vector<std::optional<std::uint64_t>>{std::nullopt, 0, 500}));
}

TEST(Simplify, AHangBecomesWorkThatDoesNothing) {
  const Operation spin = parse(R"({"op":"alloc","buffer":"X","size":1}
{"op":"launch","kernel":"spin","writes":["X"]})")
                             .operations.back();
  ASSERT_FALSE(simpler_operations(spin).empty());
  EXPECT_EQ(gpu::kernel_catalog()[simpler_operations(spin).front().kernel].name, "noop");
}

TEST(Simplify, HeadersComeToAnEnd) {
  traces::Header header = generate(7, 0, {}).header;
  int steps = 0;
  for (auto simpler = simpler_headers(header); !simpler.empty(); simpler = simpler_headers(header)) {
    header = simpler.back();
    ASSERT_LT(++steps, 100);
  }
  EXPECT_EQ(header.device.streams, 1U);
}

TEST(Simplify, SizesComeToAnEnd) {
  for (std::uint64_t case_number = 0; case_number < 30; ++case_number) {
    Program program = generate(8, case_number, {});
    int steps = 0;
    for (auto simpler = simpler_programs(program); !simpler.empty(); simpler = simpler_programs(program)) {
      program = simpler[simpler.size() / 2];
      ASSERT_LT(++steps, 100'000);
    }
  }
}

TEST(Simplify, DecrementsReachOneLessInFewSteps) {
  EXPECT_EQ(decrements(9, 1), (std::vector<std::uint64_t>{1, 5, 7, 8}));
  EXPECT_EQ(decrements(2, 1), std::vector<std::uint64_t>{1});
  EXPECT_TRUE(decrements(1, 1).empty());
  EXPECT_TRUE(decrements(0, 1).empty());
  EXPECT_LE(decrements(4096, 1).size(), 12U);
}

TEST(Simplify, RankedEdgesKeepEqualStretchesEqual) {
  const Program program = parse(R"({"op":"alloc","buffer":"X","size":100}
{"op":"alloc","buffer":"Y","size":100}
{"op":"copy","from":["X",10,30],"to":["Y",10,30]}
{"op":"read","from":[["Y",20,100]]})");
  bool found = false;
  for (const Program& simpler : simpler_programs(program)) {
    const Operation& copy = simpler.operations[2];
    const Operation& read = simpler.operations[3];
    found |= simpler.operations[0].size == 4 && copy.reads[0].begin == 1 && copy.reads[0].end == 3 &&
             copy.writes[0].begin == 1 && copy.writes[0].end == 3 && read.reads[0].begin == 2 && read.reads[0].end == 4;
  }
  EXPECT_TRUE(found);
}

TEST(Simplify, WhatIsLeftOfAPlanCanBeWrittenAndRead) {
  Program program = traces::parse_program(R"({"format":"taintgraph-trace","version":1,"faults":[)"
                                          R"({"id":"a","op":"P","kind":"invalid_value"},)"
                                          R"({"id":"b","op":"#2","kind":"invalid_value"},)"
                                          R"({"id":"c","kind":"invalid_value"}]})"
                                          "\n"
                                          R"({"op":"sync"})"
                                          "\n"
                                          R"({"op":"sync","id":"P"})")
                        .value();
  EXPECT_EQ(text_of(without_idle_faults(program)), text_of(program));
  program.operations.pop_back();
  EXPECT_FALSE(traces::parse_program(text_of(program)));
  program = without_idle_faults(std::move(program));
  ASSERT_EQ(program.header.faults.size(), 1U);
  EXPECT_EQ(program.header.faults[0].id, "c");
  EXPECT_TRUE(traces::parse_program(text_of(program)));
}

TEST(Removal, AGraphGoesWithTheWindowItCameFrom) {
  const Program program = parse(R"({"op":"launch","kernel":"noop","stream":1}
{"op":"capture_begin","stream":1}
{"op":"launch","kernel":"noop","stream":1}
{"op":"launch","kernel":"noop","stream":0}
{"op":"capture_end","stream":1,"graph":"g"}
{"op":"replay","graph":"g"}
{"op":"replay","graph":"h"}
{"op":"destroy","graph":"g"})");
  ASSERT_EQ(graphs_of(program).size(), 2U);
  const Program without = without_graph(program, graphs_of(program)[0]);
  ASSERT_EQ(without.operations.size(), 3U);
  EXPECT_EQ(without.operations[0].stream, 1U);
  EXPECT_EQ(without.operations[1].stream, 0U);
  EXPECT_EQ(without.operations[2].kind, OpKind::replay);
}

TEST(Removal, WhatOnlyMakesSenseTogether) {
  const Program program = parse(R"({"op":"free","buffer":"X"}
{"op":"alloc","buffer":"X","size":1}
{"op":"capture_begin","stream":1}
{"op":"capture_end","stream":1,"graph":"g"}
{"op":"capture_end","stream":0,"graph":"g"}
{"op":"sync","fault":{"kind":"assert","when":"before"}}
{"op":"sync","fault":"invalid_value"}
{"op":"reset"})");
  EXPECT_TRUE(belong_together(program, 0, 1));
  EXPECT_TRUE(belong_together(program, 2, 3));
  EXPECT_FALSE(belong_together(program, 2, 4));
  EXPECT_TRUE(belong_together(program, 5, 7));
  EXPECT_FALSE(belong_together(program, 6, 7));
}

TEST(Simplify, OneSizeFitsMatricesToo) {
  const Program program = parse(R"({"op":"alloc","buffer":"X","size":9}
{"op":"alloc","buffer":"Y","size":9}
{"op":"launch","kernel":"matmul","reads":["X","X"],"writes":["Y"],"args":{"n":3}})");
  bool ones = false;
  bool twos = false;
  for (const Program& simpler : simpler_programs(program)) {
    ones |= simpler.operations[0].size == 1 && simpler.operations[2].scalar == 1;
    twos |= simpler.operations[0].size == 4 && simpler.operations[2].scalar == 2;
  }
  EXPECT_TRUE(ones);
  EXPECT_TRUE(twos);
}

TEST(Simplify, PlainNamesFollowFirstUse) {
  const Program program = parse(R"({"op":"alloc","buffer":"left","size":1}
{"op":"alloc","buffer":"b0","size":1}
{"op":"copy","id":"P","from":"left","to":"b0","expect":{"outcome":"ok","roots":["P"]}}
{"op":"check","clean":["left"],"claimed":[["b0","P"]]})");
  EXPECT_EQ(text_of(with_plain_names(program)), text_of(parse(R"({"op":"alloc","buffer":"b0","size":1}
{"op":"alloc","buffer":"b1","size":1}
{"op":"copy","id":"P","from":"b0","to":"b1","expect":{"outcome":"ok","roots":["P"]}}
{"op":"check","clean":["b0"],"claimed":[["b1","P"]]})")));
}

}  // namespace
}  // namespace taintgraph::props
