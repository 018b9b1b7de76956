// Taints of a few allocations that share a graph, against one failure a byte (B1, B2, B4, C1, C2).
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <vector>

#include "core/taint.hpp"
#include "props/rapid_steps.hpp"

namespace taintgraph::props {
namespace {

constexpr std::size_t kAllocations = 3;
constexpr std::size_t kBytes = 24;
using Bytes = std::array<core::FailureId, kBytes>;

std::vector<core::Claim> runs(const Bytes& bytes) {
  std::vector<core::Claim> found;
  for (std::uint64_t i = 0; i < kBytes; ++i) {
    if (!bytes[i]) continue;
    if (!found.empty() && found.back().range.end == i && found.back().failure == bytes[i]) {
      found.back().range.end = i + 1;
    } else {
      found.push_back({{i, i + 1}, bytes[i]});
    }
  }
  return found;
}

struct TaintWorld {
  core::ErrorGraph graph;
  std::array<core::Taint, kAllocations> taints;
  std::array<Bytes, kAllocations> truth{};

  ~TaintWorld() {
    for (core::Taint& each : taints) each.clear(graph);
  }

  std::string check() {
    std::map<core::FailureId, std::uint64_t> carriers;
    for (std::size_t i = 0; i < kAllocations; ++i) {
      taints[i].validate(graph);
      if (taints[i].claims() != runs(truth[i])) return "B1: the claims of an allocation";
      if (taints[i].is_clean() != runs(truth[i]).empty()) return "B1: clean";
      std::set<core::FailureId> here(truth[i].begin(), truth[i].end());
      here.erase(core::FailureId());
      for (const core::FailureId each : here) {
        ++carriers[each];
        if (!taints[i].carries(each)) return "B1: carries";
      }
    }
    std::uint64_t tags = 0;
    for (const auto& [failure, count] : carriers) {
      if (!graph.contains(failure)) return "C1: a claiming failure is in the graph";
      if (graph.tagged(failure) != count) return "C2: tagged is the number of allocations that carry it";
      tags += count;
    }
    if (graph.size() != carriers.size()) return "C1: the graph holds nothing else";
    if (graph.tags() != tags) return "C2: sum of tags";
    return "";
  }
};

std::string run_on_taints(const std::vector<Step>& program) {
  TaintWorld world;
  std::vector<core::FailureId> known;
  for (const Step& step : program) {
    const std::size_t at = step.a % kAllocations;
    core::Taint& taint = world.taints[at];
    Bytes& truth = world.truth[at];
    const std::uint64_t begin = step.b % kBytes;
    const core::ByteRange range{begin, std::min<std::uint64_t>(kBytes, begin + step.c % (kBytes / 2))};
    core::FailureId first;
    for (std::uint64_t i = range.end; i > range.begin; --i)
      if (truth[i - 1]) first = truth[i - 1];
    if (taint.first(range) != first) return "W1: the failure of the lowest claimed byte";
    const auto set = [&](core::FailureId failure) {
      for (std::uint64_t i = range.begin; i < range.end; ++i) truth[i] = failure;
    };
    switch (step.what % 8) {
      case 0:
      case 1: {  // a new failure
        known.push_back(world.graph.mint(core::torn_down(), {}));
        taint.claim(range, known.back(), world.graph);
        world.graph.prune(known.back());
        set(known.back());
        break;
      }
      case 2:
      case 3: {  // one that is still there
        std::erase_if(known, [&](core::FailureId each) { return !world.graph.contains(each); });
        if (known.empty()) break;
        const core::FailureId again = known[step.what % known.size()];
        taint.claim(range, again, world.graph);
        set(again);
        break;
      }
      case 4:
      case 5:
      case 6:
        taint.release(range, world.graph);
        set({});
        break;
      default:
        if (step.b % 2 == 0) {
          taint.clear(world.graph);
          truth.fill({});
        } else {  // the allocation moves onto a clean one
          const std::size_t to = (at + 1) % kAllocations;
          world.taints[to].clear(world.graph);
          world.taints[to] = std::move(taint);
          world.truth[to] = truth;
          truth.fill({});
        }
    }
    if (const std::string wrong = world.check(); !wrong.empty()) return wrong;
  }
  return "";
}

TEST(TaintProperty, ClaimsLikeBytes) { EXPECT_TRUE(holds("taints claim like bytes", run_on_taints)); }

}  // namespace
}  // namespace taintgraph::props
