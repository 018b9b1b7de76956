// The audit itself: what it takes for a leak. That it sees one in the backend is for the fuzzer to show.
#include "traces/internal/resource_audit.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "traces/internal/lineage.hpp"
#include "traces/internal/machine.hpp"

namespace taintgraph::traces::internal {
namespace {

class ResourceAuditTest : public testing::Test {
 protected:
  static Header header() {
    Header header;
    header.device.streams = 2;
    return header;
  }
  std::vector<std::string> audit(const sim::LiveObjects& live, std::span<const sim::FiredFault> fired = {}) {
    std::vector<std::string> findings;
    audit_.check(live, *machine_.runtime, {.fired = fired}, findings);
    return findings;
  }

  Machine machine_{header(), {}};
  ResourceAudit audit_{header().device};
  sim::LiveObjects all_{.contexts = 1,
                        .streams = 2,
                        .events = 4,
                        .modules = 1,
                        .graphs = 0,
                        .executable_graphs = 0,
                        .programs = 0,
                        .allocations = 2,
                        .host_allocations = 4};
};

TEST_F(ResourceAuditTest, WhatAFreshDeviceHoldsIsAccountedFor) {
  EXPECT_TRUE(audit(*machine_.count_objects()).empty());
  EXPECT_TRUE(audit(all_).empty());
}

TEST_F(ResourceAuditTest, OneMoreOfAnyKindIsALeak) {
  const std::vector<std::function<void(sim::LiveObjects&)>> one_more = {
      [](sim::LiveObjects& live) { ++live.contexts; },
      [](sim::LiveObjects& live) { ++live.streams; },
      [](sim::LiveObjects& live) { ++live.events; },
      [](sim::LiveObjects& live) { live.modules = 1000; },
      [](sim::LiveObjects& live) { ++live.graphs; },
      [](sim::LiveObjects& live) { ++live.programs; },
      [](sim::LiveObjects& live) { ++live.executable_graphs; },
      [](sim::LiveObjects& live) { ++live.allocations; },
      [](sim::LiveObjects& live) { ++live.host_allocations; }};
  for (std::size_t i = 0; i < one_more.size(); ++i) {
    sim::LiveObjects live = all_;
    one_more[i](live);
    const std::vector<std::string> findings = audit(live);
    ASSERT_EQ(findings.size(), 1U) << i;
    EXPECT_EQ(findings[0].rfind("leaked: ", 0), 0U) << findings[0];
  }
}

TEST_F(ResourceAuditTest, StreamOrderedMemoryHasAStreamAndAnEventMore) {
  Header stream_ordered = header();
  stream_ordered.device.allocator = Allocator::stream_ordered;
  Machine machine{stream_ordered, {}};
  ResourceAudit audit(stream_ordered.device);
  std::vector<std::string> findings;
  sim::LiveObjects live = *machine.count_objects();
  EXPECT_EQ(live.streams, 3U);
  live.events = 5;
  audit.check(live, *machine.runtime, {}, findings);
  EXPECT_TRUE(findings.empty());
  ++live.streams;
  ++live.events;
  audit.check(live, *machine.runtime, {}, findings);
  EXPECT_EQ(findings.size(), 2U);
}

TEST_F(ResourceAuditTest, APageOfThePoolIsAccountedFor) {
  auto made = machine_.runtime->alloc({.size_bytes = 64});
  ASSERT_TRUE(made.status);
  ++all_.allocations;
  EXPECT_TRUE(audit(all_).empty());
  ++all_.allocations;
  EXPECT_EQ(audit(all_).size(), 1U);
}

TEST_F(ResourceAuditTest, WithoutACurrentContextNothingCanBeEndedYet) {
  std::vector<sim::FiredFault> fired(1);
  fired[0].call = gpu::Call::cuCtxSetCurrent;
  ++all_.executable_graphs;
  EXPECT_TRUE(audit(all_, fired).empty());
  std::vector<std::string> findings;
  audit_.check(all_, *machine_.runtime, {.fired = {}, .made_calls = false}, findings);
  EXPECT_TRUE(findings.empty()) << "no call was made since";
  EXPECT_EQ(audit(all_).size(), 1U);
}

// Nothing else that fires about the context keeps anything from being ended: it is asked for once more, or all is well
// until later.
TEST_F(ResourceAuditTest, OnlyWhoHasNoContextIsExcused) {
  ++all_.executable_graphs;
  std::vector<sim::FiredFault> fired(1);
  fired[0].call = gpu::Call::cuCtxGetCurrent;
  fired[0].kind = gpu::FaultKind::assert_;
  EXPECT_TRUE(audit(all_, fired).empty()) << "the device is lost, and what it had goes with it";
  fired[0].when = gpu::FaultWhen::async;
  EXPECT_EQ(audit(all_, fired).size(), 1U) << "lost later";
  fired[0] = {};
  fired[0].call = gpu::Call::cuCtxGetCurrent;
  fired[0].kind = gpu::FaultKind::invalid_value;
  EXPECT_EQ(audit(all_, fired).size(), 1U) << "set instead";
  fired[0].call = gpu::Call::cuCtxSetCurrent;
  fired[0].kind = gpu::FaultKind::assert_;
  fired[0].when = gpu::FaultWhen::async;
  EXPECT_EQ(audit(all_, fired).size(), 1U) << "lost later";
}

TEST_F(ResourceAuditTest, CleanupThatLeavesMemoryBehindIsAFinding) {
  auto made = machine_.runtime->alloc({.size_bytes = 64});
  ASSERT_TRUE(made.status);
  std::vector<std::string> findings;
  ResourceAudit::check_cleaned(*machine_.runtime, true, findings);
  EXPECT_TRUE(findings.empty()) << "a live buffer's page is not empty";

  ASSERT_TRUE(machine_.runtime->free(made.handle));
  ResourceAudit::check_cleaned(*machine_.runtime, true, findings);
  ASSERT_EQ(findings.size(), 1U) << "freed, and not yet free";
  findings.clear();
  ASSERT_TRUE(machine_.runtime->cleanup(core::CleanupMode::periodic, core::Correlation::none));
  ResourceAudit::check_cleaned(*machine_.runtime, false, findings);
  EXPECT_TRUE(findings.empty()) << "a periodic cleanup may keep pages";
  ResourceAudit::check_cleaned(*machine_.runtime, true, findings);
  EXPECT_EQ(findings.size(), 1U);
}

TEST_F(ResourceAuditTest, PeriodicCleanupsKeepNoPageTwice) {
  std::vector<std::string> findings;
  auto made = machine_.runtime->alloc({.size_bytes = 64});
  ASSERT_TRUE(machine_.runtime->free(made.handle));
  ASSERT_TRUE(machine_.runtime->cleanup(core::CleanupMode::periodic, core::Correlation::none));
  audit_.check_idle(*machine_.runtime, false, true, findings);
  EXPECT_TRUE(findings.empty()) << "it may have been in use until now";
  audit_.check_idle(*machine_.runtime, true, false, findings);  // an allocation, say, that may have used it
  audit_.check_idle(*machine_.runtime, false, true, findings);
  EXPECT_TRUE(findings.empty());
  audit_.check_idle(*machine_.runtime, false, true, findings);
  EXPECT_EQ(findings.size(), 1U);
}

TEST_F(ResourceAuditTest, KnowsWhatFreeMemoryWouldDo) {
  const core::Pool& pool = machine_.runtime->pool();
  EXPECT_FALSE(ResourceAudit::has_room(pool, PoolKind::sliced, 64));
  auto made = machine_.runtime->alloc({.size_bytes = 64});
  EXPECT_TRUE(ResourceAudit::has_room(pool, PoolKind::sliced, 64)) << "beside it";
  const std::uint64_t page = pool.reserved_bytes();
  EXPECT_FALSE(ResourceAudit::has_room(pool, PoolKind::sliced, page));
  ASSERT_TRUE(machine_.runtime->free(made.handle));
  ASSERT_TRUE(machine_.runtime->cleanup(core::CleanupMode::periodic, core::Correlation::none));
  EXPECT_TRUE(ResourceAudit::has_room(pool, PoolKind::sliced, page));
}

TEST_F(ResourceAuditTest, NothingIsLeftToTheContextByTeardown) {
  std::vector<std::string> findings;
  EXPECT_TRUE(machine_.runtime->close());
  EXPECT_TRUE(machine_.device->close().empty());
  audit_.check_closed(*machine_.left_to_context(), findings);
  EXPECT_TRUE(findings.empty()) << findings.front();
  audit_.check_closed({.streams = 1,
                       .events = 1,
                       .modules = 1,
                       .graphs = 1,
                       .executable_graphs = 1,
                       .allocations = 1,
                       .host_allocations = 1},
                      findings);
  EXPECT_EQ(findings.size(), 7U);
}

TEST_F(ResourceAuditTest, WhatGoesWithAContextIsCounted) {
  EXPECT_TRUE(machine_.runtime->close());
  EXPECT_TRUE(machine_.device->close().empty());
  gpu::CUcontext context = nullptr;
  gpu::CUstream stream = nullptr;
  gpu::CUevent event = nullptr;
  gpu::CUdeviceptr memory = 0;
  ASSERT_EQ(machine_.table.cuCtxCreate(&context, 0, 0), gpu::CUDA_SUCCESS);
  ASSERT_EQ(machine_.table.cuStreamCreate(&stream, 0), gpu::CUDA_SUCCESS);
  ASSERT_EQ(machine_.table.cuEventCreate(&event, 0), gpu::CUDA_SUCCESS);
  ASSERT_EQ(machine_.table.cuMemAlloc(&memory, 64), gpu::CUDA_SUCCESS);
  ASSERT_EQ(machine_.table.cuCtxDestroy(context), gpu::CUDA_SUCCESS);
  const sim::LiveObjects left = *machine_.left_to_context();
  EXPECT_EQ(left.streams, 1U);
  EXPECT_EQ(left.events, 1U);
  EXPECT_EQ(left.allocations, 1U);
  EXPECT_EQ(left.host_allocations, 0U);
}

TEST(Lineage, TellsFromTheIdAlone) {
  Lineage lineage;
  lineage.end_operation(core::FailureId(0));  // minted nothing
  lineage.end_operation(core::FailureId(2));
  lineage.end_operation(core::FailureId(2));
  EXPECT_EQ(lineage.operation_of(core::FailureId(1)), 2U);
  EXPECT_EQ(lineage.operation_of(core::FailureId(2)), 2U);
  EXPECT_EQ(lineage.operation_of(core::FailureId(3)), 4U) << "the one that runs";
  lineage.made(core::BufferId(0, 1), 1);
  lineage.made(core::BufferId(0, 2), 3);
  EXPECT_EQ(lineage.operation_of(core::BufferId(0, 1)), 1U);
  EXPECT_EQ(lineage.operation_of(core::BufferId(0, 2)), 3U);
  EXPECT_EQ(lineage.operation_of(core::BufferId(1, 1)), 0U);
}

}  // namespace
}  // namespace taintgraph::traces::internal
