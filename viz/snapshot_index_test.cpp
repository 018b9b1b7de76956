#include "viz/snapshot_index.hpp"

#include <gtest/gtest.h>

#include "viz/snapshots_for_tests.hpp"

namespace taintgraph::viz {
namespace {

TEST(SnapshotIndex, ACarrierIsListedOnceHoweverManyRangesItCarries) {
  const traces::Snapshot snapshot = one_of_each();
  const SnapshotIndex index(snapshot);
  EXPECT_EQ(index.carriers(2), std::vector<std::size_t>{4});  // E, with two claims of P
  EXPECT_EQ(index.carriers(0), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(index.trusted_buffers(), 2U);
}

TEST(SnapshotIndex, ABufferIsFoundBySerialAndName) {
  const traces::Snapshot snapshot = one_of_each();
  const SnapshotIndex index(snapshot);
  EXPECT_EQ(index.buffer({"E", 12, 0, 1}), 4U);
  EXPECT_EQ(index.buffer({"gone", 7, 0, 1}), kNone);
  EXPECT_EQ(index.buffer({"other", 12, 0, 1}), kNone);
  EXPECT_EQ(index.failure(8), 2U);
  EXPECT_EQ(index.failure(99), kNone);
}

TEST(SnapshotIndex, FocusFindsClaimsReasonsAndRecords) {
  const traces::Snapshot snapshot = one_of_each();
  const SnapshotIndex index(snapshot);
  EXPECT_EQ(index.failures_in_focus("B"), std::vector<std::size_t>{0});       // a reason
  EXPECT_EQ(index.failures_in_focus("E"), (std::vector<std::size_t>{2, 3}));  // claims
  EXPECT_EQ(index.failures_in_focus("N"), (std::vector<std::size_t>{1, 2}));  // a claim, and a record's input
  EXPECT_EQ(index.failures_in_focus("gone"), std::vector<std::size_t>{2});    // a record alone
  EXPECT_TRUE(index.failures_in_focus("untouched").empty());
  EXPECT_EQ(index.failures_in_focus({}), (std::vector<std::size_t>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace taintgraph::viz
