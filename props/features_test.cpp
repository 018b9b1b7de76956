#include "props/features.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.hpp"
#include "props/features_for_tests.hpp"

namespace taintgraph::props {
namespace {

using traces::NameId;
using traces::Operation;
using traces::OpKind;
using traces::Outcome;
using traces::Ref;
using traces::StepResult;

Ref part(NameId buffer, std::uint64_t begin, std::uint64_t end) {
  return {.buffer = buffer, .whole = false, .begin = begin, .end = end};
}

TEST(Features, TableIsInOrderAndNamed) {
  std::size_t n = 0;
  for (const FeatureRow& row : feature_table()) {
    EXPECT_EQ(static_cast<std::size_t>(row.feature), n++);
    EXPECT_FALSE(row.name.empty());
  }
  EXPECT_EQ(n, kFeatureCount);
}

TEST(Features, ChainsAreToldApartByTheirDepth) {
  Observed observed;
  for (const std::size_t depth : {1U, 2U, 3U, 7U}) {
    Operation read;
    read.kind = OpKind::read;
    read.reads = {{.buffer = kA}};
    StepResult result;
    result.outcome = Outcome::unwritten;
    result.roots = {1};
    result.via.assign(depth, 2);
    observed.observe(read, result);
  }
  EXPECT_EQ(observed.of(Feature::chain_of_one), 1U);
  EXPECT_EQ(observed.of(Feature::chain_of_two), 1U);
  EXPECT_EQ(observed.of(Feature::chain_of_three_or_more), 2U);
  EXPECT_EQ(observed.of(Feature::several_roots), 0U);
}

TEST(Features, AClaimIsSplitOnlyFromInside) {
  Observed observed;
  observed.alloc(kA, 64);
  observed.work(OpKind::launch, {}, {part(kA, 8, 32)}, 0, Outcome::failed);
  observed.work(OpKind::write, {}, {part(kA, 8, 16)}, 0, Outcome::ok);
  EXPECT_EQ(observed.of(Feature::claim_split), 0U);
  observed.work(OpKind::launch, {}, {part(kA, 8, 32)}, 0, Outcome::failed);
  observed.work(OpKind::launch, {}, {part(kA, 31, 40)}, 0, Outcome::skipped);
  EXPECT_EQ(observed.of(Feature::reclaim), 1U);
  observed.work(OpKind::launch, {}, {part(kA, 8, 32)}, 0, Outcome::failed);
  observed.work(OpKind::write, {}, {part(kA, 9, 31)}, 0, Outcome::ok);
  EXPECT_EQ(observed.of(Feature::claim_split), 1U);
}

TEST(Features, CrossStreamOrderNeedsUnfinishedWorkElsewhere) {
  Observed observed;
  observed.alloc(kA, 8);
  observed.work(OpKind::write, {}, {{.buffer = kA}}, 0, Outcome::ok);
  observed.work(OpKind::launch, {{.buffer = kA}}, {}, 0, Outcome::ok);
  EXPECT_EQ(observed.of(Feature::cross_stream_order), 0U);
  observed.work(OpKind::launch, {{.buffer = kA}}, {}, 1, Outcome::ok);
  EXPECT_EQ(observed.of(Feature::cross_stream_order), 1U);
  Operation sync;
  sync.kind = OpKind::sync;
  observed.observe(sync, Outcome::ok);
  observed.work(OpKind::launch, {{.buffer = kA}}, {}, 0, Outcome::ok);
  EXPECT_EQ(observed.of(Feature::cross_stream_order), 1U);
}

TEST(Features, ReuseNeedsAFreeWithWorkQueuedAndTheSameSize) {
  Observed observed;
  observed.alloc(kA, 8);
  observed.work(OpKind::write, {}, {{.buffer = kA}}, 1, Outcome::ok);
  observed.free(kA);
  observed.alloc(kA, 9);
  EXPECT_EQ(observed.of(Feature::reuse_while_queued), 0U);
  observed.alloc(kB, 8);
  EXPECT_EQ(observed.of(Feature::reuse_while_queued), 1U);
}

TEST(Features, AFailedReservationAndWhatItRefuses) {
  Observed observed;
  observed.alloc(kA, 8, Outcome::failed);
  observed.work(OpKind::write, {}, {{.buffer = kA}}, 0, Outcome::unwritten);
  Operation launch;
  launch.kind = OpKind::launch;
  launch.writes = {{.buffer = kA}};
  StepResult skipped;
  skipped.outcome = Outcome::skipped;
  skipped.roots = {1};
  observed.observe(launch, skipped);
  skipped.roots = {2};  // some other failure's doing
  observed.observe(launch, skipped);
  EXPECT_EQ(observed.of(Feature::failed_reservation), 1U);
  EXPECT_EQ(observed.of(Feature::refused_host_write), 1U);
  EXPECT_EQ(observed.of(Feature::skipped_by_unallocated), 1U);
}

TEST(Features, RelocationsWithAndWithoutClaims) {
  Observed observed;
  Operation relocate;
  relocate.kind = OpKind::relocate;
  relocate.buffer = kA;
  observed.alloc(kA, 8);
  observed.observe(relocate, Outcome::ok);
  EXPECT_EQ(observed.of(Feature::relocated_claims), 0U);
  observed.work(OpKind::launch, {}, {{.buffer = kA}}, 0, Outcome::failed);
  observed.observe(relocate, Outcome::failed);
  observed.observe(relocate, Outcome::ok);
  EXPECT_EQ(observed.of(Feature::relocated), 2U);
  EXPECT_EQ(observed.of(Feature::relocated_claims), 1U);
  EXPECT_EQ(observed.of(Feature::relocation_failed), 1U);
}

TEST(Features, CapturesAndReplays) {
  Observed observed;
  Operation operation;
  operation.kind = OpKind::capture_begin;
  observed.observe(operation, Outcome::ok);
  observed.alloc(kA, 8);
  observed.work(OpKind::launch, {}, {{.buffer = kA}}, 0, Outcome::failed);
  observed.work(OpKind::launch, {}, {{.buffer = kA}}, 1, Outcome::failed);
  EXPECT_EQ(observed.of(Feature::recorded_failure), 1U);
  EXPECT_EQ(observed.of(Feature::reclaim), 0U);  // what is recorded claims nothing
  operation.kind = OpKind::capture_end;
  StepResult doomed;
  doomed.outcome = Outcome::failed;
  doomed.roots = {3};
  observed.observe(operation, doomed);
  observed.work(OpKind::launch, {}, {{.buffer = kA}}, 0, Outcome::failed);
  EXPECT_EQ(observed.of(Feature::recorded_failure), 1U);
  observed.observe(operation, Outcome::ok);
  operation.kind = OpKind::replay;
  for (const Outcome outcome : {Outcome::ok, Outcome::ok, Outcome::skipped, Outcome::failed}) {
    observed.observe(operation, outcome);
  }
  EXPECT_EQ(observed.of(Feature::capture_doomed), 1U);
  EXPECT_EQ(observed.of(Feature::capture_made_a_graph), 1U);
  EXPECT_EQ(observed.of(Feature::replayed), 2U);
  EXPECT_EQ(observed.of(Feature::replay_skipped), 1U);
  EXPECT_EQ(observed.of(Feature::replay_failed), 1U);
}

TEST(Features, AReplayBesideTheGraphsLastOne) {
  Observed observed;
  Operation replay;
  replay.kind = OpKind::replay;
  replay.graph = kB;
  observed.observe(replay, Outcome::ok);
  observed.observe(replay, Outcome::ok);  // the same stream
  EXPECT_EQ(observed.of(Feature::replay_beside_another), 0U);
  replay.stream = 1;
  observed.observe(replay, Outcome::ok);
  EXPECT_EQ(observed.of(Feature::replay_beside_another), 1U);
  Operation sync;
  sync.kind = OpKind::sync;
  sync.has_stream = true;
  sync.stream = 1;
  observed.observe(sync, Outcome::ok);
  replay.stream = 0;
  observed.observe(replay, Outcome::ok);  // the last one is over
  Operation end;
  end.kind = OpKind::capture_end;
  end.graph = kB;
  observed.observe(end, Outcome::ok);
  replay.stream = 1;
  observed.observe(replay, Outcome::ok);  // another graph
  EXPECT_EQ(observed.of(Feature::replay_beside_another), 1U);
}

TEST(Features, WhatIsTooMuchForOneBlockOrOneRing) {
  Observed observed;
  Operation launch;
  launch.kind = OpKind::launch;
  StepResult result;
  result.outcome = Outcome::failed;
  result.fragments = 128;
  observed.observe(launch, result);
  EXPECT_EQ(observed.of(Feature::many_fragments), 0U);
  result.fragments = 129;
  observed.observe(launch, result);
  EXPECT_EQ(observed.of(Feature::many_fragments), 1U);
  result.fragments = 999;
  observed.observe(launch, result);
  EXPECT_EQ(observed.of(Feature::a_thousand_fragments), 0U);
  result.fragments = 1000;
  observed.observe(launch, result);
  EXPECT_EQ(observed.of(Feature::a_thousand_fragments), 1U);
  Operation read;
  read.kind = OpKind::read;
  result = {};
  result.outcome = Outcome::unwritten;
  result.reports = {{1, 0}};
  observed.observe(read, result);
  EXPECT_EQ(observed.of(Feature::dropped_records), 0U);
  result.reports = {{1, 0}, {2, 1}};
  observed.observe(read, result);
  EXPECT_EQ(observed.of(Feature::dropped_records), 1U);
}

TEST(Features, RejectionsByReason) {
  Observed observed;
  Operation operation;
  StepResult result;
  result.outcome = Outcome::rejected;
  for (const std::string_view reason :
       {core::program_error::stale_handle, core::program_error::out_of_bounds, core::program_error::does_not_fit,
        core::program_error::length_mismatch, core::program_error::capture_state}) {
    result.error = reason;
    observed.observe(operation, result);
  }
  EXPECT_EQ(observed.of(Feature::rejected_stale), 1U);
  EXPECT_EQ(observed.of(Feature::rejected_out_of_bounds), 1U);
  EXPECT_EQ(observed.of(Feature::rejected_misfit), 1U);
  EXPECT_EQ(observed.of(Feature::rejected_otherwise), 1U);
  EXPECT_EQ(observed.of(Feature::rejected_by_capture), 1U);
}

TEST(Features, FloorsScaleWithCasesAndSpareSmallRuns) {
  FeatureCounts counts;
  EXPECT_TRUE(below_floor(counts, kFloorsFromCases - 1, 40).empty());
  EXPECT_TRUE(below_floor(counts, 10'000, kFloorsFromOperations - 1).empty());
  EXPECT_EQ(below_floor(counts, kFloorsFromCases, 40).size(), kFeatureCount);
  for (const FeatureRow& row : feature_table()) {
    counts.counts[static_cast<std::size_t>(row.feature)] = std::max<std::uint64_t>(1, row.floor_per_1000_cases);
  }
  EXPECT_TRUE(below_floor(counts, 1000, 40).empty());
  --counts.counts[static_cast<std::size_t>(Feature::cross_stream_order)];
  EXPECT_EQ(below_floor(counts, 1000, 40), std::vector<Feature>{Feature::cross_stream_order});
  EXPECT_FALSE(below_floor(counts, 100'000, 40).empty());
}

}  // namespace
}  // namespace taintgraph::props
