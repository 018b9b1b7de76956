// The model's kernels by hand: what they compute, and which launches fit them.
#include "props/model_kernels.hpp"

#include <gtest/gtest.h>

namespace taintgraph::props::reference {
namespace {

using Ranges = std::vector<Range>;

constexpr std::uint8_t kBefore = 99;

// What ranges of these lengths hold afterwards, if each byte was kBefore.
std::vector<Values> run(std::string_view kernel, const std::vector<Values>& reads,
                        const std::vector<std::uint64_t>& lengths, std::uint64_t scalar = 0) {
  const std::vector<std::span<const Value>> inputs(reads.begin(), reads.end());
  std::vector<Values> results;
  for (const std::uint64_t length : lengths) compute(kernel, inputs, scalar, results.emplace_back(length, kBefore));
  return results;
}

TEST(ModelKernels, FillWritesEveryRange) {
  EXPECT_EQ(run("fill", {}, {2, 0, 1}, 7), (std::vector<Values>{{7, 7}, {}, {7}}));
}

TEST(ModelKernels, IotaCountsWithinEachRangeModulo256) {
  const std::vector<Values> result = run("iota", {}, {3, 258});
  EXPECT_EQ(result[0], (Values{0, 1, 2}));
  EXPECT_EQ(result[1][255], 255);
  EXPECT_EQ(result[1][256], 0);
  EXPECT_EQ(result[1][257], 1);
}

TEST(ModelKernels, CopyAddAndScaleGoByTheSameIndex) {
  EXPECT_EQ(run("copy", {{1, kUnknown, 3}}, {3}), (std::vector<Values>{{1, kUnknown, 3}}));
  EXPECT_EQ(run("add", {{200, 1, kUnknown}, {100, 2, 1}, {1, 3, 1}}, {3}), (std::vector<Values>{{45, 6, kUnknown}}));
  EXPECT_EQ(run("add", {{5}}, {1}), (std::vector<Values>{{5}}));
  EXPECT_EQ(run("scale", {{100, 2, kUnknown}}, {3}, 3), (std::vector<Values>{{44, 6, kUnknown}}));
}

TEST(ModelKernels, GatherIndexesModuloTheSource) {
  EXPECT_EQ(run("gather", {{10, 20, kUnknown}, {4, 0, 2, kUnknown}}, {4}),
            (std::vector<Values>{{20, 10, kUnknown, kUnknown}}));
}

TEST(ModelKernels, ReduceSumsEverythingIntoTheFirstByte) {
  EXPECT_EQ(run("reduce", {{250, 3}, {}, {4}}, {3}), (std::vector<Values>{{1, 0, 0}}));
  EXPECT_EQ(run("reduce", {{250, kUnknown}}, {2}), (std::vector<Values>{{kUnknown, 0}}));
  EXPECT_EQ(run("reduce", {{}}, {1}), (std::vector<Values>{{0}}));
}

TEST(ModelKernels, MatmulIsRowMajor) {
  // (1 2; 3 4) times (5 6; 7 100) is (19 206; 43 418), and 418 is 162 modulo 256.
  EXPECT_EQ(run("matmul", {{1, 2, 3, 4}, {5, 6, 7, 100}}, {4}, 2), (std::vector<Values>{{19, 206, 43, 162}}));
  EXPECT_EQ(run("matmul", {{1, 2, 3, 4}, {5, 6, 7, kUnknown}}, {4}, 2),
            (std::vector<Values>{{19, kUnknown, 43, kUnknown}}));
}

TEST(ModelKernels, WhatIsReadMayBeWhatIsWritten) {
  const Values other = {10, 20, 30};
  Values sums = {1, 2, kUnknown};
  compute("add", std::vector<std::span<const Value>>{other, sums, sums}, 0, sums);
  EXPECT_EQ(sums, (Values{12, 24, kUnknown}));

  Values indices = {2, 0, 1};
  const Values source = {10, 20, 30};
  compute("gather", std::vector<std::span<const Value>>{source, indices}, 0, indices);
  EXPECT_EQ(indices, (Values{30, 10, 20}));
}

TEST(ModelKernels, NoopLeavesAndFaultingKernelsForget) {
  EXPECT_EQ(run("noop", {{1}}, {1}), (std::vector<Values>{{kBefore}}));
  for (const char* kernel : {"trap", "out_of_bounds", "device_assert"}) {
    EXPECT_EQ(run(kernel, {{1}}, {1}), (std::vector<Values>{{kUnknown}})) << kernel;
  }
  EXPECT_EQ(fault_of("trap"), gpu::FaultKind::launch_failed);
  EXPECT_EQ(fault_of("out_of_bounds"), gpu::FaultKind::illegal_address);
  EXPECT_EQ(fault_of("device_assert"), gpu::FaultKind::assert_);
  EXPECT_EQ(fault_of("add"), std::nullopt);
}

TEST(ModelKernels, CountsOfRanges) {
  const Range a{1, 0, 4};
  const Range b{2, 0, 4};
  const Range c{3, 0, 4};
  EXPECT_TRUE(fits("fill", Ranges{}, Ranges{a, b}, 0));
  EXPECT_FALSE(fits("fill", Ranges{}, Ranges{}, 0));
  EXPECT_FALSE(fits("iota", Ranges{a}, Ranges{b}, 0));
  EXPECT_FALSE(fits("copy", Ranges{a, b}, Ranges{c}, 0));
  EXPECT_FALSE(fits("scale", Ranges{a}, Ranges{b, c}, 0));
  EXPECT_TRUE(fits("add", Ranges{a, b, a}, Ranges{c}, 0));
  EXPECT_FALSE(fits("add", Ranges{}, Ranges{c}, 0));
  EXPECT_FALSE(fits("gather", Ranges{a}, Ranges{c}, 0));
  EXPECT_TRUE(fits("reduce", Ranges{a, b}, Ranges{c}, 0));
  EXPECT_TRUE(fits("noop", Ranges{}, Ranges{}, 0));
  EXPECT_TRUE(fits("trap", Ranges{a, b, c}, Ranges{a}, 0));
}

TEST(ModelKernels, LengthsOfRanges) {
  const Range four{1, 0, 4};
  const Range three{2, 0, 3};
  const Range none{3, 2, 2};
  const Range other{4, 0, 4};
  EXPECT_FALSE(fits("copy", Ranges{four}, Ranges{three}, 0));
  EXPECT_FALSE(fits("add", Ranges{four, three}, Ranges{other}, 0));
  EXPECT_TRUE(fits("gather", Ranges{three, four}, Ranges{other}, 0));
  EXPECT_FALSE(fits("gather", Ranges{four, three}, Ranges{other}, 0));
  EXPECT_FALSE(fits("gather", Ranges{none, four}, Ranges{other}, 0));
  EXPECT_TRUE(fits("gather", Ranges{none, none}, Ranges{none}, 0));
  EXPECT_FALSE(fits("reduce", Ranges{four}, Ranges{none}, 0));
  EXPECT_TRUE(fits("reduce", Ranges{none}, Ranges{three}, 0));
  EXPECT_TRUE(fits("matmul", Ranges{four, other}, Ranges{Range{5, 0, 4}}, 2));
  EXPECT_FALSE(fits("matmul", Ranges{four, other}, Ranges{Range{5, 0, 4}}, 3));
  EXPECT_FALSE(fits("matmul", Ranges{none, none}, Ranges{none}, std::uint64_t{1} << 32));  // its square is 0 in 64 bits
  EXPECT_TRUE(fits("matmul", Ranges{none, none}, Ranges{none}, 0));
}

TEST(ModelKernels, OverlapsWithinOneLaunch) {
  const Range low{1, 0, 4};
  const Range high{1, 2, 6};
  const Range other{2, 0, 4};
  EXPECT_FALSE(fits("fill", Ranges{}, Ranges{low, high}, 0));
  EXPECT_TRUE(fits("fill", Ranges{}, Ranges{low, other}, 0));
  EXPECT_TRUE(fits("fill", Ranges{}, Ranges{low, Range{1, 4, 6}}, 0));
  EXPECT_TRUE(fits("fill", Ranges{}, Ranges{low, Range{1, 2, 2}}, 0));
  EXPECT_TRUE(fits("noop", Ranges{low}, Ranges{low, high}, 0));
  for (const char* kernel : {"copy", "scale", "add"}) {
    EXPECT_TRUE(fits(kernel, Ranges{low}, Ranges{low}, 0)) << kernel;
    EXPECT_FALSE(fits(kernel, Ranges{low}, Ranges{high}, 0)) << kernel;
  }
  EXPECT_TRUE(fits("gather", Ranges{other, low}, Ranges{low}, 0));
  EXPECT_FALSE(fits("gather", Ranges{low, other}, Ranges{low}, 0));
  EXPECT_FALSE(fits("reduce", Ranges{low}, Ranges{low}, 0));
  EXPECT_FALSE(fits("matmul", Ranges{low, other}, Ranges{low}, 2));
}

}  // namespace
}  // namespace taintgraph::props::reference
