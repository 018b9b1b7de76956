#include "sim/device_memory.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace taintgraph::sim {
namespace {

constexpr auto kKind = AllocationKind::context;

TEST(DeviceMemoryTest, AllocationsAreAlignedAndApart) {
  DeviceMemory memory(3, 1U << 20, 256);
  for (int i = 0; i < 50; ++i) ASSERT_NE(memory.allocate(256 * (1 + i % 3), 1, kKind, false), nullptr);
  std::uint64_t last_end = 0;
  for (const auto& allocation : memory.allocations()) {
    EXPECT_EQ(allocation->address % 256, 0U);
    EXPECT_GT(allocation->address, last_end);  // at least a byte between
    last_end = allocation->end();
  }
}

TEST(DeviceMemoryTest, CapacityIsCountedInBytes) {
  DeviceMemory memory(3, 1000, 256);
  Allocation* const first = memory.allocate(600, 1, kKind, false);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(memory.allocate(401, 1, kKind, false), nullptr);
  ASSERT_NE(memory.allocate(400, 1, kKind, false), nullptr);
  EXPECT_EQ(memory.used(), 1000U);
  memory.release(*first);
  EXPECT_EQ(memory.used(), 400U);
  ASSERT_NE(memory.allocate(600, 1, kKind, false), nullptr);
}

TEST(DeviceMemoryTest, WhatNobodyKnowsOfDoesNotCount) {
  DeviceMemory memory(3, 1000, 256);
  Allocation* const lost = memory.allocate(600, 1, kKind, true);
  EXPECT_EQ(memory.used(), 0U);
  memory.release(*lost);
  EXPECT_EQ(memory.used(), 0U);
}

TEST(DeviceMemoryTest, FindsByAnyByteAndByWholeRange) {
  DeviceMemory memory(3, 1U << 20, 256);
  Allocation* const allocation = memory.allocate(100, 1, kKind, false);
  const std::uint64_t address = allocation->address;
  EXPECT_EQ(memory.find(address + 99), allocation);
  EXPECT_EQ(memory.find(address + 100), nullptr);
  EXPECT_EQ(memory.find(address - 1), nullptr);
  EXPECT_EQ(memory.find(address + 50, 50), allocation);
  EXPECT_EQ(memory.find(address + 50, 51), nullptr);
  EXPECT_EQ(memory.find(address + 50, ~std::uint64_t{0}), nullptr);
  memory.release(*allocation);
  EXPECT_EQ(memory.find(address + 50), nullptr);
}

std::vector<std::byte> contents(DeviceMemory& memory, Allocation& allocation) {
  const std::byte* const bytes = memory.bytes(allocation, allocation.address, allocation.size_bytes);
  return {bytes, bytes + allocation.size_bytes};
}

TEST(DeviceMemoryTest, FreshMemoryIsGarbageOfTheSeedAndTheAllocation) {
  DeviceMemory memory(3, 1U << 20, 256);
  DeviceMemory same(3, 1U << 20, 256);
  DeviceMemory other(4, 1U << 20, 256);
  const auto first = contents(memory, *memory.allocate(10001, 1, kKind, false));
  const auto second = contents(memory, *memory.allocate(10001, 1, kKind, false));
  EXPECT_EQ(contents(same, *same.allocate(10001, 1, kKind, false)), first);
  EXPECT_NE(contents(other, *other.allocate(10001, 1, kKind, false)), first);
  EXPECT_NE(second, first);
}

TEST(DeviceMemoryTest, GarbageDoesNotDependOnTheOrderOfLooking) {
  DeviceMemory memory(3, 1U << 20, 256);
  DeviceMemory piecewise(3, 1U << 20, 256);
  const auto whole = contents(memory, *memory.allocate(20000, 1, kKind, false));
  Allocation* const allocation = piecewise.allocate(20000, 1, kKind, false);
  *piecewise.bytes(*allocation, allocation->address + 9000, 1) = whole[9000];
  (void)piecewise.bytes(*allocation, allocation->address + 8190, 4);
  EXPECT_EQ(contents(piecewise, *allocation), whole);
}

TEST(DeviceMemoryTest, AddressesAreReusedNowAndThenAndBytesAreNot) {
  DeviceMemory memory(3, 1U << 20, 256);
  std::set<std::uint64_t> seen;
  int reused = 0;
  std::vector<std::byte> last;
  for (int i = 0; i < 100; ++i) {
    Allocation* const allocation = memory.allocate(512, 1, kKind, false);
    reused += seen.insert(allocation->address).second ? 0 : 1;
    const auto now = contents(memory, *allocation);
    EXPECT_NE(now, last);
    last = now;
    memory.release(*allocation);
  }
  EXPECT_GT(reused, 20);
  EXPECT_LT(reused, 80);
}

}  // namespace
}  // namespace taintgraph::sim
