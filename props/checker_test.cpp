#include "props/checker.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "gpu/kernel_catalog.hpp"
#include "props/expectations.hpp"
#include "props/generator.hpp"
#include "traces/reader.hpp"
#include "traces/replayer.hpp"
#include "traces/session.hpp"
#include "traces/writer.hpp"

namespace taintgraph::props {
namespace {

using traces::Outcome;
using traces::Program;

Program parse(const std::string& lines) {
  return traces::parse_program(R"({"format":"taintgraph-trace","version":1,"device":{"streams":2}})"
                               "\n" +
                               lines)
      .value();
}

// A failure handed on through two buffers, and read.
const char* const kChain = R"({"op":"alloc","buffer":"X","size":8}
{"op":"alloc","buffer":"Y","size":8}
{"op":"launch","kernel":"iota","reads":[],"writes":["X"],"fault":"launch_out_of_resources"}
{"op":"launch","kernel":"copy","reads":["X"],"writes":["Y"],"stream":1}
{"op":"read","from":["Y"]})";

TEST(Checker, AProgramThatBehavesPasses) {
  CheckOptions options;
  options.keep_predictions = true;
  const CheckedRun run = check(parse(kChain), options);
  EXPECT_FALSE(run.disagreement);
  EXPECT_EQ(run.operations, 5U);
  EXPECT_EQ(run.faults, 1U);
  EXPECT_TRUE(run.cells.contains(
      {gpu::Call::cuLaunchKernel, gpu::FaultKind::launch_out_of_resources, ContextState::first, false}));
  EXPECT_EQ(run.features.of(Feature::chain_of_one), 1U);
  ASSERT_EQ(run.predictions.size(), 5U);
  EXPECT_EQ(run.predictions[4].outcome, Outcome::unwritten);
  EXPECT_EQ(run.predictions[4].roots, std::vector<std::uint64_t>{3});
  EXPECT_EQ(run.predictions[4].via, std::vector<std::uint64_t>{4});
}

// Programs as drawn, each with one fault that surfaces later: at the first operation that can meet it, or late.
TEST(Checker, WhoMayBeToBlameFollowsFromTheProgram) {
  std::size_t blamed = 0;
  for (std::uint64_t case_number = 0; case_number < 400; ++case_number) {
    Program program = generate(11, case_number, {});
    const std::size_t first = case_number % 20;
    for (std::size_t i = first; i < program.operations.size(); ++i) {
      traces::Operation& operation = program.operations[i];
      // Not of writes: a long one waits for its own pieces, and meets the fault itself.
      const bool submits = operation.kind == traces::OpKind::launch || operation.kind == traces::OpKind::copy;
      if (!submits || operation.fault) continue;
      operation.fault = sim::Fault{.kind = gpu::FaultKind::assert_, .when = gpu::FaultWhen::async};
      if (case_number % 2 == 1) operation.fault->surface_after_calls = case_number % 7;
      break;
    }
    CheckOptions options;
    options.keep_predictions = true;
    const CheckedRun run = check(program, options);
    ASSERT_FALSE(run.disagreement) << "case " << case_number << ", " << run.disagreement->property << " at step "
                                   << run.disagreement->step << ": expected " << run.disagreement->expected
                                   << ", found " << run.disagreement->found;
    for (const Prediction& each : run.predictions) blamed += each.suspects.size() > 1 && !each.suspects_open ? 1 : 0;
  }
  EXPECT_GT(blamed, 400U);
}

// Programs as drawn, in each of which one launch hangs and some waits have deadlines.
TEST(Checker, WhatHangsAndWhatGoesOnFollowsFromTheProgram) {
  const std::uint16_t spin = gpu::kernel_index("spin");
  std::size_t given_up = 0;
  for (std::uint64_t case_number = 0; case_number < 400; ++case_number) {
    Program program = generate(12, case_number, {});
    std::uint64_t launches = case_number % 12;
    for (traces::Operation& operation : program.operations) {
      if (operation.kind == traces::OpKind::sync && case_number % 3 == 0) operation.deadline = 100 * case_number;
      if (operation.kind != traces::OpKind::launch || launches-- != 0) continue;
      operation.kernel = spin;
      operation.scalar = 0;
    }
    CheckOptions options;
    options.keep_predictions = true;
    const CheckedRun run = check(program, options);
    ASSERT_FALSE(run.disagreement) << "case " << case_number << ", " << run.disagreement->property << " at step "
                                   << run.disagreement->step << ": expected " << run.disagreement->expected
                                   << ", found " << run.disagreement->found;
    for (const Prediction& each : run.predictions) given_up += each.outcome == Outcome::timeout ? 1 : 0;
  }
  EXPECT_GT(given_up, 150U);
}

TEST(Checker, TheFirstThingThatDoesNotHoldEndsTheRun) {
  const Program program = parse(std::string(kChain) + R"(
{"op":"check","failures":7}
{"op":"free","buffer":"X"})");
  const CheckedRun run = check(program, {});
  ASSERT_TRUE(run.disagreement);
  EXPECT_EQ(run.disagreement->property, "check");
  EXPECT_EQ(run.disagreement->step, 6U);
  EXPECT_EQ(run.disagreement->kind, traces::OpKind::check);
  EXPECT_EQ(run.disagreement->operation, R"({"op":"check","failures":7})");
  EXPECT_NE(run.disagreement->found.find('7'), std::string::npos);
  EXPECT_EQ(run.operations, 6U);
}

// The same call struck in one situation after another.
TEST(Checker, CellsKnowWhatTheContextHasBeenThrough) {
  const CheckedRun run = check(parse(R"({"op":"launch","kernel":"noop","fault":"launch_out_of_resources"}
{"op":"capture_begin","stream":1}
{"op":"launch","kernel":"noop","fault":"launch_out_of_resources"}
{"op":"launch","kernel":"noop","fault":{"kind":"assert","surface":{"after_calls":100}}}
{"op":"launch","kernel":"noop","fault":"launch_out_of_resources"}
{"op":"sync","stream":0}
{"op":"reset"}
{"op":"launch","kernel":"noop","fault":"launch_out_of_resources"})"),
                               {});
  ASSERT_FALSE(run.disagreement);
  const auto hit = [&run](ContextState context, bool capturing) {
    return run.cells.contains({gpu::Call::cuLaunchKernel, gpu::FaultKind::launch_out_of_resources, context, capturing});
  };
  EXPECT_TRUE(hit(ContextState::first, false));
  EXPECT_TRUE(hit(ContextState::first, true));
  EXPECT_TRUE(hit(ContextState::pending, true));
  EXPECT_TRUE(hit(ContextState::renewed, false));
  EXPECT_FALSE(hit(ContextState::renewed, true));
  EXPECT_FALSE(hit(ContextState::pending, false));
}

TEST(Checker, FingerprintIsTheSessions) {
  const Program program = generate(11, 4, {});
  traces::Session session(program.header, program.names);
  for (const traces::Operation& operation : program.operations) (void)session.execute(operation);
  EXPECT_EQ(check(program, {}).fingerprint, session.fingerprint());
}

TEST(Checker, SaysWhichStepIsNext) {
  std::vector<std::uint64_t> steps;
  CheckOptions options;
  options.before_step = [&steps](std::uint64_t ordinal) { steps.push_back(ordinal); };
  (void)check(parse(kChain), options);
  EXPECT_EQ(steps, (std::vector<std::uint64_t>{1, 2, 3, 4, 5}));
}

TEST(Checker, TheSnapshotIsOfTheLastStep) {
  CheckOptions options;
  options.keep_snapshot = true;
  const CheckedRun run = check(parse(kChain), options);
  ASSERT_TRUE(run.snapshot);
  EXPECT_EQ(run.snapshot->operations, 5U);
  ASSERT_EQ(run.snapshot->failures.size(), 1U);
  EXPECT_EQ(run.snapshot->failures[0].carriers, 2U);
}

// What is expected in a written trace is what the model said, and a replay, which has no model, agrees.
TEST(Expectations, HoldWhenReplayed) {
  for (std::uint64_t case_number = 0; case_number < 100; ++case_number) {
    const Program drawn = generate(12, case_number, {});
    CheckOptions options;
    options.keep_predictions = true;
    const CheckedRun run = check(drawn, options);
    ASSERT_FALSE(run.disagreement) << case_number << ' ' << run.disagreement->property;
    const Program program = with_expectations(drawn, run.predictions);
    traces::Replayer replayer(program.header, program.names, {}, {});
    for (const traces::Operation& operation : program.operations) replayer.execute(operation);
    EXPECT_EQ(replayer.mismatches(), 0U) << case_number;
  }
}

TEST(Expectations, SayOutcomeRootsChainErrorAndBytes) {
  const Program drawn = parse(std::string(kChain) + R"(
{"op":"write","to":"X","fill":3}
{"op":"read","from":[["X",0,2]]})");
  CheckOptions options;
  options.keep_predictions = true;
  const Program program = with_expectations(drawn, check(drawn, options).predictions);
  const auto line = [&program](std::size_t index) {
    return traces::operation_line(program.operations[index], program.names);
  };
  EXPECT_NE(line(4).find(R"("outcome":"unwritten")"), std::string::npos) << line(4);
  EXPECT_NE(line(4).find(R"("roots":["#3"])"), std::string::npos) << line(4);
  EXPECT_NE(line(4).find(R"("via":["#4"])"), std::string::npos) << line(4);
  EXPECT_NE(line(4).find(R"("error":"launch_out_of_resources")"), std::string::npos) << line(4);
  EXPECT_NE(line(6).find(R"("bytes":"0303")"), std::string::npos) << line(6);
}

// With one prediction turned round, the replay of what was written fails too.
TEST(Expectations, AWrongOneFailsInReplay) {
  const Program drawn = parse(kChain);
  CheckOptions options;
  options.keep_predictions = true;
  std::vector<Prediction> predictions = check(drawn, options).predictions;
  predictions[4].roots = {1};
  const Program program = with_expectations(drawn, predictions);
  traces::Replayer replayer(program.header, program.names, {}, {});
  for (const traces::Operation& operation : program.operations) replayer.execute(operation);
  EXPECT_EQ(replayer.mismatches(), 1U);
}

}  // namespace
}  // namespace taintgraph::props
