#include "viz/picture.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "viz/parts.hpp"
#include "viz/snapshots_for_tests.hpp"

namespace taintgraph::viz {
namespace {

Picture picture_of(const traces::Snapshot& snapshot, const PictureOptions& options = {}) {
  return make_picture(SnapshotIndex(snapshot), options);
}

const Bar& bar_named(const Picture& picture, const std::string& name) {
  return *std::find_if(picture.bars.begin(), picture.bars.end(), [&](const Bar& bar) { return bar.name() == name; });
}

TEST(Picture, TwoPathsIntoOneBuffer) {
  const Picture picture = picture_of(two_paths_into_one_buffer());
  ASSERT_EQ(picture.failures.size(), 1U);
  EXPECT_EQ(picture.bars.size(), 3U);
  ASSERT_EQ(picture.skips.size(), 3U);
  EXPECT_FALSE(picture.partial());

  // P itself left X unwritten, and nothing else: Y and Z were passed on to by skips.
  ASSERT_EQ(picture.failures[0].claims.size(), 1U);
  EXPECT_EQ(picture.failures[0].claims[0].buffer, "X");
  EXPECT_EQ(picture.failures[0].claims[0].range, (core::ByteRange{0, 16}));
  EXPECT_EQ(picture.failures[0].more_carriers, 0U);

  const SkipNode& last = picture.skips[2];
  ASSERT_EQ(last.outputs.size(), 1U);
  const Bar& target = picture.bars[last.outputs[0].bar];
  EXPECT_EQ(target.name(), "Z");
  ASSERT_EQ(target.cells().size(), 3U);  // trusted, claimed, trusted
  EXPECT_EQ(last.outputs[0].cells, std::vector<std::size_t>{1});
  EXPECT_EQ(target.cells()[1].range, (core::ByteRange{4, 12}));
  EXPECT_EQ(target.cells()[0].state, BarCell::State::trusted);
  EXPECT_EQ(target.cells()[2].range, (core::ByteRange{12, 16}));
}

TEST(Picture, OnlyWhatNoSkipAccountsForIsTheFailuresOwn) {
  traces::Snapshot snapshot = two_paths_into_one_buffer();
  snapshot.failures[0].skips.erase(snapshot.failures[0].skips.begin());  // K1's record was dropped
  const Picture picture = picture_of(snapshot);
  const std::vector<Patch>& claims = picture.failures[0].claims;
  ASSERT_EQ(claims.size(), 2U);
  EXPECT_EQ(claims[0].buffer, "X");
  EXPECT_EQ(claims[1].buffer, "Y");
  EXPECT_EQ(claims[1].range, (core::ByteRange{0, 8}));  // K2 accounts for the rest
}

TEST(Picture, EveryStateOfABuffer) {
  const Picture picture = picture_of(one_of_each());
  EXPECT_EQ(bar_named(picture, "B").cells()[0].state, BarCell::State::unallocated);
  EXPECT_TRUE(bar_named(picture, "gone").freed());
  EXPECT_EQ(bar_named(picture, "D").cells()[0].state, BarCell::State::trusted);
  const std::vector<BarCell>& cells = bar_named(picture, "E").cells();
  ASSERT_EQ(cells.size(), 4U);
  EXPECT_EQ(cells[0].failure, 2U);
  EXPECT_EQ(cells[1].state, BarCell::State::trusted);
  EXPECT_EQ(cells[2].failure, 3U);
  EXPECT_TRUE(
      std::none_of(picture.bars.begin(), picture.bars.end(), [](const Bar& bar) { return bar.name() == "untouched"; }));
}

TEST(Picture, AChainThroughAFreedBufferStillBeginsAtItsRoot) {
  const Picture picture = picture_of(one_of_each());
  const FailureNode& root = picture.failures[2];
  ASSERT_EQ(root.claims.size(), 1U);
  EXPECT_EQ(root.claims[0].buffer, "gone");
  EXPECT_TRUE(root.claims[0].cells.empty());  // they carry it no more
}

TEST(Picture, FocusKeepsTheFailuresThatTouchTheBufferAndTheirChains) {
  PictureOptions options;
  options.focus = "D";
  const Picture picture = picture_of(one_of_each(), options);
  ASSERT_EQ(picture.failures.size(), 1U);
  EXPECT_EQ(picture.failures[0].failure, 2U);
  EXPECT_EQ(picture.skips.size(), 2U);
  options.focus = "no such buffer";
  EXPECT_EQ(picture_of(one_of_each(), options).nodes(), 0U);
}

TEST(Picture, FurtherCarriersAreCounted) {
  const Picture picture = picture_of(many_carriers(816));
  ASSERT_EQ(picture.failures.size(), 1U);
  EXPECT_EQ(picture.bars.size(), 4U);
  EXPECT_EQ(picture.failures[0].more_carriers, 812U);
  EXPECT_TRUE(picture.partial());
}

TEST(Picture, AFocusedBufferIsDrawnHoweverManyCarryTheFailure) {
  PictureOptions options;
  options.focus = "A700";
  const Picture picture = picture_of(many_carriers(816), options);
  EXPECT_EQ(picture.bars.at(picture.failures.at(0).claims.at(0).bar).name(), "A700");
}

TEST(Picture, ThousandsOfFailuresAreListedWithoutTheirBuffers) {
  const Picture thousand = picture_of(many_failures(1'000));
  EXPECT_EQ(thousand.failures.size(), 1'000U);
  EXPECT_EQ(thousand.nodes(), 1'000U);
  EXPECT_EQ(thousand.failures[2].claims.size(), 2U);  // named all the same
  EXPECT_EQ(thousand.failures[2].more_skips, 1U);
  EXPECT_EQ(thousand.more_failures, 0U);

  const Picture many = picture_of(many_failures(100'000));
  EXPECT_EQ(many.nodes(), kMaxNodes);
  EXPECT_EQ(many.more_failures, 100'000U - many.failures.size());
}

TEST(Picture, NodesNeverExceedTheLimit) {
  for (const std::size_t limit : {2U, 3U, 10U, 27U, 100U}) {
    PictureOptions options;
    options.max_nodes = limit;
    for (const std::uint64_t failures : {1U, 9U, 10U, 11U, 60U}) {
      const Picture picture = picture_of(many_failures(failures), options);
      EXPECT_LE(picture.nodes(), limit);
      EXPECT_EQ(picture.failures.size() + picture.more_failures, failures);
    }
  }
}

TEST(Picture, ThePoisonIsAmongTheFailuresDrawn) {
  traces::Snapshot snapshot = many_failures(100);
  snapshot.failures.back().poison = true;
  PictureOptions options;
  options.max_nodes = 10;
  const Picture picture = picture_of(snapshot, options);
  EXPECT_TRUE(std::any_of(picture.failures.begin(), picture.failures.end(),
                          [](const FailureNode& node) { return node.failure == 99; }));
}

TEST(Picture, ATangleIsNotDrawnAsOne) {
  traces::Snapshot snapshot = many_failures(60);
  for (traces::SnapshotFailure& failure : snapshot.failures) {  // every failure passes through every buffer
    failure.skips.clear();
    for (std::uint64_t at = 1; at <= 16; ++at) {
      const std::uint64_t next = at + 1;
      failure.skips.push_back({1'000 * failure.id + at,
                               "K",
                               "copy",
                               {{{"in" + std::to_string(at), 4 * at - 3, 0, 64}, failure.id}},
                               {{"in" + std::to_string(next), 4 * next - 3, 0, 64}}});
    }
  }
  const Picture picture = picture_of(snapshot);
  EXPECT_LE(count_parts(picture).arrows_of_largest, kMaxArrowsOfPart);
  EXPECT_TRUE(picture.partial());
}

TEST(Picture, PartsAreCountedByWhatHangsTogether) {
  const Parts two_paths = count_parts(picture_of(two_paths_into_one_buffer()));
  EXPECT_EQ(two_paths.count, 1U);
  EXPECT_EQ(two_paths.arrows, 7U);
  const Parts ten = count_parts(picture_of(many_failures(10)));
  EXPECT_EQ(ten.count, 10U);
  EXPECT_EQ(ten.arrows_of_largest, 3U);
}

TEST(Bar, FragmentsBeyondTheFirstAreOneCell) {
  traces::Snapshot snapshot;
  snapshot.failures = {a_failure(1, 1, "P", "launch fill"), a_failure(2, 2, "Q", "launch fill")};
  std::vector<traces::SnapshotClaim> claims;
  for (std::uint64_t at = 0; at < 1'000; ++at) claims.push_back({at == 999 ? 2U : 1U, 16 * at + 8, 16 * at + 16});
  snapshot.buffers = {a_buffer("X", 1, 16'000, claims)};
  const SnapshotIndex index(snapshot);
  const Bar bar(index, 0);
  ASSERT_LE(bar.cells().size(), kMaxBarCells);
  const BarCell& rest = bar.cells().back();
  EXPECT_EQ(rest.state, BarCell::State::rest);
  const auto drawn = static_cast<std::uint64_t>(std::count_if(
      bar.cells().begin(), bar.cells().end(), [](const auto& cell) { return cell.state == BarCell::State::claimed; }));
  EXPECT_EQ(drawn + rest.claims, 1'000U);
  EXPECT_EQ(rest.range.end, 16'000U);
  // Q's only claim is behind the last cell; P's first one is not.
  EXPECT_EQ(bar.cells_claimed(1, {15'000, 16'000}, 4), std::vector<std::size_t>{bar.cells().size() - 1});
  EXPECT_TRUE(bar.cells_claimed(1, {0, 8'000}, 4).empty());
  EXPECT_EQ(bar.cells_claimed(0, {8, 9}, 4), std::vector<std::size_t>{1});
}

TEST(Picture, ASnapshotThatNamesWhatItDoesNotHoldIsDrawnAllTheSame) {
  traces::Snapshot snapshot = two_paths_into_one_buffer();
  snapshot.buffers[1].claims = {{77, 0, 16}};
  snapshot.failures[0].skips[0].inputs[0].failure = 78;
  snapshot.buffers[2].unallocated = true;
  snapshot.buffers[2].reason = 79;
  snapshot.buffers[2].claims.clear();
  EXPECT_EQ(picture_of(snapshot).nodes(), 7U);
}

}  // namespace
}  // namespace taintgraph::viz
