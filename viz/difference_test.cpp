#include "viz/difference.hpp"

#include <gtest/gtest.h>

#include "viz/dot.hpp"
#include "viz/snapshots_for_tests.hpp"

namespace taintgraph::viz {
namespace {

// Before K3: Z is still trusted. Ids are others, as they are in another run.
traces::Snapshot before_k3() {
  traces::Snapshot snapshot = two_paths_into_one_buffer();
  snapshot.failures[0].id = 50;
  snapshot.failures[0].skips.pop_back();
  snapshot.buffers[2].claims.clear();
  for (traces::SnapshotBuffer& buffer : snapshot.buffers) {
    for (traces::SnapshotClaim& claim : buffer.claims) claim.failure = 50;
  }
  return snapshot;
}

TEST(Difference, NoneBetweenEqualRunsWhateverTheIds) {
  EXPECT_TRUE(difference(two_paths_into_one_buffer(), two_paths_into_one_buffer()).empty());
  traces::Snapshot other = two_paths_into_one_buffer();
  other.failures[0].id = 9;
  for (traces::SnapshotBuffer& buffer : other.buffers) buffer.claims[0].failure = 9;
  EXPECT_TRUE(difference(two_paths_into_one_buffer(), other).empty());
}

TEST(Difference, AClaimMore) {
  const Difference found = difference(two_paths_into_one_buffer(), before_k3());
  EXPECT_EQ(found.changed_buffers, std::set<std::size_t>{2});
  EXPECT_TRUE(found.new_failures.empty());
  EXPECT_TRUE(found.missing.empty());
}

TEST(Difference, AClaimLess) {
  const Difference found = difference(before_k3(), two_paths_into_one_buffer());
  EXPECT_EQ(found.changed_buffers, std::set<std::size_t>{2});
  EXPECT_EQ(found.missing, std::vector<std::string>{"Z [4, 12), claimed by P"});
}

TEST(Difference, AnotherFailure) {
  traces::Snapshot other = two_paths_into_one_buffer();
  other.failures[0].error = "invalid_value";
  const Difference found = difference(two_paths_into_one_buffer(), other);
  EXPECT_EQ(found.new_failures, std::set<std::size_t>{0});
  EXPECT_EQ(found.changed_buffers.size(), 3U);
  ASSERT_EQ(found.missing.size(), 4U);
  EXPECT_EQ(found.missing[0], "P failed");
}

TEST(Difference, IsMarkedInThePicture) {
  DotOptions options;
  options.compared_with = "the run before";
  options.difference = difference(two_paths_into_one_buffer(), before_k3());
  const std::string changed = dot_text(two_paths_into_one_buffer(), options);
  EXPECT_NE(changed.find("Compared with the run before: what differs is marked"), std::string::npos);
  EXPECT_NE(changed.find("<b>changed</b>"), std::string::npos);
  EXPECT_EQ(changed.find("new: P failed"), std::string::npos);

  options.difference = difference(two_paths_into_one_buffer(), {});
  EXPECT_NE(dot_text(two_paths_into_one_buffer(), options).find("new: P failed"), std::string::npos);
  options.difference = difference({}, two_paths_into_one_buffer());
  const std::string missing = dot_text({}, options);
  EXPECT_NE(missing.find("no longer:"), std::string::npos);
  EXPECT_NE(missing.find("Z [4, 12), claimed by P"), std::string::npos);
}

}  // namespace
}  // namespace taintgraph::viz
