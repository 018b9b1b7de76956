// What claiming costs: the numbers that the design sets for graph, taint and write scope. Times are for reading, not
// for gates; run it on an idle machine.
#include <benchmark/benchmark.h>

#include <ctime>
#include <memory>
#include <vector>

#include "core/runtime.hpp"
#include "core/scripted_device_for_tests.hpp"
#include "core/taint.hpp"
#include "core/write_scope.hpp"

namespace taintgraph::core {
namespace {

constexpr std::uint64_t kFragments = 65536;

// One launch's claim on so many buffers, from entry to success.
void WriteScopeCycle(benchmark::State& state) {
  ErrorGraph graph;
  std::vector<Taint> taints(static_cast<std::size_t>(state.range(0)));
  std::vector<WriteTarget> targets;
  for (Taint& each : taints) targets.push_back({&each, {0, 4096}});
  for (auto _ : state) {
    WriteScope scope(graph, targets, Correlation{1});
    benchmark::DoNotOptimize(targets.data());
    scope.succeed();
  }
}
BENCHMARK(WriteScopeCycle)->Arg(1)->Arg(16);

// An allocation whose every other byte range is claimed.
struct Fragmented {
  Fragmented() : failure(graph.mint(never_written(), {})) {
    for (std::uint64_t i = 0; i < kFragments; ++i) taint.claim({16 * i, 16 * i + 8}, failure, graph);
  }
  ~Fragmented() { taint.clear(graph); }
  ErrorGraph graph;
  FailureId failure;
  Taint taint;
};

std::uint64_t scattered(std::uint64_t i) { return (i * 2654435761U) % kFragments; }

void ClaimAndReleaseAmongFragments(benchmark::State& state) {
  Fragmented world;
  std::uint64_t i = 0;
  for (auto _ : state) {
    const std::uint64_t at = 16 * scattered(++i) + 10;
    world.taint.claim({at, at + 4}, world.failure, world.graph);
    world.taint.release({at, at + 4}, world.graph);
  }
  state.SetItemsProcessed(2 * state.iterations());
}
BENCHMARK(ClaimAndReleaseAmongFragments);

void QueryAmongFragments(benchmark::State& state) {
  const Fragmented world;
  std::uint64_t i = 0;
  for (auto _ : state) {
    const std::uint64_t at = 16 * scattered(++i);
    benchmark::DoNotOptimize(world.taint.first({at, at + 8}));
  }
}
BENCHMARK(QueryAmongFragments);

void ReleaseAllFragments(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    auto world = std::make_unique<Fragmented>();
    state.ResumeTiming();
    world->taint.release({0, 16 * kFragments}, world->graph);
    state.PauseTiming();
    world.reset();
    state.ResumeTiming();
  }
}
BENCHMARK(ReleaseAllFragments)->Iterations(50);

// A million allocations, each with a claim of its own failure, and an order to come by them that no prefetcher guesses.
class MillionLive {
 public:
  MillionLive() : order_(kLive), held_(kLive) {
    for (std::size_t i = 0; i < kLive; ++i) order_[i] = (i * 2654435761U) % kLive;
    for (const std::size_t i : order_) claim(held_[i]);
  }
  ~MillionLive() {
    for (Taint& each : held_) each.clear(graph_);
  }

  // A batch is large enough that no cache holds what it touched. Each is released and then claimed anew, so that as
  // many are live when the next one begins; nanoseconds are those of the named half alone, for one allocation.
  static constexpr std::size_t kBatch = 50000;
  enum class Timed { claims, releases };
  void run(benchmark::State& state, Timed timed) {
    std::size_t first = 0;
    for (auto _ : state) {
      const double releases = time_batch(first, [&](Taint& each) { each.release(kRange, graph_); });
      const double claims = time_batch(first, [&](Taint& each) { claim(each); });
      state.SetIterationTime(timed == Timed::claims ? claims : releases);
      first = (first + kBatch) % kLive;
    }
    state.counters["each"] =
        benchmark::Counter(kBatch, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  }

 private:
  static constexpr std::size_t kLive = 1000000;
  static_assert(kLive % kBatch == 0);
  static constexpr ByteRange kRange = {0, 8};

  void claim(Taint& taint) { taint.claim(kRange, graph_.mint(never_written(), {}), graph_); }

  // Seconds of this process, like the other benchmarks' CPU column.
  template <class Work>
  double time_batch(std::size_t first, Work&& work) {
    const std::clock_t start = std::clock();
    for (std::size_t i = first; i < first + kBatch; ++i) work(held_[order_[i]]);
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  }

  ErrorGraph graph_;
  std::vector<std::size_t> order_;
  std::vector<Taint> held_;
};

void ClaimWithAMillionLiveFailures(benchmark::State& state) { MillionLive().run(state, MillionLive::Timed::claims); }
BENCHMARK(ClaimWithAMillionLiveFailures)->UseManualTime();

void ReleaseWithAMillionLiveFailures(benchmark::State& state) {
  MillionLive().run(state, MillionLive::Timed::releases);
}
BENCHMARK(ReleaseWithAMillionLiveFailures)->UseManualTime();

// Costs nothing itself, so that what is timed is the record.
class FullDevice final : public ScriptedDevice {
 public:
  DeviceResult<DeviceAddress> reserve(std::uint64_t) override { return tl::unexpected(error_named("invalid_value")); }
};

void FailedReservationAmongTenThousand(benchmark::State& state) {
  FullDevice device;
  Runtime runtime(device, {});
  std::vector<Handle> held;
  for (int i = 0; i < 10000; ++i) held.push_back(runtime.alloc({.size_bytes = 64}).handle);
  for (auto _ : state) {
    Allocation refused = runtime.alloc({.size_bytes = 64});
    benchmark::DoNotOptimize(refused.handle.id());
  }
}
BENCHMARK(FailedReservationAmongTenThousand);

}  // namespace
}  // namespace taintgraph::core
