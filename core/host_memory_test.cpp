// The host's memory runs out at every single allocation in turn, in the middle of whatever operation, and in every call
// of the device. What is true stays true: no byte that a stopped operation may have written is trusted (W2), a graph
// holds all that it touches (G3), the counts agree (C1, C2), and nothing is left behind.
#include <gtest/gtest.h>

#include <array>
#include <new>
#include <vector>

#include "core/allocations_for_tests.hpp"
#include "core/runtime.hpp"
#include "core/scripted_device_for_tests.hpp"

namespace taintgraph::core {
namespace {

constexpr StreamIndex kPlain{0};
constexpr StreamIndex kCapturing{1};
constexpr StreamIndex kOther{2};

// One program, whose operations follow each other whatever became of the one before.
class Program {
 public:
  explicit Program(PoolKind pool) : runtime_(device_, {.pool = {pool, 32, 4096}}) {}

  // Runs it with so many allocations or calls of the device to spare (negative: no end of them), and all it needs once
  // they are used up. False if they sufficed.
  bool run(std::int64_t spared, int calls_spared) {
    allocations_left = spared;
    device_.throw_after(calls_spared);
    allocate(x_, 64);
    allocate(y_, 64);
    allocate(z_, 4096);
    launch({}, x_, kPlain);
    launch(&x_, y_, kOther);
    answer_with("launch", error_named("launch_out_of_resources"));
    launch({}, x_, kPlain);
    launch(&x_, y_, kOther);  // skipped
    read(y_);
    write(x_);
    attempt([&] { (void)runtime_.trust(y_.weak({8, 16})); });
    capture();
    answer_with("reserve", out_of_memory(), 2);
    allocate(lost_, 8192);  // in vain
    launch(&lost_, y_, kPlain);
    attempt([&] { (void)runtime_.relocate({.buffer = x_.id(), .from_new_page = true}); });
    free(z_);
    attempt([&] { (void)runtime_.cleanup(CleanupMode::immediate, {}); });
    answer_with("launch", Error{.name = "illegal_address", .sticky = true, .recovery = Recovery::context});
    launch({}, x_, kPlain);
    launch({}, y_, kPlain);  // refused
    attempt([&] { (void)runtime_.reset(); });
    read(x_);
    device_.finish_work(false);
    allocate(z_, 64);
    launch({}, z_, kOther);
    free(z_);
    attempt([&] { (void)runtime_.cleanup(CleanupMode::immediate, {}); });  // asks the device how far it is
    device_.finish_work(true);
    attempt([&] { (void)runtime_.cleanup(CleanupMode::immediate, {}); });
    free(x_);
    free(y_);
    free(lost_);
    allocations_left = -1;
    EXPECT_TRUE(stopped_ || calls_spared < 0 || device_.will_throw()) << "an exception that nobody heard of";
    device_.throw_after(-1);
    return stopped_;
  }

  // Once all of it is given back.
  void expect_nothing_left() {
    for (Handle* each : {&x_, &y_, &z_, &lost_}) each->drop();
    runtime_.drain_dropped();
    EXPECT_TRUE(runtime_.drop_recorded_work({}));
    runtime_.validate();
    EXPECT_EQ(runtime_.graph().size(), runtime_.poison() ? 1U : 0U);
    EXPECT_EQ(runtime_.graph().tags(), 0U);
    EXPECT_TRUE(runtime_.close());
    EXPECT_EQ(device_.pages(), 0U);
    EXPECT_EQ(device_.live_fences(), 0U);
    EXPECT_EQ(device_.live_graphs(), 0U);
    EXPECT_EQ(device_.open_windows(), 0U);
  }

 private:
  // The allocations of the test's own do not count.
  void answer_with(const std::string& call, Error error, int count = 1) {
    const std::int64_t left = std::exchange(allocations_left, -1);
    device_.fail(call, std::move(error), count);
    allocations_left = left;
  }

