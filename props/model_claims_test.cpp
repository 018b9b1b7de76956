// The model's claims against the plainest thing that could hold them: an array with the claim of each byte.
#include "props/model_claims.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "props/random.hpp"

namespace taintgraph::props::reference {
namespace {

constexpr std::size_t kBytes = 24;
using Bytes = std::array<Ordinal, kBytes>;

// The claims of bytes [begin, end), as long as can be.
std::vector<Claim> listed(const Bytes& bytes, std::size_t begin, std::size_t end) {
  std::vector<Claim> list;
  for (std::size_t i = begin; i < end; ++i) {
    const bool goes_on = i > begin && bytes[i - 1] == bytes[i];
    if (goes_on && bytes[i] != 0) ++list.back().end;
    if (!goes_on && bytes[i] != 0) list.push_back({i, i + 1, bytes[i]});
  }
  return list;
}

// Any two of the buffer's borders, the lower first.
std::pair<std::size_t, std::size_t> draw_range(Random& random) {
  const auto one = static_cast<std::size_t>(random.below(kBytes + 1));
  const auto other = static_cast<std::size_t>(random.below(kBytes + 1));
  return std::minmax({one, other});
}

TEST(ModelClaims, AreThoseOfEveryByte) {
  Random random(1, 0);
  for (int round = 0; round < 500; ++round) {
    Claims claims;
    Bytes bytes{};
    for (int step = 0; step < 40; ++step) {
      const auto [begin, end] = draw_range(random);
      const Ordinal failure = random.below(4);
      claims.set(begin, end, failure);
      for (std::size_t i = begin; i < end; ++i) bytes[i] = failure;
      ASSERT_EQ(claims.list(), listed(bytes, 0, kBytes)) << "round " << round << ", step " << step;
      const auto [first, last] = draw_range(random);
      ASSERT_EQ(claims.within(first, last), listed(bytes, first, last)) << "round " << round << ", step " << step;
    }
  }
}

TEST(ModelClaims, OfAnEmptyRangeCutNothing) {
  Claims claims;
  claims.set(0, 8, 3);
  claims.set(4, 4, 5);
  claims.set(4, 4, 0);
  EXPECT_EQ(claims.list(), (std::vector<Claim>{{0, 8, 3}}));
  EXPECT_EQ(claims.within(4, 4), std::vector<Claim>());
  EXPECT_TRUE(claims.meeting(4, 4).empty());
}

}  // namespace
}  // namespace taintgraph::props::reference
