#include "props/fault_sweep.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <set>

#include "props/recovery.hpp"
#include "traces/reader.hpp"

namespace taintgraph::props {
namespace {

traces::Program program_of(const std::string& operations) {
  auto program = traces::parse_program("{\"format\":\"taintgraph-trace\",\"version\":1,\"device\":{\"streams\":2}}\n" +
                                       operations);
  EXPECT_TRUE(program.has_value());
  return std::move(*program);
}

constexpr const char* kWork = R"({"op":"alloc","buffer":"X","size":8}
{"op":"launch","kernel":"iota","writes":["X"]}
{"op":"copy","from":["X",0,4],"to":["X",4,8],"stream":1}
{"op":"read","from":"X","expect":{"bytes":"0001020300010203"}}
{"op":"check","failures":0}
)";

TEST(FaultSweep, EveryCallOfAProgramFailsInEveryWayAndTheProgramRecovers) {
  const FaultSweepResult result = sweep_faults(program_of(kWork), {});
  for (const SweepFailure& failure : result.failures)
    ADD_FAILURE() << gpu::to_string(*failure.fault.call) << ' ' << failure.fault.skip << ": "
                  << failure.disagreement.property << ", expected " << failure.disagreement.expected << ", found "
                  << failure.disagreement.found;
  EXPECT_TRUE(result.finished);
  EXPECT_GT(result.struck, 200U);
  EXPECT_GT(result.runs, result.struck) << "each call is tried until there is no more of it";
}

// A judge that watches which faults a sweep plans.
TEST(FaultSweep, TriesEachCallOnceAloneAndOnceWithAllAfterIt) {
  FaultSweepOptions options;
  options.most_failures = 1000;
  options.judge = [](const traces::Program& program, const CheckOptions& check_options) {
    CheckedRun run = check(program, check_options);
    const sim::PlannedFault& fault = program.header.faults.front();
    if (fault.call != gpu::Call::cuMemAlloc || fault.fault.kind != gpu::FaultKind::not_permitted) return run;
    run.disagreement.emplace();
    run.disagreement->property = std::to_string(fault.skip) + (fault.persistent ? " on" : "");
    return run;
  };
  const FaultSweepResult result = sweep_faults(program_of(kWork), options);
  std::set<std::string> tried;
  for (const SweepFailure& failure : result.failures) tried.insert(failure.disagreement.property);
  EXPECT_EQ(tried.count("0"), 1U);
  EXPECT_EQ(tried.count("0 on"), 1U);
}

TEST(FaultSweep, ACrashIsAFindingAndNotTheEnd) {
  FaultSweepOptions options;
  options.most_failures = 2;
  options.judge = [](const traces::Program& program, const CheckOptions& check_options) {
    const sim::PlannedFault& fault = program.header.faults.front();
    if (fault.call == gpu::Call::cuMemAlloc && fault.fault.kind == gpu::FaultKind::out_of_memory && !fault.persistent)
      std::raise(SIGKILL);
    return check(program, check_options);
  };
  const FaultSweepResult result = sweep_faults(program_of(kWork), options);
  ASSERT_FALSE(result.failures.empty());
  EXPECT_EQ(result.failures[0].disagreement.property, "crash");
  EXPECT_EQ(result.failures[0].fault.call, gpu::Call::cuMemAlloc);
}

// A device that hangs is healthy, and no reset ends it.
TEST(FaultSweep, BehindAHangNoNewWorkIsExpected) {
  const FaultSweepResult result = sweep_faults(program_of(R"({"op":"alloc","buffer":"X","size":8}
{"op":"launch","kernel":"spin","writes":["X"]}
)"),
                                               {});
  for (const SweepFailure& failure : result.failures)
    ADD_FAILURE() << failure.disagreement.property << failure.disagreement.found;
  EXPECT_TRUE(result.finished);
  EXPECT_GT(result.struck, 100U);
}

// What cannot recover is a finding, unless only a new process could.
TEST(FaultSweep, NewWorkHasToRun) {
  const FaultSweepResult lost = sweep_faults(program_of(std::string(kWork) + R"({"op":"launch","kernel":"trap"}
{"op":"sync"}
)"),
                                             {});
  EXPECT_TRUE(lost.failures.empty());
  FaultSweepOptions options;
  options.judge = [](const traces::Program& program, const CheckOptions& check_options) {
    CheckOptions changed = check_options;
    changed.after_step = [&](std::uint64_t ordinal, const traces::StepResult& result) {
      traces::StepResult worse = result;
      if (ordinal == program.operations.size()) worse.outcome = traces::Outcome::failed;
      check_options.after_step(ordinal, worse);
    };
    return check(program, changed);
  };
  const FaultSweepResult stuck = sweep_faults(program_of(kWork), options);
  ASSERT_FALSE(stuck.failures.empty());
  EXPECT_EQ(stuck.failures[0].disagreement.property, "recovery");
}

TEST(Recovery, EndsWhatTheProgramBeganAndRunsNewWork) {
  const Recovery recovery = with_recovery(program_of(kWork));
  EXPECT_EQ(recovery.first, 6U);
  EXPECT_EQ(recovery.read, recovery.program.operations.size());
  CheckOptions options;
  options.keep_predictions = true;
  const CheckedRun run = check(recovery.program, options);
  ASSERT_FALSE(run.disagreement) << run.disagreement->property << run.disagreement->found;
  EXPECT_EQ(run.predictions.back().outcome, traces::Outcome::ok);
  EXPECT_EQ(run.predictions[recovery.reset - 1].outcome, traces::Outcome::rejected);
}

}  // namespace
}  // namespace taintgraph::props
