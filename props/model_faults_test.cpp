// The model by hand: what faults in the middle of an operation mean for it, and which answers are open.
#include "props/model_faults.hpp"

#include <gtest/gtest.h>

#include "props/model.hpp"
#include "traces/reader.hpp"

namespace taintgraph::props {
namespace {

using gpu::Call;
using gpu::FaultKind;
using gpu::FaultWhen;
using traces::Outcome;

sim::FiredFault planned(Call call, FaultKind kind) {
  sim::FiredFault fired;
  fired.call = call;
  fired.kind = kind;
  fired.when = gpu::row(kind).when;
  fired.planned = "p";
  return fired;
}

class ModelFaults : public testing::Test {
 protected:
  // Executes `operations` up to the last of them, which is left to step().
  void start(const std::string& operations, const std::string& device = "{}") {
    const std::string header = R"({"format":"taintgraph-trace","version":1,"device":)" + device + "}\n";
    program_ = *traces::parse_program(header + operations);
    model_.emplace(program_.header, program_.names);
    next_ = 0;
    while (next_ + 1 < program_.operations.size()) (void)step();
  }

  Prediction step(const std::vector<sim::FiredFault>& fired = {}) {
    const traces::Operation& operation = program_.operations[next_++];
    return model_->predict(operation, next_, fired);
  }

