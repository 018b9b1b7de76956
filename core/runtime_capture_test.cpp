// Capture and replay as the runtime judges them (G1-G3), on a device that does nothing.
#include <gtest/gtest.h>

#include <stdexcept>

#include "core/runtime.hpp"
#include "core/scripted_device_for_tests.hpp"

namespace taintgraph::core {
namespace {

class CaptureTest : public ::testing::Test {
 protected:
  enum class Seen { ok, failed, skipped, unwritten, poisoned, rejected };
  static Seen outcome(const Status& status) {
    return status ? Seen::ok : static_cast<Seen>(1 + static_cast<int>(status.error().outcome));
  }

  Handle alloc(std::uint64_t size_bytes) { return runtime_.alloc({.size_bytes = size_bytes}).handle; }
  Seen launch(std::vector<WeakBinding> reads, std::vector<WeakBinding> writes, std::uint32_t stream = 1) {
    return outcome(runtime_.launch({.kernel = "kernel",
                                    .reads = reads,
                                    .writes = writes,
                                    .scalars = {},
                                    .stream = StreamIndex{stream},
                                    .correlation = Correlation{++operations_}}));
  }
  Seen fail_launch(std::vector<WeakBinding> writes, std::uint32_t stream) {
    device_.fail("launch", error_named("launch_out_of_resources"));
    return launch({}, std::move(writes), stream);
  }
  Status begin() { return runtime_.capture_begin({.stream = kStream, .correlation = Correlation{++operations_}}); }
  Captured end() { return runtime_.capture_end({.stream = kStream, .correlation = Correlation{++operations_}}); }
  Seen replay(GraphId graph, std::uint32_t stream = 2) {
    status_ =
        runtime_.replay({.graph = graph, .stream = StreamIndex{stream}, .correlation = Correlation{++operations_}});
    runtime_.validate();
    return outcome(status_);
  }
  static constexpr StreamIndex kStream{1};
  ScriptedDevice device_;
  Runtime runtime_{device_, {.pool = {PoolKind::sliced, 32, 4096}}};
  std::uint64_t operations_ = 0;
  Status status_;
};

TEST_F(CaptureTest, RecordedWorkChangesNoClaimUntilItIsReplayed) {  // G1, G2
  const Handle x = alloc(64);
  const Handle y = alloc(64);
  EXPECT_EQ(fail_launch({x.weak()}, 0), Seen::failed);
  ASSERT_TRUE(begin());
  EXPECT_EQ(launch({x.weak()}, {y.weak()}), Seen::ok) << "not judged when recorded";
  const Captured graph = end();
  ASSERT_TRUE(graph);
  EXPECT_TRUE(runtime_.claims(y.weak()).empty());
  EXPECT_EQ(replay(*graph), Seen::skipped);
  EXPECT_EQ(device_.calls("replay"), 0);
  EXPECT_EQ(runtime_.claims(y.weak()).size(), 1u);
  EXPECT_EQ(launch({}, {x.weak()}, 0), Seen::ok);
  EXPECT_EQ(replay(*graph), Seen::ok);
  EXPECT_TRUE(runtime_.claims(y.weak()).empty());
}

TEST_F(CaptureTest, AWindowThatDoesNotEndWellIsSaid) {  // D3
  const Handle x = alloc(64);
  ASSERT_TRUE(begin());
  EXPECT_EQ(fail_launch({x.weak()}, 1), Seen::failed);
  device_.fail("abandon_capture", error_named("invalid_handle"));
  const Captured doomed = end();
  ASSERT_FALSE(doomed);
  EXPECT_EQ(doomed.error().error.name, "launch_out_of_resources") << "the first failure is what doomed it (G1)";
  EXPECT_NE(doomed.error().error.detail.find("ending the window"), std::string::npos) << doomed.error().error.detail;
  EXPECT_NE(doomed.error().error.detail.find("invalid_handle"), std::string::npos);

  ASSERT_TRUE(begin());
  device_.fail("abandon_capture", error_named("invalid_handle"));
  const Status dropped = runtime_.drop_recorded_work(Correlation{++operations_});
  ASSERT_FALSE(dropped);
  EXPECT_EQ(dropped.error().error.name, "invalid_handle");
  EXPECT_FALSE(runtime_.poison());

  ASSERT_TRUE(begin());
  device_.fail("abandon_capture", Error{.name = "illegal_address", .sticky = true, .recovery = Recovery::context});
  EXPECT_FALSE(runtime_.drop_recorded_work(Correlation{++operations_}));
  EXPECT_TRUE(runtime_.poison()) << "the loss of the device is never hidden (D1)";
}

TEST_F(CaptureTest, AReplayIsJudgedByWhatItReadsBeforeItWrites) {  // G2
  const Handle x = alloc(64);
  const Handle y = alloc(64);
  ASSERT_TRUE(begin());
  EXPECT_EQ(launch({}, {x.weak({0, 16})}), Seen::ok);
  EXPECT_EQ(launch({}, {x.weak({16, 32})}), Seen::ok);
  EXPECT_EQ(launch({x.weak({8, 40})}, {y.weak()}), Seen::ok);
  const Captured graph = end();
  ASSERT_TRUE(graph);
  EXPECT_EQ(fail_launch({x.weak({0, 32})}, 0), Seen::failed);
  EXPECT_EQ(replay(*graph), Seen::ok) << "it writes those bytes itself";
  EXPECT_EQ(fail_launch({x.weak({39, 40})}, 0), Seen::failed);
  const std::uint64_t root = operations_;
  EXPECT_EQ(replay(*graph), Seen::skipped);
  EXPECT_EQ(status_.error().several.reports.front().correlation, Correlation{root});
}

TEST_F(CaptureTest, AFailedReplayClaimsAllItWrites) {  // G2
  const Handle x = alloc(64);
  const Handle y = alloc(64);
  ASSERT_TRUE(begin());
  EXPECT_EQ(launch({}, {x.weak()}), Seen::ok);
  EXPECT_EQ(launch({x.weak()}, {y.weak({0, 8})}), Seen::ok);
  const Captured graph = end();
  device_.fail("replay", out_of_memory());
  EXPECT_EQ(replay(*graph), Seen::failed);
  EXPECT_EQ(runtime_.graph().tags(), 2u);
  EXPECT_EQ(runtime_.claims(y.weak()).front().range, (ByteRange{0, 8}));
  EXPECT_EQ(replay(*graph), Seen::ok);
  EXPECT_TRUE(runtime_.graph().empty());
}

TEST_F(CaptureTest, AFailureInsideTheWindowDoomsIt) {  // G1
  const Handle x = alloc(64);
  ASSERT_TRUE(begin());
  EXPECT_EQ(fail_launch({x.weak()}, 1), Seen::failed);
  const std::uint64_t first = operations_;
  EXPECT_TRUE(runtime_.claims(x.weak()).empty()) << "recorded work claims nothing";
  EXPECT_EQ(fail_launch({x.weak()}, 1), Seen::failed);
  EXPECT_EQ(launch({}, {x.weak()}), Seen::ok);
  const Captured graph = end();
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().outcome, Outcome::failed);
  EXPECT_EQ(graph.error().several.reports.front().correlation, Correlation{first});
  EXPECT_EQ(device_.calls("abandon_capture"), 1);
  EXPECT_TRUE(begin()) << "the stream is usable again";
  EXPECT_TRUE(end());
  EXPECT_TRUE(runtime_.graph().empty());
}

TEST_F(CaptureTest, RecordingsAndGraphsHoldTheirBuffers) {  // G3, C1
  Handle x = alloc(64);
  const BufferId id = x.id();
  ASSERT_TRUE(begin());
  EXPECT_EQ(launch({}, {x.weak()}), Seen::ok);
  EXPECT_TRUE(runtime_.free(x));
  EXPECT_EQ(runtime_.bytes_in_use(), 64u);
  EXPECT_EQ(launch({}, {{id, {0, 8}}}, 0), Seen::rejected) << "a freed name stays stale (R4)";
  const Captured graph = end();
  ASSERT_TRUE(graph);
  device_.fail("replay", out_of_memory());
  EXPECT_EQ(replay(*graph), Seen::failed);
  EXPECT_EQ(runtime_.graph().tags(), 1u) << "claims live on with what is held";
  EXPECT_TRUE(runtime_.destroy(*graph, Correlation::none));
  EXPECT_TRUE(runtime_.graph().empty());
  EXPECT_EQ(runtime_.bytes_in_use(), 0u);
  EXPECT_EQ(replay(*graph), Seen::rejected);
  EXPECT_EQ(outcome(runtime_.destroy(*graph, Correlation::none)), Seen::rejected);
}

TEST_F(CaptureTest, WhatHasNoMemoryIsRecordedAndJudgedWhenReplayed) {  // W5, G2
  device_.fail("reserve", out_of_memory(), 9);
  const Handle missing =
      runtime_.alloc({.size_bytes = 8, .from_new_page = true, .correlation = Correlation{77}}).handle;
  device_.fail("reserve", out_of_memory(), 0);
  const Handle x = alloc(8);
  for (const bool from : {true, false}) {
    ASSERT_TRUE(begin());
    const WeakBinding absent = missing.weak();
    EXPECT_EQ(
        outcome(runtime_.copy({.from = from ? absent : x.weak(), .to = from ? x.weak() : absent, .stream = kStream})),
        Seen::ok);
    const Captured graph = end();
    ASSERT_TRUE(graph);
    EXPECT_EQ(device_.calls("copy"), from ? 1 : 2) << "recording is work, and may fail";
    EXPECT_EQ(replay(*graph), Seen::skipped);
    EXPECT_EQ(status_.error().several.reports.front().correlation, Correlation{77});
  }
  ASSERT_TRUE(begin());
  EXPECT_EQ(outcome(runtime_.copy({.from = missing.weak(), .to = missing.weak(), .stream = kStream})), Seen::ok);
  EXPECT_EQ(device_.calls("copy"), 2) << "there is no address at all";
  device_.fail("copy", error_named("invalid_value"));
  EXPECT_EQ(outcome(runtime_.copy({.from = x.weak(), .to = missing.weak(), .stream = kStream})), Seen::failed);
  EXPECT_FALSE(end());
}

TEST_F(CaptureTest, HeldMemoryIsNotMoved) {
  const Handle x = alloc(64);
  ASSERT_TRUE(begin());
  EXPECT_EQ(launch({}, {x.weak({4, 4})}), Seen::ok) << "empty ranges hold their buffer too";
  EXPECT_EQ(outcome(runtime_.relocate({.buffer = x.id()})), Seen::rejected);
  const Captured graph = end();
  EXPECT_EQ(outcome(runtime_.relocate({.buffer = x.id()})), Seen::rejected);
  EXPECT_TRUE(runtime_.destroy(*graph, Correlation::none));
  EXPECT_EQ(outcome(runtime_.relocate({.buffer = x.id()})), Seen::ok);
}

TEST_F(CaptureTest, WhatACapturingStreamCannotDoIsRejectedAndDoomsNothing) {  // G1
  const Handle x = alloc(64);
  ASSERT_TRUE(begin());
  EXPECT_EQ(outcome(begin()), Seen::rejected);
  const std::vector<std::byte> bytes(64);
  std::vector<std::byte> to(64);
  const ReadPiece piece{x.weak(), to.data()};
  EXPECT_EQ(outcome(runtime_.write({.to = x.weak(), .bytes = bytes, .stream = kStream})), Seen::rejected);
  EXPECT_EQ(outcome(runtime_.read({.pieces = {&piece, 1}, .stream = kStream})), Seen::rejected);
  EXPECT_EQ(outcome(runtime_.sync({.stream = kStream})), Seen::rejected);
  EXPECT_EQ(outcome(runtime_.sync({})), Seen::rejected);
  EXPECT_EQ(outcome(runtime_.wait({.stream = StreamIndex{0}, .on = kStream})), Seen::rejected);
  EXPECT_EQ(outcome(runtime_.wait({.stream = kStream, .on = StreamIndex{0}})), Seen::rejected);
  EXPECT_EQ(outcome(runtime_.sync({.stream = StreamIndex{0}})), Seen::ok);
  EXPECT_EQ(launch({}, {x.weak()}, 0), Seen::ok) << "other streams go on";
  EXPECT_TRUE(end());
  const Captured none = end();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().outcome, Outcome::rejected);
}

