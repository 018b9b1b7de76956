// The runtime's judgement, on a device that does nothing: which operation is refused, skipped or failed, by what, and
// what is claimed afterwards. That the bytes are right is shown where there is a device.
#include "core/runtime.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "core/scripted_device_for_tests.hpp"

namespace taintgraph::core {
namespace {

class RuntimeTest : public ::testing::Test {
 protected:
  Handle alloc(std::uint64_t size_bytes) {
    Allocation made = runtime_.alloc({.size_bytes = size_bytes, .correlation = next()});
    EXPECT_TRUE(made.status);
    return std::move(made.handle);
  }
  Handle unallocated() {
    device_.fail("reserve", out_of_memory(), 9);
    Allocation made = runtime_.alloc({.size_bytes = 64, .from_new_page = true, .correlation = next()});
    device_.fail("reserve", out_of_memory(), 0);
    EXPECT_EQ(outcome(made.status), "failed");
    return std::move(made.handle);
  }
  Status launch(std::vector<WeakBinding> reads, std::vector<WeakBinding> writes, std::uint32_t stream = 0,
                std::string_view kernel = "kernel") {
    const Status status = runtime_.launch({.kernel = kernel,
                                           .reads = reads,
                                           .writes = writes,
                                           .scalars = {},
                                           .stream = StreamIndex{stream},
                                           .correlation = next()});
    runtime_.validate();
    return status;
  }
  Status failing_launch(std::vector<WeakBinding> writes, Error error = error_named("launch_out_of_resources")) {
    device_.fail("launch", std::move(error));
    Status status = launch({}, std::move(writes));
    EXPECT_EQ(outcome(status), "failed");
    return status;
  }
  Status read(const WeakBinding& from) {
    bytes_.resize(1024);
    const ReadPiece piece{from, bytes_.data()};
    return runtime_.read({.pieces = {&piece, 1}, .stream = StreamIndex{0}, .correlation = next()});
  }
  Status write(const WeakBinding& to, HostCode* host_code = nullptr) {
    bytes_.resize(to.range.size());
    return runtime_.write({.to = to, .bytes = bytes_, .correlation = next(), .host_code = host_code});
  }
  Correlation next() { return Correlation{++operations_}; }
  [[nodiscard]] std::uint64_t last() const { return operations_; }

  static std::string outcome(const Status& status) {
    if (status) return "ok";
    switch (status.error().outcome) {
      case Outcome::failed:
        return "failed";
      case Outcome::skipped:
        return "skipped";
      case Outcome::unwritten:
        return "unwritten";
      case Outcome::poisoned:
        return "poisoned";
      case Outcome::rejected:
        return "rejected";
      case Outcome::timeout:
        return "timeout";
    }
    return "?";
  }
  static std::vector<std::uint64_t> roots(const Status& status) {
    std::vector<std::uint64_t> found;
    if (status) return found;
    for (const FailureReport& each : status.error().several.reports)
      found.push_back(static_cast<std::uint64_t>(each.correlation));
    return found;
  }
  static Error sticky(Recovery recovery = Recovery::context) {
    return {
        .name = "assert", .call = "cuLaunchKernel", .code = 710, .sticky = true, .recovery = recovery, .detail = {}};
  }

