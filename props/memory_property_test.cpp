// The memory manager on its own, where memory whose buffer is gone keeps its claims until it is shed, freed or bound
// again and counts as carrying them (C4, B4, W6).
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "core/memory_manager.hpp"
#include "core/scripted_device_for_tests.hpp"
#include "props/rapid_steps.hpp"

namespace taintgraph::props {
namespace {

struct Live {
  core::SliceId slice;
  std::uint64_t size = 0;
  std::map<std::uint64_t, core::FailureId> bytes;  // claimed ones
};

struct MemoryWorld {
  core::ErrorGraph graph;
  core::ScriptedDevice device;
  core::StreamTable streams{device};
  core::MemoryManager memory{{core::PoolKind::sliced, 8, 64}, device, streams, graph};
  std::vector<Live> live;
  std::uint32_t buffers = 0;

  ~MemoryWorld() {
    static_cast<void>(streams.close());
    static_cast<void>(memory.release_all());
  }

  std::string check() {
    memory.pool().validate();
    graph.validate();
    streams.validate();
    std::map<core::FailureId, std::uint64_t> carriers;
    memory.pool().for_each([&](core::SliceId, const core::Slice& slice) {
      std::set<core::FailureId> here;
      for (const core::Claim& claim : slice.taint.claims()) here.insert(claim.failure);
      for (const core::FailureId each : here) ++carriers[each];
    });
    std::uint64_t tags = 0;
    for (const auto& [failure, count] : carriers) {
      if (!graph.contains(failure)) return "C4: a claiming failure is in the graph";
      if (graph.tagged(failure) != count) return "C4: tagged is the number of slices that carry it";
      tags += count;
    }
    if (graph.size() != carriers.size() || graph.tags() != tags) return "C4: the graph holds nothing else";
    std::set<std::pair<std::uint64_t, std::uint64_t>> taken;
    for (const Live& each : live) {
      const core::Slice& slice = memory.at(each.slice);
      for (std::uint64_t byte = 0; byte < each.size; ++byte) {
        const auto claimed = each.bytes.find(byte);
        const core::FailureId expected = claimed == each.bytes.end() ? core::FailureId() : claimed->second;
        if (slice.taint.first({byte, byte + 1}) != expected) return "B4: claims belong to the allocation";
      }
      const auto address = static_cast<std::uint64_t>(memory.pool().address(each.slice));
      for (const auto& [begin, end] : taken)
        if (address < end && begin < address + slice.size_bytes) return "two buffers share memory";
      taken.insert({address, address + slice.size_bytes});
    }
    return "";
  }
};

void reserve(MemoryWorld& world, const Step& step) {
  const std::uint64_t size = step.a % 3 == 0 ? step.b * 3 : step.b;
  if (step.c == 0) world.device.fail("reserve", core::out_of_memory(), static_cast<int>(step.a % 3));
  auto slice = world.memory.reserve(size, step.c % 7 == 1 ? core::ReserveFrom::new_page : core::ReserveFrom::pool);
  world.device.fail("reserve", core::out_of_memory(), 0);
  if (!slice) return;
  world.memory.bind(*slice, core::BufferId(world.buffers++, 1));
  world.live.push_back({*slice, size, {}});
}

void claim(MemoryWorld& world, Live& chosen, const Step& step) {
  const std::uint64_t begin = step.b % (chosen.size + 1);
  const core::ByteRange range{begin, std::min(chosen.size, begin + step.c % 16)};
  core::Taint& taint = world.memory.at(chosen.slice).taint;
  if (step.what % 2 == 0) {
    const core::FailureId failure = world.graph.mint(core::torn_down(), {});
    taint.claim(range, failure, world.graph);
    world.graph.prune(failure);
    for (std::uint64_t i = range.begin; i < range.end; ++i) chosen.bytes[i] = failure;
  } else {
    taint.release(range, world.graph);
    for (std::uint64_t i = range.begin; i < range.end; ++i) chosen.bytes.erase(i);
  }
}

std::string run_on_memory(const std::vector<Step>& program) {
  MemoryWorld world;
  for (const Step& step : program) {
    world.device.finish_work(step.c % 3 != 0);
    if (world.live.empty() || step.what % 8 == 0) {
      reserve(world, step);
    } else {
      const std::size_t at = step.a % world.live.size();
      Live& chosen = world.live[at];
      core::Usage& usage = world.memory.at(chosen.slice).usage;
      const core::StreamIndex stream{static_cast<std::uint32_t>(step.b % 4)};
      switch (step.what % 8) {
        case 1:
          usage.written_at(world.streams.take_mark(stream));
          break;
        case 2:
          usage.read_at(world.streams.take_mark(stream));
          break;
        case 3:
        case 4:
          claim(world, chosen, step);
          break;
        case 5:
          world.memory.retire(chosen.slice);
          if (step.b % 2 == 0) world.memory.shed(chosen.slice);
          world.live.erase(world.live.begin() + static_cast<std::ptrdiff_t>(at));
          break;
        case 6:
          world.memory.bind(chosen.slice, core::BufferId(world.buffers++, 1));
          chosen.bytes.clear();
          break;
        default:
          if (step.b % 3 == 0) static_cast<void>(world.streams.synchronize(stream));
          if (step.b % 3 == 1) world.memory.sweep();
          if (step.b % 3 == 2)
            static_cast<void>(
                world.memory.cleanup(step.c % 2 == 0 ? core::CleanupMode::immediate : core::CleanupMode::periodic));
      }
    }
    if (const std::string wrong = world.check(); !wrong.empty()) return wrong;
  }
  for (const Live& each : world.live) world.memory.retire(each.slice);
  for (std::uint32_t i = 0; i < 4; ++i) static_cast<void>(world.streams.synchronize(core::StreamIndex{i}));
  world.live.clear();
  if (!world.memory.cleanup(core::CleanupMode::immediate)) return "a cleanup without faults works";
  if (!world.graph.empty()) return "C2: everything is freed and swept, and the graph is not empty";
  if (world.device.pages() != 0) return "everything is freed and swept, and a page is left";
  return "";
}

TEST(MemoryProperty, CountsRetiredMemoryAsCarrying) {
  EXPECT_TRUE(holds("the memory manager on its own", run_on_memory));
}

}  // namespace
}  // namespace taintgraph::props