  // The last operation of a two-buffer program, with these planned faults during it.
  Prediction last(const std::string& operation, const std::vector<sim::FiredFault>& fired) {
    start(std::string(R"({"op":"alloc","buffer":"X","size":4}
{"op":"alloc","buffer":"Y","size":4}
{"op":"write","to":"X","fill":1}
)") + operation);
    return step(fired);
  }

  traces::Program program_;
  std::optional<Model> model_;
  std::size_t next_ = 0;
};

constexpr const char* kLaunch = R"({"op":"launch","kernel":"copy","reads":["X"],"writes":["Y"]})";
constexpr const char* kAlloc = R"({"op":"alloc","buffer":"N","size":4})";

TEST_F(ModelFaults, EventsThatFailCostNothingByThemselves) {
  for (const Call call : {Call::cuEventCreate, Call::cuEventRecord, Call::cuStreamWaitEvent}) {
    const Prediction answer = last(kLaunch, {planned(call, FaultKind::invalid_handle)});
    EXPECT_EQ(answer.outcome, Outcome::ok) << gpu::to_string(call);
    EXPECT_FALSE(answer.outcome_open) << gpu::to_string(call);
  }
}

TEST_F(ModelFaults, ACleanupThatCannotAskOrGiveBackSaysSo) {
  for (const Call call : {Call::cuEventRecord, Call::cuEventQuery, Call::cuMemFree}) {
    const Prediction answer = last(R"({"op":"cleanup"})", {planned(call, FaultKind::invalid_handle)});
    EXPECT_EQ(answer.outcome, Outcome::failed) << gpu::to_string(call);
    EXPECT_EQ(answer.failures, 0U) << "it has nothing to claim";
  }
}

TEST_F(ModelFaults, WaitingInsteadThatFailsTooFailsTheOperation) {
  const Prediction answer = last(kLaunch, {planned(Call::cuEventRecord, FaultKind::invalid_handle),
                                           planned(Call::cuStreamSynchronize, FaultKind::invalid_value)});
  EXPECT_EQ(answer.outcome, Outcome::failed);
  EXPECT_EQ(answer.error, "invalid_value");
  EXPECT_EQ(answer.tags, 1U);
}

TEST_F(ModelFaults, WorkCallsFailTheirOperation) {
  EXPECT_EQ(last(kLaunch, {planned(Call::cuLaunchKernel, FaultKind::launch_out_of_resources)}).outcome,
            Outcome::failed);
  EXPECT_EQ(last(kLaunch, {planned(Call::nvrtcCompileProgram, FaultKind::compile_error)}).error, "compile_error");
  EXPECT_EQ(last(kLaunch, {planned(Call::cuModuleLoadData, FaultKind::out_of_memory)}).error, "out_of_memory");
  EXPECT_EQ(last(R"({"op":"copy","from":"X","to":"Y"})", {planned(Call::cuMemcpyDtoDAsync, FaultKind::invalid_value)})
                .outcome,
            Outcome::failed);
  EXPECT_EQ(last(R"({"op":"read","from":"X"})", {planned(Call::cuStreamSynchronize, FaultKind::invalid_value)}).outcome,
            Outcome::failed);
}

TEST_F(ModelFaults, OneRefusalForWantOfMemoryIsHealedByTheRetry) {
  const sim::FiredFault refusal = planned(Call::cuMemAlloc, FaultKind::out_of_memory);
  EXPECT_EQ(last(kAlloc, {refusal}).outcome, Outcome::ok);
  EXPECT_EQ(last(kAlloc, {refusal, refusal}).outcome, Outcome::failed);
  EXPECT_EQ(last(kAlloc, {planned(Call::cuMemAlloc, FaultKind::invalid_value)}).outcome, Outcome::failed);
}

TEST_F(ModelFaults, OwnFaultStrikesEveryTryWhetherTheLogShowsItOrNot) {
  const char* alloc = R"({"op":"alloc","buffer":"N","size":4,"fault":"out_of_memory"})";
  sim::FiredFault own = planned(Call::cuMemAlloc, FaultKind::out_of_memory);
  own.planned.clear();
  EXPECT_EQ(last(alloc, {own}).outcome, Outcome::failed);
  EXPECT_EQ(last(alloc, {}).outcome, Outcome::failed);
}

TEST_F(ModelFaults, FirstFaultIsTheOneNamed) {
  const char* launch =
      R"({"op":"launch","kernel":"copy","reads":["X"],"writes":["Y"],"fault":"launch_out_of_resources"})";
  EXPECT_EQ(last(launch, {planned(Call::nvrtcCompileProgram, FaultKind::compile_error)}).error, "compile_error");
}

TEST_F(ModelFaults, ReadWaitsForItsOwnCopy) {
  const Prediction answer =
      last(R"({"op":"read","from":"X"})", {planned(Call::cuMemcpyDtoHAsync, FaultKind::illegal_address)});
  EXPECT_EQ(answer.outcome, Outcome::failed);
  EXPECT_EQ(answer.error, "illegal_address");
  EXPECT_EQ(model_->poison(), 4U);
}

TEST_F(ModelFaults, FaultInHousekeepingIsOpen) {
  const Prediction answer =
      last(R"({"op":"copy","from":"X","to":"Y"})", {planned(Call::cuMemFree, FaultKind::invalid_value)});
  EXPECT_EQ(answer.outcome, Outcome::ok);
  ASSERT_TRUE(answer.outcome_open);
  const Prediction other = model_->otherwise();
  EXPECT_EQ(other.outcome, Outcome::failed);
  EXPECT_EQ(other.roots, std::vector<std::uint64_t>{4});
  EXPECT_EQ(other.failures, 1U);
  EXPECT_FALSE(other.outcome_open);
}

TEST_F(ModelFaults, NobodyKnowsHowManyPiecesOfAFailedWriteCameThrough) {
  start(R"({"op":"alloc","buffer":"X","size":1}
{"op":"write","to":"X","fill":1,"fault":{"kind":"invalid_value","when":"after"}}
{"op":"trust","to":"X","note":"by eye"}
{"op":"read","from":"X"})");
  const Prediction answer = step();
  EXPECT_EQ(answer.outcome, Outcome::ok);
  EXPECT_EQ(answer.bytes, (reference::Values{reference::kUnknown}));
}

TEST_F(ModelFaults, StickyFaultInHousekeepingIsNotPassedOver) {
  const std::vector<sim::FiredFault> fired = {[] {
    sim::FiredFault fault = planned(Call::cuEventRecord, FaultKind::unknown);
    fault.when = FaultWhen::before;
    return fault;
  }()};
  const Prediction answer = last(kLaunch, fired);
  EXPECT_EQ(answer.outcome, Outcome::failed);
  EXPECT_FALSE(answer.outcome_open);
  EXPECT_EQ(model_->poison(), 4U);
}

TEST_F(ModelFaults, PlannedFaultLeftBehindByASkipIsNotForgotten) {
  start(R"({"op":"alloc","buffer":"X","size":4}
{"op":"write","to":"X","fill":1,"fault":"invalid_value"}
{"op":"launch","kernel":"copy","reads":["X"],"writes":["X"]})");
  EXPECT_EQ(step({planned(Call::cuMemFree, FaultKind::unknown)}).outcome, Outcome::skipped);
  EXPECT_TRUE(model_->fault_pending());
}

TEST_F(ModelFaults, AllocMaySurfaceAnEarlierFault) {
  start(R"({"op":"launch","kernel":"trap"}
{"op":"alloc","buffer":"N","size":4})");
  const Prediction quiet = step();
  EXPECT_EQ(quiet.outcome, Outcome::ok);
  ASSERT_TRUE(quiet.outcome_open);
  const Prediction loud = model_->otherwise();
  EXPECT_EQ(loud.outcome, Outcome::failed);
  EXPECT_EQ(loud.error, "launch_failed");
  EXPECT_EQ(model_->poison(), 2U);
  EXPECT_TRUE(model_->live_buffers().at(0).unallocated);
}

TEST_F(ModelFaults, CaptureRelocateAndCleanupMaySurfaceItToo) {
  for (const char* operation : {R"({"op":"capture_begin","stream":1})", R"({"op":"relocate","buffer":"X"})",
                                R"({"op":"cleanup"})", R"({"op":"capture_end","stream":2,"graph":"g"})"}) {
    start(std::string(R"({"op":"alloc","buffer":"X","size":4}
{"op":"capture_begin","stream":2}
{"op":"launch","kernel":"trap"}
)") + operation);
    const Prediction quiet = step();
    EXPECT_EQ(quiet.outcome, Outcome::ok) << operation;
    ASSERT_TRUE(quiet.outcome_open) << operation;
    EXPECT_EQ(model_->otherwise().outcome, Outcome::failed) << operation;
    EXPECT_FALSE(model_->capturing(1));
    EXPECT_TRUE(model_->live_graphs().empty());
  }
}

TEST_F(ModelFaults, FreeTrustDestroyAndCheckNeverSurfaceIt) {
  for (const char* operation :
       {R"({"op":"free","buffer":"X"})", R"({"op":"trust","to":"X","note":"n"})", R"({"op":"check","failures":0})"}) {
    start(std::string(R"({"op":"alloc","buffer":"X","size":4}
{"op":"launch","kernel":"trap"}
)") + operation);
    EXPECT_FALSE(step().outcome_open) << operation;
  }
}

constexpr const char* kDocumented = R"({"surfacing":"documented"})";

TEST_F(ModelFaults, LateFaultIsOpenUntilSomethingWaitsForIt) {
  const std::string trap =
      "{\"op\":\"alloc\",\"buffer\":\"X\",\"size\":4}\n"
      "{\"op\":\"launch\",\"kernel\":\"trap\",\"stream\":1}\n";
  for (const char* open : {R"({"op":"launch","kernel":"fill","writes":["X"],"args":{"value":1},"stream":1})",
                           R"({"op":"write","to":"X","fill":1})", R"({"op":"sync","stream":2})",
                           R"({"op":"wait","stream":2,"on":1})", R"({"op":"read","from":"X","stream":0})"}) {
    start(trap + open, kDocumented);
    const Prediction quiet = step();
    EXPECT_EQ(quiet.outcome, Outcome::ok) << open;
    ASSERT_TRUE(quiet.outcome_open) << open;
    EXPECT_EQ(model_->otherwise().outcome, Outcome::failed) << open;
  }
  for (const char* waits :
       {R"({"op":"sync"})", R"({"op":"sync","stream":1})", R"({"op":"read","from":"X","stream":1})"}) {
    start(trap + waits, kDocumented);
    const Prediction loud = step();
    EXPECT_EQ(loud.outcome, Outcome::failed) << waits;
    EXPECT_FALSE(loud.outcome_open) << waits;
  }
}

// Whatever touches the bytes of faulted work comes after it (W6): garbage is never read as if it were good.
TEST_F(ModelFaults, ReadingWhatFaultedWorkWroteIsWaitingForIt) {
  const std::string capture = R"({"op":"alloc","buffer":"X","size":1}
{"op":"alloc","buffer":"Y","size":1}
{"op":"capture_begin","stream":1}
{"op":"launch","kernel":"iota","writes":["X"],"stream":1,"fault":"illegal_address"}
{"op":"capture_end","stream":1,"graph":"g"}
{"op":"replay","graph":"g","stream":1}
)";
  const std::string launch = R"({"op":"alloc","buffer":"X","size":1}
{"op":"alloc","buffer":"Y","size":1}
{"op":"launch","kernel":"iota","writes":["X"],"stream":1,"fault":"illegal_address"}
)";
  const std::string copy = R"({"op":"copy","from":"X","to":"Y","stream":2}
)";
  for (const std::string& faulted : {launch, capture}) {
    for (const std::string& waits :
         {std::string(R"({"op":"read","from":"X","stream":0})"), copy + R"({"op":"read","from":"Y","stream":0})",
          copy + R"({"op":"sync","stream":2})"}) {
      start(faulted + waits, kDocumented);
      const Prediction loud = step();
      EXPECT_EQ(loud.outcome, Outcome::failed) << faulted << waits;
      EXPECT_FALSE(loud.outcome_open) << faulted << waits;
    }
    start(faulted + R"({"op":"sync","stream":2})", kDocumented);
    EXPECT_TRUE(step().outcome_open) << faulted;
  }
}

TEST_F(ModelFaults, FaultOfRecordedWorkIsNotTheReplaysOwn) {
  start(R"({"op":"capture_begin","stream":1}
{"op":"capture_end","stream":1,"graph":"g"}
{"op":"replay","graph":"g","stream":1})");
  sim::FiredFault recorded = planned(Call::cuGraphLaunch, FaultKind::illegal_address);
  recorded.planned.clear();
  const reference::Verdict verdict =
      reference::judge(program_.operations[2], std::vector{recorded}, false, false, false);
  EXPECT_FALSE(verdict.fails);
  EXPECT_FALSE(verdict.leaves_behind);
}

TEST_F(ModelFaults, StreamThatWaitedForTheFaultedOneWaitsForTheFault) {
  start(R"({"op":"launch","kernel":"trap","stream":1}
{"op":"wait","stream":2,"on":1}
{"op":"sync","stream":2})",
        kDocumented);
  const Prediction loud = step();
  EXPECT_EQ(loud.outcome, Outcome::failed);
  EXPECT_FALSE(loud.outcome_open);
}

TEST_F(ModelFaults, FaultWithADelayIsLateInStrictModeToo) {
  start(R"({"op":"alloc","buffer":"X","size":4}
{"op":"write","to":"X","fill":1,"fault":{"kind":"illegal_address","surface":{"after_calls":3}}}
{"op":"launch","kernel":"noop","stream":1})");
  EXPECT_TRUE(step().outcome_open);
}

TEST_F(ModelFaults, OtherAnswerGoesOnFromThere) {
  start(R"({"op":"alloc","buffer":"X","size":4}
{"op":"launch","kernel":"device_assert","stream":1}
{"op":"launch","kernel":"fill","writes":["X"],"args":{"value":1}})",
        kDocumented);
  ASSERT_TRUE(step().outcome_open);
  EXPECT_EQ(model_->otherwise().roots, std::vector<std::uint64_t>{3});
  EXPECT_EQ(model_->claims(traces::Ref{*program_.names.find("X")}), (std::vector<std::uint64_t>(4, 3)));
}