TEST_F(CaptureTest,
       NoEventEntersACapture) {  // W6: what came before is finished first, what comes inside needs no order
  const Handle x = alloc(64);
  EXPECT_EQ(launch({}, {x.weak()}, 0), Seen::ok);
  EXPECT_EQ(launch({}, {x.weak()}, 1), Seen::ok);
  const std::size_t orders = device_.orders().size();
  ASSERT_TRUE(begin());
  EXPECT_EQ(launch({x.weak()}, {x.weak()}), Seen::ok);
  EXPECT_EQ(launch({}, {x.weak()}, 2), Seen::ok) << "stream 1 was waited for when its window began";
  EXPECT_EQ(device_.orders().size(), orders);
  EXPECT_TRUE(end());
}

TEST_F(CaptureTest, AReplayIsOrderedAsOneOperationAndAfterTheLast) {  // W6
  const Handle x = alloc(64);
  ASSERT_TRUE(begin());
  EXPECT_EQ(launch({}, {x.weak({0, 0})}), Seen::ok) << "touches nothing, and still runs once at a time";
  const Captured graph = end();
  EXPECT_EQ(replay(*graph, 2), Seen::ok);
  EXPECT_EQ(replay(*graph, 3), Seen::ok);
  EXPECT_EQ(device_.orders(), (std::vector<std::string>{"3<-2"}));
}