  // True if the operation came to its end.
  template <class Operation>
  bool attempt(Operation operation) {
    bool whole = true;
    try {
      operation();
    } catch (const std::bad_alloc&) {
      whole = false;
      stopped_ = true;
      allocations_left = -1;
    }
    const std::int64_t left = std::exchange(allocations_left, -1);
    runtime_.validate();
    allocations_left = left;
    return whole;
  }

  void allocate(Handle& buffer, std::uint64_t size_bytes) {
    attempt([&] { buffer = runtime_.alloc({.size_bytes = size_bytes}).handle; });
    // Whatever stopped it comes back with the next.
    if (!buffer) attempt([&] { buffer = runtime_.alloc({.size_bytes = size_bytes}).handle; });
  }

  void free(Handle& buffer) {
    attempt([&] { (void)runtime_.free(buffer); });
  }

  [[nodiscard]] bool claimed_whole(const Handle& buffer) const {
    const std::vector<Claim> claims = runtime_.claims(buffer.weak());
    return claims.size() == 1 && claims.front().range == ByteRange{0, buffer.size_bytes()};
  }

  void launch(const Handle* from, const Handle& to, StreamIndex stream) {
    const int before = submitted();
    const bool whole = attempt([&] {
      const std::array reads = {from ? from->weak() : WeakBinding()};
      const std::array writes = {to.weak()};
      (void)runtime_.launch(
          {.kernel = "kernel", .reads = std::span(reads).first(from ? 1 : 0), .writes = writes, .stream = stream});
    });
    if (!whole && submitted() > before) {
      EXPECT_TRUE(claimed_whole(to)) << "W2";
    }
  }

  void write(const Handle& to) {
    const int before = submitted();
    const std::array<std::byte, 64> bytes{};
    const bool whole = attempt([&] { (void)runtime_.write({.to = to.weak(), .bytes = bytes}); });
    if (!whole && submitted() > before) {
      EXPECT_TRUE(claimed_whole(to)) << "W2";
    }
  }

  void read(const Handle& from) {
    std::array<std::byte, 64> bytes{};
    attempt([&] {
      const std::array pieces = {ReadPiece{from.weak(), bytes.data()}};
      (void)runtime_.read({.pieces = pieces});
    });
  }

  // A window with two launches and a copy, ended and replayed.
  void capture() {
    attempt([&] { (void)runtime_.capture_begin({.stream = kCapturing}); });
    if (device_.open_windows() == 0) return;
    bool recorded_whole = true;
    const auto record = [&](auto operation) {
      const int before = submitted();
      const bool whole = attempt(operation);
      recorded_whole = recorded_whole && (whole || submitted() == before);
    };
    record([&] {
      const std::array writes = {x_.weak()};
      (void)runtime_.launch({.kernel = "kernel", .writes = writes, .stream = kCapturing});
    });
    record([&] { (void)runtime_.copy({.from = x_.weak(), .to = y_.weak(), .stream = kCapturing}); });
    bool ended = false;
    attempt([&] {
      const Captured graph = runtime_.capture_end({.stream = kCapturing});
      ended = graph.has_value();
      if (graph) graph_ = *graph;
    });
    if (ended) {
      EXPECT_TRUE(recorded_whole) << "G1: a graph of which the runtime knows less than the device";
    }
    EXPECT_EQ(device_.live_graphs(), ended ? 1U : 0U) << "a graph that nobody can drop";
    if (!ended) return;
    attempt([&] { (void)runtime_.replay({.graph = graph_, .stream = kOther}); });
    attempt([&] { (void)runtime_.destroy(graph_, {}); });
    EXPECT_EQ(device_.live_graphs(), 0U);
  }

  [[nodiscard]] int submitted() const {
    return device_.calls("launch") + device_.calls("copy") + device_.calls("write");
  }

