#include "core/handle.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <thread>
#include <vector>

#include "core/buffer_table.hpp"

namespace taintgraph::core {
namespace {

std::vector<BufferId> drained(BufferTable& table) {
  std::vector<BufferId> ids;
  table.drain_dropped([&](Buffer& buffer) {
    ids.push_back(buffer.id);
    table.erase(buffer.id);
  });
  return ids;
}

TEST(Handle, ABufferEndsWithItsLastOwner) {
  BufferTable table;
  Handle first = table.create(64, Correlation{3});
  const BufferId id = first.id();
  std::optional<Binding> view = Binding{first, {8, 16}};
  EXPECT_EQ(view->weak(), (WeakBinding{id, {8, 16}}));
  EXPECT_EQ(first.weak(), (WeakBinding{id, {0, 64}}));
  first.drop();
  EXPECT_FALSE(first);
  EXPECT_FALSE(first.id());
  EXPECT_FALSE(table.any_dropped()) << "the view still owns it";
  view.reset();
  ASSERT_TRUE(table.any_dropped());
  EXPECT_NE(table.find(id), nullptr) << "until the table is asked to drain";
  EXPECT_EQ(drained(table), (std::vector<BufferId>{id}));
  EXPECT_EQ(table.find(id), nullptr);
}

TEST(Handle, AStaleIdIsNeverTheNextBuffers) {  // R4
  BufferTable table;
  Handle first = table.create(8, {});
  const BufferId stale = first.id();
  first.drop();
  drained(table);
  const Handle second = table.create(8, {});
  EXPECT_EQ(second.id().slot(), stale.slot()) << "the slot is used again";
  EXPECT_NE(second.id(), stale);
  EXPECT_EQ(table.find(stale), nullptr);
  EXPECT_EQ(table.find(BufferId()), nullptr);
  EXPECT_EQ(table.find(BufferId(1000, 1)), nullptr);
  EXPECT_EQ(table.size(), 1u);
}

TEST(Handle, DropsAreSeenInTheOrderTheyHappened) {
  BufferTable table;
  std::vector<Handle> handles;
  for (int i = 0; i < 5; ++i) handles.push_back(table.create(8, {}));
  std::vector<BufferId> expected;
  for (const int i : {3, 0, 4, 1, 2}) {
    expected.push_back(handles[static_cast<std::size_t>(i)].id());
    handles[static_cast<std::size_t>(i)].drop();
  }
  EXPECT_EQ(drained(table), expected);
  EXPECT_TRUE(drained(table).empty());
}

TEST(Handle, MayOutliveTheTable) {
  Handle late;
  {
    BufferTable table;
    late = table.create(8, {});
    Handle dropped_before = table.create(8, {});
  }
  EXPECT_TRUE(late);
  late.drop();  // nobody is left to be told; leak checkers see that nothing leaks
  EXPECT_FALSE(late);
}

TEST(Handle, CanBeDroppedOnAnyThread) {
  BufferTable table;
  std::vector<std::thread> threads;
  constexpr int kThreads = 4;
  constexpr int kEach = 500;
  std::size_t seen = 0;
  for (int t = 0; t < kThreads; ++t) {
    std::vector<Handle> handles;
    for (int i = 0; i < kEach; ++i) handles.push_back(table.create(8, {}));
    threads.emplace_back([owned = std::move(handles)]() mutable {
      for (Handle& each : owned) {
        const Handle copy = each;
        each.drop();
      }
    });
    seen += drained(table).size();
  }
  for (std::thread& each : threads) each.join();
  seen += drained(table).size();
  EXPECT_EQ(seen, static_cast<std::size_t>(kThreads) * kEach);
  EXPECT_EQ(table.size(), 0u);
}

}  // namespace
}  // namespace taintgraph::core
