#include <gtest/gtest.h>

#include <limits>
#include <string_view>
#include <vector>

#include "gpu/kernel_catalog.hpp"

namespace taintgraph::gpu {
namespace {

using Bindings = std::vector<core::WeakBinding>;
using Scalars = std::vector<std::uint64_t>;

core::WeakBinding at(std::uint32_t buffer, std::uint64_t begin, std::uint64_t end) {
  return {core::BufferId(buffer, 1), {begin, end}};
}

// The name of the program error, or "fits".
std::string_view fit(std::string_view kernel, const Bindings& reads, const Bindings& writes,
                     const Scalars& scalars = {}) {
  const auto result = check_fit({kernel, reads, writes, scalars});
  return result ? "fits" : result.error().name;
}
constexpr std::string_view kNot = "does_not_fit";

TEST(CheckFit, UnknownKernel) { EXPECT_EQ(fit("sort", {}, {}), "unknown_kernel"); }

TEST(CheckFit, Counts) {
  EXPECT_EQ(fit("fill", {}, {at(1, 0, 8)}, {7}), "fits");
  EXPECT_EQ(fit("fill", {}, {at(1, 0, 8), at(1, 8, 9)}, {7}), "fits");
  EXPECT_EQ(fit("fill", {}, {}, {7}), kNot);
  EXPECT_EQ(fit("fill", {at(2, 0, 8)}, {at(1, 0, 8)}, {7}), kNot);
  EXPECT_EQ(fit("copy", {at(2, 0, 8)}, {}), kNot);
  EXPECT_EQ(fit("copy", {at(2, 0, 8)}, {at(1, 0, 8), at(3, 0, 8)}), kNot);
  EXPECT_EQ(fit("add", {}, {at(1, 0, 8)}), kNot);
  EXPECT_EQ(fit("gather", {at(1, 0, 8)}, {at(2, 0, 8)}), kNot);
  EXPECT_EQ(fit("reduce", {}, {at(2, 0, 8)}), kNot);
  EXPECT_EQ(fit("noop", {}, {}), "fits");
}

TEST(CheckFit, Scalars) {
  const Bindings to = {at(1, 0, 8)};
  EXPECT_EQ(fit("fill", {}, to, {255}), "fits");
  EXPECT_EQ(fit("fill", {}, to, {256}), kNot);
  EXPECT_EQ(fit("fill", {}, to, {}), kNot);
  EXPECT_EQ(fit("fill", {}, to, {1, 2}), kNot);
  EXPECT_EQ(fit("iota", {}, to, {1}), kNot);
  EXPECT_EQ(fit("trap", {}, {}, {1}), kNot);
}

TEST(CheckFit, Lengths) {
  EXPECT_EQ(fit("copy", {at(1, 0, 8)}, {at(2, 4, 12)}), "fits");
  EXPECT_EQ(fit("copy", {at(1, 0, 8)}, {at(2, 4, 11)}), kNot);
  EXPECT_EQ(fit("add", {at(1, 0, 8), at(1, 8, 16)}, {at(2, 0, 8)}), "fits");
  EXPECT_EQ(fit("add", {at(1, 0, 8), at(1, 8, 15)}, {at(2, 0, 8)}), kNot);
  EXPECT_EQ(fit("scale", {at(1, 0, 8)}, {at(2, 0, 9)}, {2}), kNot);
  EXPECT_EQ(fit("reduce", {at(1, 0, 8), at(3, 0, 1)}, {at(2, 0, 1)}), "fits");
  EXPECT_EQ(fit("reduce", {at(1, 0, 0)}, {at(2, 0, 1)}), "fits");
  EXPECT_EQ(fit("reduce", {at(1, 0, 8)}, {at(2, 1, 1)}), kNot);
  EXPECT_EQ(fit("gather", {at(1, 0, 3), at(2, 0, 8)}, {at(3, 0, 8)}), "fits");
  EXPECT_EQ(fit("gather", {at(1, 0, 8), at(2, 0, 3)}, {at(3, 0, 8)}), kNot);
  EXPECT_EQ(fit("gather", {at(1, 0, 0), at(2, 0, 8)}, {at(3, 0, 8)}), kNot);
  EXPECT_EQ(fit("gather", {at(1, 0, 0), at(2, 0, 0)}, {at(3, 0, 0)}), "fits");
}

TEST(CheckFit, SquareMatrices) {
  EXPECT_EQ(fit("matmul", {at(1, 0, 9), at(2, 0, 9)}, {at(3, 1, 10)}, {3}), "fits");
  EXPECT_EQ(fit("matmul", {at(1, 0, 9), at(1, 0, 9)}, {at(3, 0, 9)}, {3}), "fits");
  EXPECT_EQ(fit("matmul", {at(1, 0, 0), at(2, 0, 0)}, {at(3, 0, 0)}, {0}), "fits");
  EXPECT_EQ(fit("matmul", {at(1, 0, 9), at(2, 0, 9)}, {at(3, 0, 9)}, {4}), kNot);
  EXPECT_EQ(fit("matmul", {at(1, 0, 8), at(2, 0, 9)}, {at(3, 0, 9)}, {3}), kNot);
  EXPECT_EQ(fit("matmul", {at(1, 0, 9), at(2, 0, 9)}, {at(3, 0, 8)}, {3}), kNot);
  // 2^32 squared is 0 in 64 bits.
  EXPECT_EQ(fit("matmul", {at(1, 0, 0), at(2, 0, 0)}, {at(3, 0, 0)}, {std::uint64_t{1} << 32}), kNot);
}

TEST(CheckFit, WritesMustNotOverlap) {
  EXPECT_EQ(fit("iota", {}, {at(1, 0, 8), at(1, 8, 16), at(2, 0, 16)}), "fits");
  EXPECT_EQ(fit("iota", {}, {at(1, 0, 8), at(2, 0, 1), at(1, 7, 16)}), kNot);
  EXPECT_EQ(fit("iota", {}, {at(1, 0, 8), at(1, 0, 8)}), kNot);
  EXPECT_EQ(fit("iota", {}, {at(1, 0, 8), at(1, 4, 4)}), "fits");
}

TEST(CheckFit, ManyWritesMustNotOverlapEither) {
  Bindings writes;
  for (std::uint64_t i = 1000; i-- > 0;) {
    writes.push_back(at(1, 8 * i, 8 * i + 8));
    writes.push_back(at(2, 8 * i, 8 * i + 8));
    writes.push_back(at(1, 3995, 3995));  // of the empty ranges nothing follows for their neighbours
  }
  EXPECT_EQ(fit("iota", {}, writes), "fits");
  writes[1234] = at(1, 3999, 4000);
  EXPECT_EQ(fit("iota", {}, writes), kNot);
}

TEST(CheckFit, AscendingWritesMustNotOverlapEither) {
  Bindings writes;
  for (std::uint64_t i = 0; i < 100; ++i) writes.push_back(at(1 + i / 50, 8 * i, 8 * i + 8));
  EXPECT_EQ(fit("iota", {}, writes), "fits");
  writes[30].range.end = 249;  // into the next
  EXPECT_EQ(fit("iota", {}, writes), kNot);
  // A range that ends before it begins is empty, and the one after it may reach back into the one before.
  EXPECT_EQ(fit("iota", {}, {at(1, 0, 8), at(1, 9, 3), at(1, 4, 9)}), kNot);
  EXPECT_EQ(fit("iota", {}, {at(1, 0, 8), at(1, 9, 3), at(1, 8, 9)}), "fits");
}

TEST(CheckFit, InPlaceWhereTheIndexIsTheSame) {
  EXPECT_EQ(fit("copy", {at(1, 0, 8)}, {at(1, 0, 8)}), "fits");
  EXPECT_EQ(fit("copy", {at(1, 0, 8)}, {at(1, 7, 15)}), kNot);
  EXPECT_EQ(fit("copy", {at(1, 0, 8)}, {at(1, 8, 16)}), "fits");
  EXPECT_EQ(fit("scale", {at(1, 0, 8)}, {at(1, 0, 8)}, {3}), "fits");
  EXPECT_EQ(fit("add", {at(1, 0, 8), at(1, 0, 8)}, {at(1, 0, 8)}), "fits");
  EXPECT_EQ(fit("add", {at(1, 0, 8), at(1, 1, 9)}, {at(1, 0, 8)}), kNot);
  EXPECT_EQ(fit("gather", {at(1, 0, 8), at(2, 0, 8)}, {at(2, 0, 8)}), "fits");
  EXPECT_EQ(fit("gather", {at(2, 0, 8), at(1, 0, 8)}, {at(2, 0, 8)}), kNot);
  EXPECT_EQ(fit("gather", {at(1, 0, 8), at(2, 0, 8)}, {at(2, 1, 9)}), kNot);
  EXPECT_EQ(fit("gather", {at(1, 0, 8), at(1, 0, 8)}, {at(1, 0, 8)}), kNot);
  EXPECT_EQ(fit("reduce", {at(1, 0, 8)}, {at(1, 0, 8)}), kNot);
  EXPECT_EQ(fit("reduce", {at(1, 0, 8)}, {at(1, 8, 9)}), "fits");
  EXPECT_EQ(fit("matmul", {at(1, 0, 4), at(2, 0, 4)}, {at(1, 0, 4)}, {2}), kNot);
}

TEST(CheckFit, NothingIsBarredToWhatTouchesNothing) {
  for (const std::string_view kernel : {"noop", "trap", "out_of_bounds", "device_assert"}) {
    EXPECT_EQ(fit(kernel, {at(1, 0, 8), at(1, 3, 9)}, {at(1, 0, 8), at(1, 4, 5)}), "fits") << kernel;
  }
}

TEST(CheckFit, GridIsLimited) {
  const std::uint64_t limit = kMaxGridBlocks * kBlockThreads;
  EXPECT_EQ(fit("iota", {}, {at(1, 0, limit)}), "fits");
  EXPECT_EQ(fit("iota", {}, {at(1, 0, limit), at(2, 0, 1)}), kNot);
  EXPECT_EQ(fit("iota", {}, {at(1, 0, std::numeric_limits<std::uint64_t>::max()), at(2, 0, 2)}), kNot);
  EXPECT_EQ(fit("noop", {}, {at(1, 0, std::numeric_limits<std::uint64_t>::max())}), "fits");
}

TEST(CheckFit, SaysWhatIsWrong) {
  const Bindings to = {at(1, 0, 8)};
  const Scalars scalars = {300};
  const auto result = check_fit({"fill", {}, to, scalars});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().detail, "fill value is 300, at most 255");
  EXPECT_EQ(result.error().recovery, core::Recovery::none);
  EXPECT_FALSE(result.error().sticky);
}

}  // namespace
}  // namespace taintgraph::gpu