TEST_F(ModelFaults, WhichOfSeveralLateFaultsPoisonsIsOpenAndSoIsReset) {
  start(R"({"op":"launch","kernel":"device_assert","stream":1}
{"op":"launch","kernel":"trap","stream":2}
{"op":"sync"}
{"op":"reset"})",
        kDocumented);
  const Prediction reset = step();
  EXPECT_EQ(reset.outcome, Outcome::ok);
  ASSERT_TRUE(reset.outcome_open);
  const Prediction refused = model_->otherwise();
  EXPECT_EQ(refused.outcome, Outcome::failed);
  EXPECT_EQ(refused.roots, std::vector<std::uint64_t>{3});
  EXPECT_EQ(refused.error, "");
}

TEST_F(ModelFaults, RoomIsThePoolsToDefine) {
  const std::string device = R"({"memory":1000})";
  start(R"({"op":"alloc","buffer":"A","size":500})", device);
  EXPECT_FALSE(step().outcome_open);
  start(R"({"op":"alloc","buffer":"A","size":501})", device);
  const Prediction fits = step();
  EXPECT_EQ(fits.outcome, Outcome::ok);
  ASSERT_TRUE(fits.outcome_open);
  EXPECT_EQ(model_->otherwise().outcome, Outcome::failed);
  EXPECT_TRUE(model_->live_buffers().at(0).unallocated);
  start(R"({"op":"alloc","buffer":"A","size":1001})", device);
  const Prediction too_large = step();
  EXPECT_EQ(too_large.outcome, Outcome::failed);
  EXPECT_FALSE(too_large.outcome_open);
  start(R"({"op":"alloc","buffer":"A","size":400}
{"op":"relocate","buffer":"A"})",
        device);
  ASSERT_TRUE(step().outcome_open);
  EXPECT_EQ(model_->otherwise().outcome, Outcome::failed);
  EXPECT_FALSE(model_->live_buffers().at(0).unallocated);
}

}  // namespace
}  // namespace taintgraph::props
