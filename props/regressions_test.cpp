// The traces of bugs once found hold, each by the model and by what it expects itself.
#include "props/regressions.hpp"

#include <gtest/gtest.h>

namespace taintgraph::props {
namespace {

TEST(Regressions, NoneHasComeBack) {
  Campaign campaign({}, check);
  const auto run = replay_regressions(TAINTGRAPH_REGRESSIONS, campaign, [] { return false; });
  ASSERT_TRUE(run) << run.error();
  EXPECT_GE(run->traces, 4U);
  for (const RegressionFailure& each : run->failed) {
    ADD_FAILURE() << each.path << ": " << each.disagreement.property << " at step " << each.disagreement.step
                  << ", expected " << each.disagreement.expected << ", found " << each.disagreement.found;
  }
}

TEST(Regressions, AFolderThatIsNotThereIsAnError) {
  Campaign campaign({}, check);
  const auto run = replay_regressions("/nowhere/at/all", campaign, [] { return false; });
  ASSERT_FALSE(run);
  EXPECT_NE(run.error().find("/nowhere/at/all"), std::string::npos);
}

}  // namespace
}  // namespace taintgraph::props
