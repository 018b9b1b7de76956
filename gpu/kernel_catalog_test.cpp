#include "gpu/kernel_catalog.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace taintgraph::gpu {
namespace {

TEST(KernelCatalog, SourcesDefineTheirEntryPoints) {
  ASSERT_EQ(kernel_catalog().size(), 13U);
  for (const KernelInfo& kernel : kernel_catalog()) {
    const std::string entry = "\nKERNEL " + std::string(kernel.name) + "(READ_ONLY(Operands) operands";
    const std::string scalar = kernel.scalar.empty() ? ")" : ", u64 " + std::string(kernel.scalar) + ")";
    EXPECT_NE(kernel.source.find(entry + scalar), std::string_view::npos) << kernel.name;
    EXPECT_NE(kernel.source.find("#include \"kernel.cuh\""), std::string_view::npos) << kernel.name;
    EXPECT_EQ(kernel.name.data()[kernel.name.size()], '\0');
    EXPECT_EQ(kernel.source.data()[kernel.source.size()], '\0');
  }
  EXPECT_NE(kernel_header().find("struct Operands"), std::string_view::npos);
}

TEST(KernelCatalog, FindsByName) {
  for (const KernelInfo& kernel : kernel_catalog()) EXPECT_EQ(find_kernel(kernel.name), &kernel);
  EXPECT_EQ(find_kernel("fil"), nullptr);
  EXPECT_EQ(find_kernel("kernel"), nullptr);
  EXPECT_EQ(find_kernel(""), nullptr);
  EXPECT_EQ(find_kernel("scale")->scalar, "by");
  EXPECT_EQ(find_kernel("scale")->scalar_max, 255U);
  EXPECT_EQ(find_kernel("matmul")->scalar_max, std::numeric_limits<std::uint64_t>::max());
}

std::uint64_t blocks(std::string_view kernel, const std::vector<std::uint64_t>& sizes) {
  std::vector<core::DeviceSpan> writes;
  for (const std::uint64_t size : sizes) writes.push_back({core::DeviceAddress{4096}, size});
  return grid_blocks(*find_kernel(kernel), writes);
}

TEST(GridBlocks, OneThreadAByteWritten) {
  EXPECT_EQ(blocks("fill", {1}), 1U);
  EXPECT_EQ(blocks("fill", {256}), 1U);
  EXPECT_EQ(blocks("fill", {257}), 2U);
  EXPECT_EQ(blocks("fill", {1, 255}), 1U);
  EXPECT_EQ(blocks("fill", {200, 56, 1}), 2U);
  EXPECT_EQ(blocks("iota", {std::uint64_t{1} << 33}), std::uint64_t{1} << 25);
}

TEST(GridBlocks, NeverNone) {
  EXPECT_EQ(blocks("fill", {0}), 1U);
  EXPECT_EQ(blocks("noop", {}), 1U);
  EXPECT_EQ(blocks("noop", {100'000}), 1U);
  EXPECT_EQ(blocks("trap", {100'000}), 1U);
}

}  // namespace
}  // namespace taintgraph::gpu
