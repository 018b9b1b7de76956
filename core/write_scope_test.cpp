#include "core/write_scope.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "core/scripted_device_for_tests.hpp"

namespace taintgraph::core {
namespace {

class WriteScopeTest : public ::testing::Test {
 protected:
  ~WriteScopeTest() override {
    x_.clear(graph_);
    y_.clear(graph_);
    EXPECT_TRUE(graph_.empty());
  }

  ErrorGraph graph_;
  Taint x_;
  Taint y_;
  std::vector<WriteTarget> targets_{{&x_, {0, 16}}, {&y_, {8, 24}}};
};

TEST_F(WriteScopeTest, ClaimsWhileItIsOpenAndReleasesOnSuccess) {  // W2, C1
  WriteScope scope(graph_, targets_, Correlation{5});
  EXPECT_EQ(graph_.size(), 1u);
  const FailureId provisional = x_.first({0, 16});
  EXPECT_EQ(y_.first({8, 24}), provisional);
  EXPECT_EQ(graph_.error(provisional).name, torn_down().name);
  EXPECT_EQ(graph_.correlation(provisional), Correlation{5});
  scope.succeed();
  EXPECT_TRUE(graph_.empty());
  EXPECT_TRUE(x_.is_clean());
}

TEST_F(WriteScopeTest, SuccessReleasesOlderClaimsOnTheBytesWritten) {  // B2
  const FailureId older = graph_.mint(error_named("older"), {});
  x_.claim({0, 32}, older, graph_);
  WriteScope scope(graph_, targets_, {});
  scope.succeed();
  EXPECT_EQ(x_.claims(), (std::vector<Claim>{{{16, 32}, older}}));
}

TEST_F(WriteScopeTest, FailurePutsTheRealErrorInPlace) {  // W2
  WriteScope scope(graph_, targets_, {});
  const FailureId failure = scope.fail(error_named("launch_failed"));
  EXPECT_EQ(graph_.error(failure).name, "launch_failed");
  EXPECT_EQ(x_.claims(), (std::vector<Claim>{{{0, 16}, failure}}));
  EXPECT_EQ(y_.claims(), (std::vector<Claim>{{{8, 24}, failure}}));
  EXPECT_EQ(graph_.tagged(failure), 2u);
}

TEST_F(WriteScopeTest, AnExceptionLeavesTheClaimStanding) {  // W2
  EXPECT_THROW(
      {
        WriteScope scope(graph_, targets_, {});
        throw std::runtime_error("host code");
      },
      std::runtime_error);
  const FailureId left = x_.first({0, 16});
  ASSERT_TRUE(left);
  EXPECT_EQ(graph_.error(left).name, "host_exception");
}

TEST_F(WriteScopeTest, AnEmptyWriteSetMintsOnlyWhenItFails) {  // C1
  const std::vector<WriteTarget> nothing{{&x_, {4, 4}}};
  {
    WriteScope scope(graph_, nothing, {});
    EXPECT_TRUE(graph_.empty());
    scope.succeed();
  }
  WriteScope scope(graph_, nothing, {});
  const FailureId failure = scope.fail(error_named("launch_failed"));
  EXPECT_EQ(graph_.error(failure).name, "launch_failed");
  graph_.prune(failure);
}

TEST_F(WriteScopeTest, TwoTargetsInOneAllocationCountOnce) {  // C2
  const std::vector<WriteTarget> rows{{&x_, {0, 4}}, {&x_, {8, 12}}};
  WriteScope scope(graph_, rows, {});
  const FailureId failure = scope.fail(error_named("launch_failed"));
  EXPECT_EQ(graph_.tagged(failure), 1u);
}

}  // namespace
}  // namespace taintgraph::core