TEST_F(CaptureTest, PoisonClosesTheWindow) {  // D1
  const Handle x = alloc(64);
  ASSERT_TRUE(begin());
  device_.fail(
      "launch",
      {.name = "assert", .call = {}, .code = 710, .sticky = true, .recovery = Recovery::context, .detail = {}});
  EXPECT_EQ(launch({}, {x.weak()}), Seen::failed);
  EXPECT_TRUE(runtime_.poison());
  const Captured graph = end();
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().outcome, Outcome::poisoned);
  EXPECT_TRUE(runtime_.reset());
  EXPECT_TRUE(begin());
}

// The exception reaches the caller, and what came to light while it was undone is not lost for that (D1).
TEST_F(CaptureTest, ALossMetWhileAnExceptionIsUndoneIsNotHidden) {
  struct Throws final : HostCode {
    void run() override { throw std::runtime_error("host code"); }
  } throws;
  const Error lost{.name = "illegal_address", .sticky = true, .recovery = Recovery::context};
  const auto correlation_of_poison = [this] { return runtime_.graph().correlation(runtime_.poison()); };

  device_.fail("abandon_capture", lost);
  EXPECT_THROW(static_cast<void>(
                   runtime_.capture_begin({.stream = kStream, .correlation = Correlation{71}, .host_code = &throws})),
               std::runtime_error);
  ASSERT_TRUE(runtime_.poison());
  EXPECT_EQ(correlation_of_poison(), Correlation{71});
  ASSERT_TRUE(runtime_.reset());

  ASSERT_TRUE(begin());
  device_.fail("drop_graph", lost);
  EXPECT_THROW(static_cast<void>(
                   runtime_.capture_end({.stream = kStream, .correlation = Correlation{72}, .host_code = &throws})),
               std::runtime_error);
  ASSERT_TRUE(runtime_.poison());
  EXPECT_EQ(correlation_of_poison(), Correlation{72});
}

}  // namespace
}  // namespace taintgraph::core
