#include "core/taint.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "core/allocations_for_tests.hpp"
#include "core/scripted_device_for_tests.hpp"

namespace taintgraph::core {
namespace {

class TaintTest : public ::testing::Test {
 protected:
  ~TaintTest() override {
    taint_.clear(graph_);
    EXPECT_TRUE(taint_.is_clean());
  }
  FailureId failure(std::string_view name) { return graph_.mint(error_named(name), {}); }

  ErrorGraph graph_;
  Taint taint_;
};

TEST_F(TaintTest, TakesTwentyFourBytes) { EXPECT_EQ(sizeof(Taint), 24u); }

TEST_F(TaintTest, APartialWriteReleasesItsBytesAndNoOther) {  // B2
  const FailureId launch = failure("launch");
  taint_.claim({0, 100}, launch, graph_);
  taint_.release({40, 60}, graph_);
  EXPECT_EQ(taint_.claims(), (std::vector<Claim>{{{0, 40}, launch}, {{60, 100}, launch}}));
  EXPECT_EQ(taint_.first({0, 40}), launch);
  EXPECT_FALSE(taint_.first({40, 60}));
  EXPECT_EQ(taint_.first({59, 61}), launch);
  EXPECT_EQ(graph_.tagged(launch), 1u) << "one allocation, however many ranges (C2)";
  taint_.release({0, 40}, graph_);
  taint_.release({60, 99}, graph_);
  EXPECT_TRUE(graph_.contains(launch)) << "a byte is left";
  taint_.release({99, 100}, graph_);
  EXPECT_TRUE(taint_.is_clean());
  EXPECT_TRUE(graph_.empty());
}

TEST_F(TaintTest, ClaimsOfTwoFailuresStandSideBySide) {  // B1
  const FailureId first = failure("first");
  const FailureId second = failure("second");
  taint_.claim({0, 50}, first, graph_);
  taint_.claim({50, 100}, second, graph_);
  EXPECT_EQ(taint_.first({10, 20}), first);
  EXPECT_EQ(taint_.first({49, 51}), first) << "the lowest byte decides (W1)";
  EXPECT_EQ(taint_.first({50, 51}), second);
  EXPECT_EQ(graph_.size(), 2u);
  taint_.release({0, 50}, graph_);
  EXPECT_FALSE(graph_.contains(first));
  EXPECT_EQ(taint_.first({0, 100}), second);
}

TEST_F(TaintTest, ANewerFailureTakesTheBytesItClaims) {  // B1
  const FailureId older = failure("older");
  const FailureId newer = failure("newer");
  taint_.claim({0, 100}, older, graph_);
  taint_.claim({25, 75}, newer, graph_);
  EXPECT_EQ(taint_.claims(), (std::vector<Claim>{{{0, 25}, older}, {{25, 75}, newer}, {{75, 100}, older}}));
  EXPECT_EQ(graph_.tagged(older), 1u);
  taint_.claim({0, 100}, newer, graph_);
  EXPECT_FALSE(graph_.contains(older));
  EXPECT_EQ(taint_.claims(), (std::vector<Claim>{{{0, 100}, newer}}));
  EXPECT_EQ(graph_.tagged(newer), 1u);
}

TEST_F(TaintTest, ClaimingAgainChangesNothing) {  // B1
  const FailureId launch = failure("launch");
  for (int i = 0; i < 3; ++i) taint_.claim({0, 100}, launch, graph_);
  taint_.claim({10, 20}, launch, graph_);
  EXPECT_EQ(taint_.claims(), (std::vector<Claim>{{{0, 100}, launch}}));
  EXPECT_EQ(graph_.tagged(launch), 1u);
  taint_.release({0, 100}, graph_);
  EXPECT_TRUE(graph_.empty());
}

TEST_F(TaintTest, TouchingClaimsOfOneFailureFuse) {  // B1
  const FailureId launch = failure("launch");
  taint_.claim({0, 10}, launch, graph_);
  taint_.claim({20, 30}, launch, graph_);
  EXPECT_EQ(taint_.size(), 2u);
  taint_.claim({10, 20}, launch, graph_);
  EXPECT_EQ(taint_.claims(), (std::vector<Claim>{{{0, 30}, launch}}));
  EXPECT_EQ(taint_.size(), 1u);
}

TEST_F(TaintTest, CarriesWhatClaimsAByteAndNothingElse) {  // C1
  const FailureId first = failure("first");
  const FailureId second = failure("second");
  const FailureId other = failure("other");
  EXPECT_FALSE(taint_.carries(first)) << "nothing is claimed";
  taint_.claim({0, 10}, first, graph_);
  EXPECT_TRUE(taint_.carries(first));
  EXPECT_FALSE(taint_.carries(second));
  taint_.claim({20, 30}, second, graph_);
  EXPECT_TRUE(taint_.carries(first));
  EXPECT_TRUE(taint_.carries(second));
  EXPECT_FALSE(taint_.carries(other));
  taint_.clear(graph_);
}

TEST_F(TaintTest, ClearingReleasesEverything) {  // B4
  const FailureId first = failure("first");
  const FailureId second = failure("second");
  taint_.claim({0, 50}, first, graph_);
  taint_.claim({50, 100}, second, graph_);
  taint_.claim({200, 300}, first, graph_);
  taint_.clear(graph_);
  EXPECT_TRUE(taint_.is_clean());
  EXPECT_TRUE(graph_.empty());
}

TEST_F(TaintTest, AnEmptyRangeClaimsNothingAndTripsNothing) {  // R4
  const FailureId launch = failure("launch");
  taint_.claim({10, 10}, launch, graph_);
  EXPECT_TRUE(taint_.is_clean());
  taint_.claim({0, 100}, launch, graph_);
  EXPECT_FALSE(taint_.first({50, 50}));
  EXPECT_TRUE(taint_.claims({50, 50}).empty());
  taint_.release({50, 50}, graph_);
  EXPECT_EQ(taint_.size(), 1u);
}

TEST_F(TaintTest, MovingTakesTheClaimsAlong) {  // B4
  const FailureId launch = failure("launch");
  taint_.claim({0, 10}, launch, graph_);
  taint_.claim({20, 30}, launch, graph_);
  Taint moved(std::move(taint_));
  EXPECT_TRUE(taint_.is_clean());
  EXPECT_EQ(moved.size(), 2u);
  EXPECT_EQ(graph_.tagged(launch), 1u);
  moved.clear(graph_);
}

TEST_F(TaintTest, WorksAtTheEndsOfTheOffsetRange) {
  const FailureId launch = failure("launch");
  taint_.claim({0, UINT64_MAX}, launch, graph_);
  taint_.release({1, UINT64_MAX - 1}, graph_);
  EXPECT_EQ(taint_.claims(), (std::vector<Claim>{{{0, 1}, launch}, {{UINT64_MAX - 1, UINT64_MAX}, launch}}));
}

// One failure a byte, or none: what B1 says, with nothing else to get wrong.
class PerByte {
 public:
  explicit PerByte(std::size_t size) : bytes_(size) {}
  void set(ByteRange range, FailureId failure) {
    for (std::uint64_t i = range.begin; i < range.end; ++i) bytes_[i] = failure;
  }
  [[nodiscard]] std::vector<Claim> claims() const {
    std::vector<Claim> found;
    for (std::uint64_t i = 0; i < bytes_.size(); ++i) {
      if (!bytes_[i]) continue;
      if (!found.empty() && found.back().range.end == i && found.back().failure == bytes_[i]) {
        ++found.back().range.end;
      } else {
        found.push_back({{i, i + 1}, bytes_[i]});
      }
    }
    return found;
  }
  [[nodiscard]] FailureId first(ByteRange range) const {
    for (std::uint64_t i = range.begin; i < range.end; ++i)
      if (bytes_[i]) return bytes_[i];
    return {};
  }
  [[nodiscard]] std::set<FailureId> failures() const {
    std::set<FailureId> found(bytes_.begin(), bytes_.end());
    found.erase(FailureId());
    return found;
  }