  using Roots = std::vector<std::uint64_t>;
  ScriptedDevice device_;
  Runtime runtime_{device_, {.pool = {PoolKind::sliced, 32, 4096}}};
  std::vector<std::byte> bytes_;
  std::uint64_t operations_ = 0;
};

TEST_F(RuntimeTest, AFailedLaunchClaimsWhatItWasToWrite) {  // W2, W4
  const Handle x = alloc(64);
  const Status status = failing_launch({x.weak({8, 16})});
  const std::uint64_t failed = last();
  EXPECT_EQ(roots(status), (Roots{failed}));
  EXPECT_EQ(outcome(read(x.weak({0, 8}))), "ok");
  const Status unwritten = read(x.weak());
  EXPECT_EQ(outcome(unwritten), "unwritten");
  EXPECT_EQ(roots(unwritten), (Roots{failed}));
  EXPECT_EQ(unwritten.error().error.name, "launch_out_of_resources");
  EXPECT_EQ(unwritten.error().several.reports.front().carriers, 1u);
}

TEST_F(RuntimeTest, ALaunchThatReadsClaimedBytesIsSkippedAndPassesTheClaimOn) {  // W1
  const Handle x = alloc(64);
  const Handle y = alloc(64);
  static_cast<void>(failing_launch({x.weak()}));
  const std::uint64_t root = last();
  const int launches = device_.calls("launch");
  EXPECT_EQ(roots(launch({x.weak({0, 8})}, {y.weak({0, 8})})), (Roots{root}));
  const std::uint64_t skipped = last();
  EXPECT_EQ(device_.calls("launch"), launches) << "nothing ran";
  EXPECT_EQ(runtime_.graph().size(), 1u) << "a skip mints no failure";
  const Status unwritten = read(y.weak());
  ASSERT_EQ(unwritten.error().several.reports.front().chain.size(), 1u);
  EXPECT_EQ(unwritten.error().several.reports.front().chain.front().correlation, Correlation{skipped});
  EXPECT_EQ(outcome(read(y.weak({8, 64}))), "ok");
}

TEST_F(RuntimeTest, TheFirstClaimedReadDecidesAndEveryOtherIsOnRecord) {  // W1
  const Handle x = alloc(64);
  const Handle y = alloc(64);
  const Handle z = alloc(64);
  static_cast<void>(failing_launch({x.weak()}));
  const std::uint64_t first = last();
  static_cast<void>(failing_launch({y.weak()}));
  const std::uint64_t second = last();
  EXPECT_EQ(roots(launch({y.weak(), x.weak()}, {z.weak()})), (Roots{second}));
  const Status unwritten = read(z.weak());
  const SkipRecord& skip = unwritten.error().several.reports.front().chain.front();
  ASSERT_EQ(skip.inputs.size(), 2u);
  EXPECT_EQ(skip.inputs[0].binding, y.weak());
  EXPECT_EQ(runtime_.graph().correlation(skip.inputs[1].failure), Correlation{first});
}

TEST_F(RuntimeTest, AReadNamesEachFailureOnceInTheOrderFound) {  // R1
  const Handle x = alloc(64);
  static_cast<void>(failing_launch({x.weak({32, 40})}));
  const std::uint64_t first = last();
  static_cast<void>(failing_launch({x.weak({0, 8})}));
  const std::uint64_t second = last();
  const std::vector<ReadPiece> pieces{{x.weak({36, 64}), nullptr}, {x.weak(), nullptr}};
  EXPECT_EQ(roots(runtime_.read({.pieces = pieces, .stream = StreamIndex{0}, .correlation = next()})),
            (Roots{first, second}));
}

TEST_F(RuntimeTest, AFailedReservationIsARecordAgainstTheBuffer) {  // W5
  Handle missing = unallocated();
  const std::uint64_t root = last();
  const Handle x = alloc(64);
  EXPECT_EQ(roots(read(missing.weak())), (Roots{root}));
  EXPECT_EQ(outcome(write(missing.weak({0, 8}))), "unwritten");
  EXPECT_EQ(outcome(runtime_.trust(missing.weak())), "unwritten");
  EXPECT_EQ(roots(launch({missing.weak()}, {x.weak()})), (Roots{root}));
  EXPECT_EQ(roots(launch({}, {missing.weak()})), (Roots{root}));
  EXPECT_EQ(outcome(launch({missing.weak({3, 3})}, {missing.weak({0, 0})})), "ok") << "empty ranges touch nothing";
  EXPECT_EQ(runtime_.graph().tags(), 2u);
  EXPECT_TRUE(runtime_.free(missing));
  EXPECT_EQ(runtime_.graph().tags(), 1u) << "at once";
  runtime_.validate();
}

TEST_F(RuntimeTest, ProgramErrorsChangeNothing) {  // R4
  Handle x = alloc(64);
  const BufferId stale = x.id();
  EXPECT_TRUE(runtime_.free(x));
  EXPECT_EQ(outcome(runtime_.free(x)), "rejected");
  const Handle y = alloc(64);
  const std::size_t orders = device_.orders().size();
  EXPECT_EQ(outcome(read({stale, {0, 8}})), "rejected");
  EXPECT_EQ(outcome(read(y.weak({0, 65}))), "rejected");
  EXPECT_EQ(outcome(read(y.weak({9, 8}))), "rejected");
  EXPECT_EQ(outcome(launch({}, {y.weak()}, 4)), "rejected") << "no such stream";
  EXPECT_EQ(outcome(launch({}, {y.weak()}, 0, "unknown")), "rejected");
  EXPECT_EQ(outcome(runtime_.copy({.from = y.weak({0, 8}), .to = y.weak({4, 12})})), "rejected");
  EXPECT_EQ(outcome(runtime_.copy({.from = y.weak({0, 8}), .to = y.weak({8, 12})})), "rejected");
  EXPECT_EQ(outcome(runtime_.write({.to = y.weak(), .bytes = {}})), "rejected");
  EXPECT_EQ(outcome(runtime_.reset()), "rejected");
  EXPECT_TRUE(runtime_.graph().empty());
  EXPECT_EQ(runtime_.graph().last_minted(), FailureId()) << "no failure was even made";
  EXPECT_EQ(device_.orders().size(), orders);
  EXPECT_EQ(device_.calls("launch") + device_.calls("read") + device_.calls("write") + device_.calls("copy"), 0);
}

TEST_F(RuntimeTest, AHandleOfAnotherRuntimeIsUnknown) {  // R4
  ScriptedDevice other_device;
  Runtime other(other_device, {});
  const Handle mine = alloc(64);
  Handle theirs = other.alloc({.size_bytes = 64}).handle;
  EXPECT_EQ(outcome(runtime_.free(theirs)), "rejected");
  EXPECT_TRUE(theirs);
  EXPECT_EQ(outcome(read(mine.weak())), "ok");
}

class Throwing final : public HostCode {
 public:
  void run() override { throw std::runtime_error("host code"); }
};

TEST_F(RuntimeTest, AnExceptionOfHostCodeLeavesTheClaimStanding) {  // W2
  const Handle x = alloc(64);
  Throwing throwing;
  EXPECT_THROW(static_cast<void>(write(x.weak({0, 8}), &throwing)), std::runtime_error);
  runtime_.validate();
  const Status unwritten = read(x.weak());
  EXPECT_EQ(outcome(unwritten), "unwritten");
  EXPECT_EQ(unwritten.error().error.name, "host_exception");
  EXPECT_EQ(outcome(write(x.weak({0, 8}))), "ok");
  EXPECT_TRUE(runtime_.graph().empty());
}

TEST_F(RuntimeTest, AnEarlierFaultComesBeforeTheHostCodesOwn) {
  const Handle x = alloc(64);
  Throwing throwing;
  device_.fail("write", sticky());
  EXPECT_EQ(outcome(write(x.weak(), &throwing)), "failed");
  EXPECT_TRUE(runtime_.poison());
}

TEST_F(RuntimeTest, OrdersStreamsByTheBytesTheyTouch) {  // W6
  const Handle x = alloc(64);
  const Handle y = alloc(64);
  EXPECT_EQ(outcome(launch({}, {x.weak()}, 1)), "ok");
  EXPECT_EQ(outcome(launch({x.weak()}, {y.weak()}, 2)), "ok");
  EXPECT_EQ(outcome(launch({}, {x.weak()}, 3)), "ok");
  EXPECT_EQ(device_.orders(), (std::vector<std::string>{"2<-1", "3<-1", "3<-2"}));
}

TEST_F(RuntimeTest, WorkThatCannotBeOrderedFailsAndIsNotSubmitted) {  // W6, D3
  const Handle x = alloc(64);
  EXPECT_EQ(outcome(launch({}, {x.weak()}, 1)), "ok");
  device_.fail("order_after", error_named("invalid_handle"));
  EXPECT_EQ(outcome(launch({x.weak()}, {x.weak()}, 2)), "failed");
  EXPECT_EQ(device_.calls("launch"), 1);
  EXPECT_EQ(outcome(read(x.weak())), "unwritten");
}

TEST_F(RuntimeTest, AStickyErrorPoisonsTheDevice) {  // D1
  const Handle x = alloc(64);
  Handle y = alloc(64);
  static_cast<void>(failing_launch({x.weak({0, 8})}));
  const std::uint64_t own = last();
  device_.fail("synchronize", sticky());
  EXPECT_EQ(outcome(runtime_.sync({.stream = StreamIndex{0}, .correlation = next()})), "failed");
  const std::uint64_t poison = last();
  EXPECT_EQ(roots(read(x.weak())), (Roots{own, poison}));
  EXPECT_EQ(outcome(read(y.weak())), "poisoned");
  EXPECT_EQ(outcome(launch({}, {y.weak({8, 16})})), "poisoned");
  const Allocation refused = runtime_.alloc({.size_bytes = 8, .correlation = next()});
  EXPECT_EQ(outcome(refused.status), "poisoned");
  EXPECT_EQ(outcome(runtime_.wait({.stream = StreamIndex{0}, .on = StreamIndex{1}})), "poisoned");
  EXPECT_TRUE(runtime_.trust(x.weak()));
  EXPECT_TRUE(runtime_.cleanup(CleanupMode::immediate, next()));
  EXPECT_TRUE(runtime_.free(y));
  runtime_.validate();
  EXPECT_EQ(runtime_.graph().size(), 1u) << "what holds the device stays";
  EXPECT_EQ(runtime_.graph().tags(), 1u) << "carried by the refused buffer alone";
}

TEST_F(RuntimeTest, ADeviceWideSyncReportsTheGravestError) {  // D1, D3
  device_.fail("synchronize", error_named("invalid_handle"));
  EXPECT_EQ(outcome(runtime_.sync({.stream = std::nullopt, .correlation = next()})), "failed");
  EXPECT_EQ(device_.calls("synchronize"), 4) << "the other streams are waited for all the same";
  EXPECT_FALSE(runtime_.poison());
}

TEST_F(RuntimeTest, AResetLosesEveryLiveBuffer) {  // D2
  Handle x = alloc(64);
  Handle missing = unallocated();
  Handle empty = alloc(0);
  device_.fail("launch", sticky());
  EXPECT_EQ(outcome(launch({}, {x.weak()})), "failed");
  const std::uint64_t poison = last();
  EXPECT_TRUE(runtime_.reset());
  runtime_.validate();
  EXPECT_FALSE(runtime_.poison());
  EXPECT_EQ(roots(read(x.weak())), (Roots{poison}));
  EXPECT_EQ(roots(read(missing.weak())), (Roots{poison}));
  EXPECT_EQ(runtime_.graph().tags(), 3u);
  EXPECT_EQ(outcome(launch({}, {alloc(8).weak()})), "ok");
  EXPECT_TRUE(runtime_.free(x));
  EXPECT_TRUE(runtime_.free(missing));
  EXPECT_TRUE(runtime_.free(empty));
  EXPECT_TRUE(runtime_.graph().empty());
}

TEST_F(RuntimeTest, WhatNeedsANewProcessStaysPoisoned) {  // D2
  const Handle x = alloc(64);
  device_.fail("launch", sticky(Recovery::process));
  static_cast<void>(launch({}, {x.weak()}));
  const std::uint64_t poison = last();
  const Status reset = runtime_.reset();
  EXPECT_EQ(outcome(reset), "failed");
  EXPECT_EQ(roots(reset), (Roots{poison}));
  EXPECT_EQ(device_.calls("recreate"), 0);
  EXPECT_TRUE(runtime_.poison());
}

TEST_F(RuntimeTest, AResetThatFailsSaysWhyAndMayBeTriedAgain) {  // D2, D3
  const Handle x = alloc(64);
  device_.fail("launch", sticky());
  static_cast<void>(launch({}, {x.weak()}));
  const std::uint64_t poison = last();
  device_.fail("recreate", out_of_memory());
  const Status reset = runtime_.reset();
  EXPECT_EQ(outcome(reset), "failed");
  EXPECT_EQ(roots(reset), (Roots{poison}));
  EXPECT_EQ(reset.error().error.detail, "then, making the device again, cuMemAlloc returned out_of_memory");
  EXPECT_TRUE(runtime_.poison());
  EXPECT_TRUE(runtime_.reset());
  EXPECT_FALSE(runtime_.poison());
}

TEST_F(RuntimeTest, ClaimsAreCutToTheirBuffer) {  // W5
  const Handle missing = unallocated();
  const std::vector<Claim> claims = runtime_.claims(missing.weak({8, UINT64_MAX}));
  ASSERT_EQ(claims.size(), 1u);
  EXPECT_EQ(claims.front().range, (ByteRange{8, missing.size_bytes()}));
  EXPECT_TRUE(runtime_.claims(missing.weak({missing.size_bytes(), UINT64_MAX})).empty());
}

TEST_F(RuntimeTest, RelocationTakesTheClaimsAlong) {  // B4
  Handle x = alloc(64);
  static_cast<void>(failing_launch({x.weak({8, 16})}));
  EXPECT_TRUE(runtime_.relocate({.buffer = x.id(), .correlation = next()}));
  runtime_.validate();
  EXPECT_EQ(runtime_.claims(x.weak()).size(), 1u);
  EXPECT_EQ(runtime_.claims(x.weak()).front().range, (ByteRange{8, 16}));
  device_.fail("copy", error_named("invalid_value"));
  EXPECT_EQ(outcome(runtime_.relocate({.buffer = x.id(), .correlation = next()})), "failed");
  EXPECT_EQ(runtime_.claims(x.weak()).size(), 1u);
  EXPECT_EQ(runtime_.graph().size(), 1u);
  EXPECT_EQ(outcome(runtime_.relocate({.buffer = BufferId(), .correlation = next()})), "rejected");
  EXPECT_EQ(outcome(runtime_.relocate({.buffer = unallocated().id(), .correlation = next()})), "rejected");
}

}  // namespace
}  // namespace taintgraph::core
