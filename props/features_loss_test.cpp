// Counting what has to do with losses of the device, lost order and waits in vain.
#include <gtest/gtest.h>

#include <string_view>
#include <utility>
#include <vector>

#include "props/features_for_tests.hpp"

namespace taintgraph::props {
namespace {

using traces::Operation;
using traces::OpKind;
using traces::Outcome;
using traces::StepResult;

StepResult failing(std::string_view error) {
  StepResult result;
  result.outcome = Outcome::failed;
  result.error = error;
  return result;
}

TEST(Features, LossesAndResets) {
  Observed observed;
  Operation launch;
  launch.kind = OpKind::launch;
  sim::FiredFault fault;
  fault.kind = gpu::FaultKind::assert_;
  fault.when = gpu::FaultWhen::before;
  StepResult result = failing("assert");
  result.fired = {fault};
  observed.observe(launch, result);
  EXPECT_EQ(observed.of(Feature::poisoned_at_once), 1U);
  observed.observe(launch, Outcome::poisoned);
  EXPECT_EQ(observed.of(Feature::poisoned_launch), 1U);
  Operation reset;
  reset.kind = OpKind::reset;
  observed.observe(reset, Outcome::ok);
  observed.observe(reset, Outcome::rejected);
  observed.observe(reset, Outcome::failed);
  observed.observe(launch, failing("invalid_value"));
  observed.observe(launch, failing("assert"));
  EXPECT_EQ(observed.of(Feature::surfaced_later), 1U);
  EXPECT_EQ(observed.of(Feature::surfaced_after_some_calls), 0U);
  EXPECT_EQ(observed.of(Feature::work_after_a_reset), 0U);
  StepResult quiet;
  fault.when = gpu::FaultWhen::async;
  fault.surface_after_calls = 3;
  quiet.fired = {fault};
  observed.observe(launch, quiet);
  observed.observe(launch, failing("assert"));
  EXPECT_EQ(observed.of(Feature::surfaced_later), 2U);
  EXPECT_EQ(observed.of(Feature::surfaced_after_some_calls), 1U);
  EXPECT_EQ(observed.of(Feature::work_after_a_reset), 1U);
  EXPECT_EQ(observed.of(Feature::reset_done), 1U);
  EXPECT_EQ(observed.of(Feature::reset_refused), 1U);
  EXPECT_EQ(observed.of(Feature::reset_in_vain), 1U);
  observed.observe(reset, Outcome::failed);
  observed.observe(reset, Outcome::ok);
  observed.observe(reset, Outcome::failed);
  Operation cleanup;
  cleanup.kind = OpKind::cleanup;
  observed.observe(cleanup, Outcome::ok);
  EXPECT_EQ(observed.of(Feature::reset_after_one_in_vain), 0U);
  observed.observe(reset, Outcome::ok);
  EXPECT_EQ(observed.of(Feature::reset_after_one_in_vain), 1U);
}

TEST(Features, DisorderNeedsWhatWasFallenBackOnToFailToo) {
  Observed observed;
  const auto observe = [&](OpKind kind, std::vector<sim::FiredFault> fired) {
    Operation operation;
    operation.kind = kind;
    StepResult result = failing("invalid_value");
    result.fired = std::move(fired);
    observed.observe(operation, result);
  };
  const auto fault = [](gpu::Call call) {
    sim::FiredFault fired;
    fired.call = call;
    return fired;
  };
  const sim::FiredFault no_event = fault(gpu::Call::cuEventRecord);
  const sim::FiredFault no_wait = fault(gpu::Call::cuStreamSynchronize);
  observe(OpKind::launch, {no_event});
  observe(OpKind::sync, {no_wait});
  EXPECT_EQ(observed.of(Feature::order_lost), 0U);
  observe(OpKind::launch, {no_event, no_wait});
  sim::FiredFault quiet = fault(gpu::Call::cuLaunchKernel);
  quiet.when = gpu::FaultWhen::async;
  quiet.surface_after_calls = 90;
  observe(OpKind::launch, {quiet});
  observe(OpKind::write, {fault(gpu::Call::cuStreamWaitEvent), no_wait});
  EXPECT_EQ(observed.of(Feature::order_lost), 2U);
  EXPECT_EQ(observed.of(Feature::order_lost_behind_a_quiet_fault), 1U);
  sim::FiredFault begins = fault(gpu::Call::cuStreamBeginCapture);
  observe(OpKind::capture_begin, {begins, fault(gpu::Call::cuStreamIsCapturing)});
  begins.when = gpu::FaultWhen::after;
  observe(OpKind::capture_begin, {begins});
  EXPECT_EQ(observed.of(Feature::window_in_doubt), 0U);
  observe(OpKind::capture_begin, {begins, fault(gpu::Call::cuStreamIsCapturing)});
  EXPECT_EQ(observed.of(Feature::window_in_doubt), 1U);
}

TEST(Features, WaitsThatAreGivenUp) {
  Observed observed;
  Operation sync;
  sync.kind = OpKind::sync;
  sync.has_stream = true;
  sync.stream = 1;
  sync.deadline = 100;
  observed.observe(sync, Outcome::timeout);
  sync.stream = 2;
  observed.observe(sync, Outcome::ok);  // of other work
  EXPECT_EQ(observed.of(Feature::given_up_then_done), 0U);
  Operation reset;
  reset.kind = OpKind::reset;
  observed.observe(reset, Outcome::ok);
  EXPECT_EQ(observed.of(Feature::hang_ended_by_a_reset), 0U);
  observed.observe(sync, Outcome::timeout);
  sync.deadline.reset();
  observed.observe(sync, Outcome::ok);
  observed.observe(sync, Outcome::ok);
  EXPECT_EQ(observed.of(Feature::given_up_then_done), 1U);
  EXPECT_EQ(observed.of(Feature::deadline_met), 1U);
  observed.work(OpKind::read, {{.buffer = kA}}, {}, 2, Outcome::timeout);
  Operation begin;
  begin.kind = OpKind::capture_begin;
  observed.observe(begin, Outcome::timeout);
  observed.observe(reset, Outcome::ok);
  observed.observe(reset, Outcome::ok);
  EXPECT_EQ(observed.of(Feature::sync_given_up), 2U);
  EXPECT_EQ(observed.of(Feature::read_given_up), 1U);
  EXPECT_EQ(observed.of(Feature::capture_begin_given_up), 1U);
  EXPECT_EQ(observed.of(Feature::hang_ended_by_a_reset), 1U);
}

}  // namespace
}  // namespace taintgraph::props
