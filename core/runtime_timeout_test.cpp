// Waits that are given up, on a device that does nothing: what they claim, prove and poison, namely nothing.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "core/runtime.hpp"
#include "core/scripted_device_for_tests.hpp"

namespace taintgraph::core {
namespace {

class TimeoutTest : public ::testing::Test {
 protected:
  void give_up(const std::string& call) { device_.fail(call, timed_out("cuStreamQuery")); }
  void expect_given_up(const Status& status) {
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().outcome, Outcome::timeout);
    EXPECT_TRUE(is_timeout(status.error().error));
    EXPECT_TRUE(status.error().several.reports.empty());
    EXPECT_FALSE(runtime_.poison());
    EXPECT_TRUE(runtime_.graph().empty());
    runtime_.validate();
  }

  ScriptedDevice device_;
  Runtime runtime_{device_, {.pool = {PoolKind::sliced, 32, 4096}}};
  Handle x_ = runtime_.alloc({.size_bytes = 8}).handle;
  std::vector<WeakBinding> x() { return {x_.weak()}; }
};

TEST_F(TimeoutTest, ASyncClaimsNothingAndALaterOneMaySucceed) {
  const auto writes = x();
  ASSERT_TRUE(runtime_.launch({.kernel = "k", .reads = {}, .writes = writes, .scalars = {}}));
  give_up("synchronize");
  expect_given_up(runtime_.sync({.stream = StreamIndex{0}, .deadline_nanoseconds = 7}));
  EXPECT_EQ(device_.deadline(), 1007u);
  EXPECT_TRUE(runtime_.claims(x_.weak()).empty());
  EXPECT_TRUE(runtime_.sync({.stream = StreamIndex{0}}));
  EXPECT_EQ(device_.deadline(), 1000 + ScriptedDevice::kPatience) << "no wait is without an end";
}

TEST_F(TimeoutTest, NothingIsProved) {
  const auto writes = x();
  ASSERT_TRUE(runtime_.launch({.kernel = "k", .reads = {}, .writes = writes, .scalars = {}}));
  give_up("synchronize");
  expect_given_up(runtime_.sync({}));
  Error sticky = error_named("assert");
  sticky.sticky = true;
  device_.fail("synchronize", sticky);
  const Status poisoned = runtime_.sync({});
  ASSERT_FALSE(poisoned);
  EXPECT_EQ(poisoned.error().several.reports.front().suspects.newest.size(), 1u);
  EXPECT_NE(to_string(poisoned.error().several.reports.front()).find("may be to blame: `k`"), std::string::npos);
}

TEST_F(TimeoutTest, AnErrorCountsForMoreThanAWaitGivenUp) {
  DeviceResult<void> kept = tl::unexpected(timed_out("cuStreamQuery"));
  keep_gravest(kept, tl::unexpected(error_named("invalid_handle")));
  EXPECT_EQ(kept.error().name, "invalid_handle");
  keep_gravest(kept, tl::unexpected(timed_out("cuStreamQuery")));
  EXPECT_EQ(kept.error().name, "invalid_handle");
}

TEST_F(TimeoutTest, AReadGivesNoBytes) {
  std::array<std::byte, 8> bytes{};
  const std::array pieces = {ReadPiece{x_.weak(), bytes.data()}};
  give_up("read");
  expect_given_up(runtime_.read({.pieces = pieces}));
  EXPECT_TRUE(runtime_.read({.pieces = pieces}));
}

TEST_F(TimeoutTest, ACaptureDoesNotBegin) {
  give_up("synchronize");
  expect_given_up(runtime_.capture_begin({.stream = StreamIndex{1}}));
  EXPECT_EQ(device_.calls("begin_capture"), 0);
  EXPECT_TRUE(runtime_.capture_begin({.stream = StreamIndex{1}}));
}

TEST_F(TimeoutTest, WorkThatCannotBeSubmittedForItFails) {
  const std::array<std::byte, 8> bytes{};
  give_up("write");
  const Status status = runtime_.write({.to = x_.weak(), .bytes = bytes});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().outcome, Outcome::failed) << "its bytes are not written, and nobody will do it";
  EXPECT_EQ(runtime_.claims(x_.weak()).size(), 1u);
}

TEST_F(TimeoutTest, TeardownLeavesMemoryToItsContext) {
  device_.fail("synchronize", timed_out("cuStreamQuery"), 100);
  const DeviceResult<void> closed = runtime_.close();
  ASSERT_FALSE(closed);
  EXPECT_TRUE(is_timeout(closed.error()));
  EXPECT_EQ(device_.calls("give_back"), 0);
}

}  // namespace
}  // namespace taintgraph::core