 private:
  std::vector<FailureId> bytes_;
};

class TaintAgainstBytes : public TaintTest, public ::testing::WithParamInterface<std::uint64_t> {
 protected:
  void agree(const PerByte& truth) {
    taint_.validate(graph_);
    graph_.validate();
    ASSERT_EQ(taint_.claims(), truth.claims());
    ASSERT_EQ(graph_.size(), truth.failures().size());
    for (const FailureId each : truth.failures()) ASSERT_EQ(graph_.tagged(each), 1u);
  }
};

TEST_P(TaintAgainstBytes, AgreesAfterEveryStep) {
  const std::uint64_t size = GetParam();
  std::mt19937_64 random(size);
  PerByte truth(size);
  std::vector<FailureId> known;
  for (int step = 0; step < 4000; ++step) {
    const std::uint64_t begin = random() % (size + 1);
    const std::uint64_t longest = random() % 8 == 0 ? size : std::max<std::uint64_t>(1, size / 100);
    const ByteRange range{begin, std::min(size, begin + random() % (longest + 1))};
    ASSERT_EQ(taint_.first(range), truth.first(range));
    const std::uint64_t choice = random() % 4;
    FailureId which;
    if (choice > 0) {
      if (choice == 1 || known.empty()) known.push_back(failure("new"));
      which = known[known.size() - 1 - random() % std::min<std::size_t>(known.size(), 5)];
      if (!graph_.contains(which)) which = known.back();
      if (!graph_.contains(which)) which = known.back() = failure("again");
      taint_.claim(range, which, graph_);
      graph_.prune(known.back());  // minted, and perhaps not the one chosen
      graph_.prune(which);
    } else {
      taint_.release(range, graph_);
    }
    truth.set(range, which);
    if (step % 16 == 0 || size < 1000) agree(truth);
    if (HasFatalFailure()) return;
  }
  agree(truth);
}

INSTANTIATE_TEST_SUITE_P(Sizes, TaintAgainstBytes, ::testing::Values(3, 17, 64, 1000, 20000));

TEST_F(TaintTest, ManyFragmentsCutBlocksAndJoinAgain) {
  const FailureId odd = failure("odd");
  const FailureId even = failure("even");
  constexpr std::uint64_t kFragments = 4096;
  for (std::uint64_t i = 0; i < kFragments; ++i) taint_.claim({2 * i, 2 * i + 1}, i % 2 ? odd : even, graph_);
  EXPECT_EQ(taint_.size(), kFragments);
  taint_.validate(graph_);
  for (std::uint64_t i = 0; i < kFragments; ++i) taint_.claim({2 * i, 2 * i + 2}, odd, graph_);
  EXPECT_EQ(taint_.size(), 1u);
  EXPECT_FALSE(graph_.contains(even));
}

// B5, at every allocation that a step could make.
// What was kept of a map that had thousands of failures would have to be looked through for two claims of the next.
TEST_F(TaintTest, OnlySmallMapsAreUsedAgain) {
  const auto spares_after = [this](std::uint64_t failures) {
    for (std::uint64_t i = 0; i < failures; ++i) taint_.claim({2 * i, 2 * i + 1}, graph_.mint(torn_down(), {}), graph_);
    taint_.clear(graph_);
    return graph_.spare_maps().size();
  };
  EXPECT_EQ(spares_after(2), 1U);
  EXPECT_EQ(spares_after(2), 1U);
  EXPECT_EQ(spares_after(2000), 0U);
}

TEST_F(TaintTest, WithoutMemoryAClaimStaysWiderNeverNarrower) {
  for (std::int64_t allowed = 0; allowed < 12; ++allowed) {
    ErrorGraph graph;
    const FailureId older = graph.mint(error_named("older"), {});
    const FailureId newer = graph.mint(error_named("newer"), {});
    Taint taint;
    taint.claim({10, 90}, older, graph);
    allocations_left = allowed;
    taint.claim({30, 40}, newer, graph);  // cuts in two
    taint.release({60, 70}, graph);       // cuts again
    allocations_left = -1;

    taint.validate(graph);
    graph.validate();
    for (std::uint64_t byte = 10; byte < 90; ++byte) {
      const bool written = byte >= 60 && byte < 70;
      const FailureId found = taint.first({byte, byte + 1});
      ASSERT_TRUE(found || written) << byte << " was never written, allowed " << allowed;
      ASSERT_TRUE(found == newer || byte < 30 || byte >= 40) << allowed;
      ASSERT_FALSE(found && written && graph.widened() == 0) << allowed;
    }
    EXPECT_TRUE(allowed > 0 || graph.widened() == 2) << "counted (B5)";
    taint.clear(graph);
    graph.prune(newer);
    graph.prune(older);
    EXPECT_TRUE(graph.empty());
  }
}

}  // namespace
}  // namespace taintgraph::core
