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

LaunchGrid grid(std::string_view kernel, const std::vector<std::uint64_t>& sizes) {
  std::vector<core::DeviceSpan> writes;
  for (const std::uint64_t size : sizes) writes.push_back({core::DeviceAddress{4096}, size});
  return launch_grid(*find_kernel(kernel), writes);
}

TEST(LaunchGrid, OneThreadAByteWritten) {
  EXPECT_EQ(grid("fill", {256}), (LaunchGrid{1, 256}));
  EXPECT_EQ(grid("fill", {257}), (LaunchGrid{2, 256}));
  EXPECT_EQ(grid("fill", {512}), (LaunchGrid{2, 256}));
  EXPECT_EQ(grid("fill", {1, 255}), (LaunchGrid{1, 256}));
  EXPECT_EQ(grid("fill", {200, 56, 1}), (LaunchGrid{2, 256}));
  EXPECT_EQ(grid("iota", {std::uint64_t{1} << 33}), (LaunchGrid{std::uint64_t{1} << 25, 256}));
}

TEST(LaunchGrid, LessThanABlockIsAsManyWarpsAsItNeeds) {
  EXPECT_EQ(grid("fill", {1}), (LaunchGrid{1, 32}));
  EXPECT_EQ(grid("fill", {32}), (LaunchGrid{1, 32}));
  EXPECT_EQ(grid("fill", {20, 13}), (LaunchGrid{1, 64}));
  EXPECT_EQ(grid("fill", {225}), (LaunchGrid{1, 256}));
}

TEST(LaunchGrid, NeverNothing) {
  EXPECT_EQ(grid("fill", {0}), (LaunchGrid{1, 32}));
  EXPECT_EQ(grid("noop", {}), (LaunchGrid{1, 32}));
  EXPECT_EQ(grid("noop", {100'000}), (LaunchGrid{1, 32}));
  EXPECT_EQ(grid("trap", {100'000}), (LaunchGrid{1, 32}));
}

}  // namespace
}  // namespace taintgraph::gpu