  ScriptedDevice device_;
  Runtime runtime_;
  Handle x_;
  Handle y_;
  Handle z_;
  Handle lost_;
  GraphId graph_ = GraphId::none;
  bool stopped_ = false;
};

// Nobody is there to be told, and nothing is gained by ending the process.
void end_on_a_device_that_throws(PoolKind pool) {
  ScriptedDevice device;
  Runtime runtime(device, {.pool = {pool, 32, 4096}});
  const Handle claimed = runtime.alloc({.size_bytes = 8}).handle;
  const std::array writes = {claimed.weak()};
  device.fail("launch", error_named("launch_out_of_resources"));
  ASSERT_FALSE(runtime.launch({.kernel = "kernel", .writes = writes}));
  device.throw_after(0);
}

class HostMemoryTest : public ::testing::TestWithParam<PoolKind> {};

TEST_P(HostMemoryTest, RunsOutAtEveryAllocationInTurn) {
  std::int64_t spared = 0;
  for (bool ran_out = true; ran_out; ++spared) {
    SCOPED_TRACE("with " + std::to_string(spared) + " allocations to spare");
    Program program(GetParam());
    ran_out = program.run(spared, -1);
    program.expect_nothing_left();
    if (HasFailure()) return;
  }
  EXPECT_GT(spared, 100) << "the program allocates more than that";
}

TEST_P(HostMemoryTest, RunsOutInEveryCallOfTheDeviceInTurn) {
  int spared = 0;
  for (bool ran_out = true; ran_out; ++spared) {
    SCOPED_TRACE("with " + std::to_string(spared) + " calls to spare");
    Program program(GetParam());
    ran_out = program.run(-1, spared);
    program.expect_nothing_left();
    if (HasFailure()) return;
  }
  EXPECT_GT(spared, 20) << "the program calls the device more often than that";
}

// Whatever keeps the device from being taken down, claims end, and the runtime with them.
TEST_P(HostMemoryTest, ClosingEndsEveryClaimEvenIfItThrows) {
  bool threw = true;
  int spared = 0;
  for (; threw; ++spared) {
    ScriptedDevice device;
    Runtime runtime(device, {.pool = {GetParam(), 32, 4096}});
    const Handle claimed = runtime.alloc({.size_bytes = 8}).handle;
    const Handle recorded = runtime.alloc({.size_bytes = 8}).handle;
    const std::array writes = {claimed.weak()};
    const std::array recorded_writes = {recorded.weak()};
    ASSERT_TRUE(runtime.capture_begin({.stream = kCapturing}));
    ASSERT_TRUE(runtime.launch({.kernel = "kernel", .writes = recorded_writes, .stream = kCapturing}));
    device.fail("launch", Error{.name = "illegal_address", .sticky = true, .recovery = Recovery::context});
    ASSERT_FALSE(runtime.launch({.kernel = "kernel", .writes = writes}));
    ASSERT_EQ(runtime.graph().tags(), 1U);
    device.throw_after(spared);
    threw = false;
    try {
      static_cast<void>(runtime.close());
    } catch (const std::bad_alloc&) {
      threw = true;
    }
    EXPECT_TRUE(runtime.graph().empty());
    EXPECT_EQ(runtime.bytes_in_use(), 0U);
  }
  EXPECT_GT(spared, 3) << "closing calls the device more often than that";
  end_on_a_device_that_throws(GetParam());
}

// Handles go when the host has nothing left at all, in destructors, too.
TEST_P(HostMemoryTest, BuffersAreFreedWithoutAnyMore) {
  ScriptedDevice device;
  Runtime runtime(device, {.pool = {GetParam(), 32, 4096}});
  std::vector<Handle> handles;
  for (int i = 0; i < 100; ++i) handles.push_back(runtime.alloc({.size_bytes = 8}).handle);
  allocations_left = 0;
  EXPECT_NO_THROW({
    for (Handle& each : handles) each.drop();
    runtime.drain_dropped();
  });
  allocations_left = -1;
  runtime.validate();
  EXPECT_EQ(runtime.bytes_in_use(), 0U);
}

INSTANTIATE_TEST_SUITE_P(, HostMemoryTest, ::testing::Values(PoolKind::sliced, PoolKind::exclusive));

}  // namespace
}  // namespace taintgraph::core
