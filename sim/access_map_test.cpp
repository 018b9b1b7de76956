#include "sim/access_map.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "sim/seeded_draw.hpp"

namespace taintgraph::sim {
namespace {

VectorClock clock_of(std::initializer_list<std::pair<std::uint32_t, std::uint64_t>> entries) {
  VectorClock clock;
  for (const auto& [slot, ordinal] : entries) clock.include(slot, ordinal);
  return clock;
}

Epoch epoch(std::uint32_t slot, std::uint64_t ordinal) { return {ordinal, slot, 0, gpu::Call::cuMemcpyDtoDAsync}; }

const VectorClock kNothing;

TEST(VectorClockTest, JoinTakesTheLaterOfEachSlot) {
  VectorClock clock = clock_of({{0, 3}, {9, 1}});
  clock.join(clock_of({{0, 2}, {7, 4}, {12, 5}}));
  EXPECT_EQ(clock[0], 3U);
  EXPECT_EQ(clock[7], 4U);
  EXPECT_EQ(clock[9], 1U);
  EXPECT_EQ(clock[12], 5U);
  EXPECT_EQ(clock[500], 0U);
}

TEST(AccessMapTest, UnorderedWritesConflictOnTheSharedBytes) {
  AccessMap map;
  EXPECT_FALSE(map.write(0, 10, epoch(0, 1), clock_of({{0, 1}}), kNothing));
  const auto conflict = map.write(5, 15, epoch(1, 1), clock_of({{1, 1}}), kNothing);
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->begin, 5U);
  EXPECT_EQ(conflict->end, 10U);
  EXPECT_EQ(conflict->earlier, epoch(0, 1));
  EXPECT_TRUE(conflict->earlier_writes);
}

TEST(AccessMapTest, OrderedOrDisjointAccessesDoNotConflict) {
  AccessMap map;
  EXPECT_FALSE(map.write(0, 10, epoch(0, 1), clock_of({{0, 1}}), kNothing));
  EXPECT_FALSE(map.write(0, 10, epoch(1, 1), clock_of({{0, 1}, {1, 1}}), kNothing));
  EXPECT_FALSE(map.write(10, 20, epoch(2, 1), clock_of({{2, 1}}), kNothing));
  EXPECT_FALSE(map.write(5, 5, epoch(2, 2), clock_of({{2, 2}}), kNothing));
}

TEST(AccessMapTest, ReadsConflictWithWritesOnly) {
  AccessMap map;
  EXPECT_FALSE(map.read(0, 8, epoch(0, 1), clock_of({{0, 1}}), kNothing));
  EXPECT_FALSE(map.read(0, 8, epoch(1, 1), clock_of({{1, 1}}), kNothing));
  // Ordered after the reader of stream 0, not after that of stream 1.
  const auto conflict = map.write(4, 8, epoch(2, 1), clock_of({{0, 1}, {2, 1}}), kNothing);
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->earlier, epoch(1, 1));
  EXPECT_FALSE(conflict->earlier_writes);
}

TEST(AccessMapTest, OutsideFindsWhatTheHostHasNotWaitedFor) {
  AccessMap map;
  EXPECT_FALSE(map.write(0, 8, epoch(0, 2), clock_of({{0, 2}}), kNothing));
  EXPECT_TRUE(map.outside(clock_of({{0, 1}})));
  EXPECT_FALSE(map.outside(clock_of({{0, 2}})));
}

TEST(AccessMapTest, EqualNeighboursFuse) {
  AccessMap map;
  const VectorClock clock = clock_of({{0, 1}});
  for (std::uint64_t at = 0; at < 64; at += 8) EXPECT_FALSE(map.write(at, at + 8, epoch(0, 1), clock, kNothing));
  EXPECT_EQ(map.segments(), 1U);
  for (std::uint64_t at = 0; at < 64; at += 8) {
    EXPECT_FALSE(map.read(at, at + 8, epoch(0, 2), clock_of({{0, 2}}), kNothing));
  }
  EXPECT_EQ(map.segments(), 1U);
}

TEST(AccessMapTest, WhatTheHostWaitedForIsForgotten) {
  AccessMap map;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const VectorClock past = clock_of({{0, i}});
    EXPECT_FALSE(map.write(i * 16, i * 16 + 8, epoch(0, i + 1), clock_of({{0, i + 1}}), past));
  }
  EXPECT_LE(map.segments(), 64U);
}

TEST(AccessMapTest, WhatTheHostHasNotWaitedForIsKept) {
  AccessMap map;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    EXPECT_FALSE(map.write(i * 16, i * 16 + 8, epoch(0, i + 1), clock_of({{0, i + 1}}), kNothing));
  }
  EXPECT_EQ(map.segments(), 1000U);
  const auto conflict = map.read(16, 20, epoch(1, 1), clock_of({{0, 1}, {1, 1}}), kNothing);
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->earlier, epoch(0, 2));
}

// The same answers, byte by byte, as a model that keeps every access for ever.
class NaiveMap {
 public:
  bool access(std::uint64_t begin, std::uint64_t end, const Epoch& epoch, bool writes, const VectorClock& clock) {
    bool conflict = false;
    for (std::uint64_t byte = begin; byte < end; ++byte) {
      for (const Past& past : bytes_[byte]) {
        conflict = conflict || ((past.writes || writes) && !past.epoch.before(clock));
      }
      bytes_[byte].push_back({epoch, writes});
    }
    return conflict;
  }

 private:
  struct Past {
    Epoch epoch;
    bool writes = false;
  };
  std::array<std::vector<Past>, 48> bytes_;
};

TEST(AccessMapTest, AgreesWithTheNaiveMapUntilTheFirstConflict) {
  std::uint64_t conflicts = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    AccessMap map;
    NaiveMap naive;
    std::array<VectorClock, 3> streams;
    std::array<std::uint64_t, 3> ordinals{};
    VectorClock host;
    for (std::uint64_t step = 0; step < 60; ++step) {
      const auto choose = [&](std::uint64_t which, std::uint64_t below) {
        return draw(seed, Draw::planned_fault, step, which) % below;
      };
      const auto slot = static_cast<std::uint32_t>(choose(0, 3));
      if (choose(1, 3) == 0) streams[slot].join(streams[choose(2, 3)]);
      if (choose(3, 12) == 0) host.join(streams[choose(4, 3)]);
      streams[slot].join(host);
      streams[slot].include(slot, ++ordinals[slot]);
      const std::uint64_t begin = choose(5, 48);
      const std::uint64_t end = begin + choose(6, 48 - begin + 1);
      const bool writes = choose(7, 3) == 0;
      const Epoch each = epoch(slot, ordinals[slot]);
      const bool found = writes ? map.write(begin, end, each, streams[slot], host).has_value()
                                : map.read(begin, end, each, streams[slot], host).has_value();
      ASSERT_EQ(found, naive.access(begin, end, each, writes, streams[slot])) << "seed " << seed << " step " << step;
      if (!found) continue;
      ++conflicts;
      break;  // afterwards the map remembers less, since a race has been told
    }
  }
  EXPECT_GT(conflicts, 200U);  // the programs do race
}

}  // namespace
}  // namespace taintgraph::sim
