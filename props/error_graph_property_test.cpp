// The error graph against a list of failures with a count each (C1, C2, C3, R2).
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/error_graph.hpp"
#include "props/rapid_steps.hpp"

namespace taintgraph::props {
namespace {

constexpr std::size_t kKept = 16;  // R2

struct Known {
  core::FailureId id;
  std::uint64_t tags = 0;
  std::uint64_t pins = 0;
  bool dropped = false;
  std::vector<core::SkipRecord> skips;  // all there ever were
};

core::WeakBinding range_of(std::uint64_t buffer, std::uint64_t at) {
  return {core::BufferId(static_cast<std::uint32_t>(buffer % 3), 1), {at % 4, at % 4 + 1 + at / 16}};
}

// The walk as the rule says it, over the newest that are kept.
std::vector<std::string> expected_chain(const Known& failure, core::WeakBinding target) {
  std::vector<std::string> kernels;
  const std::size_t first = failure.skips.size() > kKept ? failure.skips.size() - kKept : 0;
  for (std::size_t i = failure.skips.size(); i > first; --i) {
    const core::SkipRecord& skip = failure.skips[i - 1];
    bool produced = false;
    for (const core::WeakBinding& output : skip.outputs)
      for (std::uint64_t byte = target.range.begin; byte < target.range.end; ++byte)
        produced = produced || (output.buffer == target.buffer && output.range.contains(byte));
    if (!produced) continue;
    kernels.push_back(skip.kernel);
    target = skip.inputs.front().binding;
  }
  return kernels;
}

std::string check(const core::ErrorGraph& graph, const std::vector<Known>& known) {
  std::uint64_t size = 0;
  std::uint64_t tags = 0;
  for (const Known& each : known) {
    if (graph.contains(each.id) == each.dropped) return "C1: a failure lives while something carries or holds it";
    if (each.dropped) continue;
    ++size;
    tags += each.tags;
    if (graph.tagged(each.id) != each.tags) return "C2: tagged";
    if (graph.pinned(each.id) != (each.pins > 0)) return "D1: pinned";
    if (graph.records_total(each.id) != each.skips.size()) return "R2: all skips are counted";
    const core::WeakBinding from = range_of(each.skips.size(), 2);
    std::vector<std::string> chain;
    for (const core::SkipRecord& skip : graph.report(each.id, from).chain) chain.push_back(skip.kernel);
    if (chain != expected_chain(each, from)) return "R2: the chain";
  }
  if (graph.size() != size) return "C1: size";
  if (graph.tags() != tags) return "C2: sum of tags";
  graph.validate();
  return "";
}

std::string run_on_graph(const std::vector<Step>& program) {
  core::ErrorGraph graph;
  std::vector<Known> known;
  for (const Step& step : program) {
    std::vector<Known*> live;
    for (Known& each : known)
      if (!each.dropped) live.push_back(&each);
    if (step.what % 8 == 0 || live.empty()) {
      const core::Correlation correlation{step.a};
      const core::FailureId id =
          step.b % 2 == 0 ? graph.mint(core::torn_down(), correlation) : graph.mint_provisional(correlation);
      for (const Known& each : known)
        if (each.id == id || !id) return "C3: an id was used twice, or is none";
      known.push_back({.id = id, .tags = 0, .pins = 0, .dropped = false, .skips = {}});
      if (const std::string wrong = check(graph, known); !wrong.empty()) return wrong;
      continue;
    }
    Known& chosen = *live[step.a % live.size()];
    const auto settle = [&] { chosen.dropped = chosen.tags == 0 && chosen.pins == 0; };
    switch (step.what % 8) {
      case 1:
      case 2:
        graph.tag(chosen.id);
        ++chosen.tags;
        break;
      case 3:
        if (chosen.tags == 0) break;
        graph.untag(chosen.id);
        --chosen.tags;
        settle();
        break;
      case 4:
        if (step.b % 2 == 0) {
          graph.pin(chosen.id);
          ++chosen.pins;
        } else if (chosen.pins > 0) {
          graph.unpin(chosen.id);
          --chosen.pins;
          settle();
        }
        break;
      case 5:
        graph.prune(chosen.id);
        settle();
        break;
      default: {
        const core::SkipRecord skip{"k" + std::to_string(chosen.skips.size()),
                                    core::Correlation{step.b},
                                    {{range_of(step.b, step.c), chosen.id}},
                                    {range_of(step.c, step.b)}};
        graph.record(chosen.id, skip);
        chosen.skips.push_back(skip);
      }
    }
    if (const std::string wrong = check(graph, known); !wrong.empty()) return wrong;
  }
  return "";
}

TEST(ErrorGraphProperty, CountsLikeAList) { EXPECT_TRUE(holds("the error graph counts like a list", run_on_graph)); }

}  // namespace
}  // namespace taintgraph::props
