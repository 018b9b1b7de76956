#include "sim/fault_plan.hpp"

#include <gtest/gtest.h>

namespace taintgraph::sim {
namespace {

using gpu::Call;
using gpu::FaultKind;
using gpu::FaultWhen;

constexpr CallSite kAlloc{Call::cuMemAlloc, std::nullopt, {}};

PlannedFault out_of_memory() {
  PlannedFault planned;
  planned.id = "f";
  planned.call = Call::cuMemAlloc;
  planned.fault.kind = FaultKind::out_of_memory;
  return planned;
}

// Which of `calls` calls to `site` fail, as a string of 'x' and '.'.
std::string pattern(FaultPlan& plan, const CallSite& site, int calls) {
  std::string result;
  for (int i = 0; i < calls; ++i) result += plan.decide(site) ? 'x' : '.';
  return result;
}

TEST(FaultPlanTest, OwnFaultStrikesEverySelectedCallOfItsOperation) {
  FaultPlan plan;
  const Call calls[] = {Call::cuMemAlloc, Call::cuMemAllocAsync};
  plan.begin_operation(3, "A");
  plan.strike(calls, {.kind = FaultKind::out_of_memory});
  EXPECT_FALSE(plan.decide({Call::cuStreamQuery, 0, {}}));
  EXPECT_EQ(pattern(plan, kAlloc, 2), "xx");
  plan.begin_operation(4, "B");
  EXPECT_EQ(pattern(plan, kAlloc, 2), "..");

  ASSERT_EQ(plan.fired().size(), 2U);
  const FiredFault& second = plan.fired()[1];
  EXPECT_EQ(second.operation, 3U);
  EXPECT_EQ(second.call, Call::cuMemAlloc);
  EXPECT_EQ(second.call_ordinal, 2U);
  EXPECT_EQ(second.kind, FaultKind::out_of_memory);
  EXPECT_EQ(second.when, FaultWhen::before);
  EXPECT_EQ(second.code, 2);
  EXPECT_EQ(plan.calls(), 4U);
}

TEST(FaultPlanTest, SkipAndCountLimitATransientFault) {
  PlannedFault planned = out_of_memory();
  planned.skip = 2;
  planned.count = 3;
  FaultPlan plan(1, {planned});
  EXPECT_EQ(pattern(plan, kAlloc, 8), "..xxx...");
  EXPECT_EQ(plan.fired().back().planned, "f");
}

// What a plan strikes does not depend on how often a wait asks.
TEST(FaultPlanTest, AskingWhetherAStreamIsDoneIsSelectedOnlyByName) {
  PlannedFault planned;
  planned.fault.kind = FaultKind::invalid_handle;
  planned.call_class = CallClass::sync;
  planned.skip = 1;
  PlannedFault named;
  named.fault.kind = FaultKind::invalid_context;
  named.call = Call::cuStreamQuery;
  named.skip = 4;
  FaultPlan plan(1, {planned, named});
  EXPECT_EQ(pattern(plan, {Call::cuStreamQuery, 0, {}}, 4), "....");
  EXPECT_EQ(plan.calls(), 0U);
  EXPECT_EQ(pattern(plan, {Call::cuStreamSynchronize, 0, {}}, 3), ".x.");
  EXPECT_EQ(pattern(plan, {Call::cuStreamQuery, 0, {}}, 2), "x.");
}

TEST(FaultPlanTest, PersistentHasNoLimit) {
  PlannedFault planned = out_of_memory();
  planned.skip = 1;
  planned.persistent = true;
  FaultPlan plan(1, {planned});
  EXPECT_EQ(pattern(plan, kAlloc, 5), ".xxxx");
}

TEST(FaultPlanTest, EverySelectorMustHold) {
  PlannedFault planned;
  planned.fault.kind = FaultKind::launch_failed;
  planned.call_class = CallClass::launch;
  planned.kernel = "gather";
  planned.stream = 2;
  planned.operation = "G";
  planned.persistent = true;
  FaultPlan plan(1, {planned});
  const CallSite right{Call::cuLaunchKernel, 2, "gather"};
  plan.begin_operation(1, "F");
  EXPECT_FALSE(plan.decide(right));
  plan.begin_operation(2, "G");
  EXPECT_TRUE(plan.decide(right));
  EXPECT_FALSE(plan.decide({Call::cuLaunchKernel, 1, "gather"}));
  EXPECT_FALSE(plan.decide({Call::cuLaunchKernel, 2, "fill"}));
  EXPECT_FALSE(plan.decide({Call::cuGraphLaunch, 2, "gather"}));
  EXPECT_FALSE(plan.decide({Call::cuLaunchKernel, std::nullopt, "gather"}));
}

TEST(FaultPlanTest, AnOperationIsNamedByItsIdOrItsNumber) {
  PlannedFault planned;
  planned.fault.kind = FaultKind::launch_failed;
  planned.operation = "#2";
  planned.persistent = true;
  FaultPlan plan(1, {planned});
  const auto strikes_in = [&plan](std::uint64_t ordinal, std::string_view id) {
    plan.begin_operation(ordinal, id);
    return plan.decide({Call::cuLaunchKernel, std::nullopt, {}}).has_value();
  };
  EXPECT_FALSE(plan.decide({Call::cuLaunchKernel, std::nullopt, {}}));
  EXPECT_FALSE(strikes_in(1, "A"));
  EXPECT_TRUE(strikes_in(2, "B"));
  EXPECT_FALSE(strikes_in(3, "C"));
  EXPECT_TRUE(strikes_in(4, "#2"));
  EXPECT_FALSE(strikes_in(20, "#20"));
  planned.operation = "#02";
  plan = FaultPlan(1, {planned});
  EXPECT_FALSE(strikes_in(2, "B"));
}

TEST(FaultPlanTest, WithoutACallOnlyCallsThatMayReturnTheKindAreSelected) {
  PlannedFault planned;
  planned.fault.kind = FaultKind::out_of_memory;
  FaultPlan plan(1, {planned});
  EXPECT_FALSE(plan.decide({Call::cuStreamQuery, 0, {}}));
  EXPECT_TRUE(plan.decide(kAlloc));
}

TEST(FaultPlanTest, NotReadyIsNoFault) {
  PlannedFault planned;
  planned.fault.kind = FaultKind::not_ready;
  planned.call = Call::cuStreamQuery;
  FaultPlan plan(1, {planned});
  EXPECT_FALSE(plan.decide({Call::cuStreamQuery, 0, {}}));
}

TEST(FaultPlanTest, ProbabilityIsDrawnFromSeedAndSelectionAlone) {
  PlannedFault planned = out_of_memory();
  planned.one_in = 4;
  planned.persistent = true;
  FaultPlan plan(11, {planned});
  const std::string first = pattern(plan, kAlloc, 400);
  const auto struck = std::count(first.begin(), first.end(), 'x');
  EXPECT_GT(struck, 60);
  EXPECT_LT(struck, 140);

  // Calls that are not selected, and another fault behind this one, change nothing.
  PlannedFault another = out_of_memory();
  another.call = Call::cuEventRecord;
  another.one_in = 2;
  another.persistent = true;
  FaultPlan busy(11, {planned, another});
  std::string second;
  for (int i = 0; i < 400; ++i) {
    (void)busy.decide({Call::cuEventRecord, 0, {}});
    second += busy.decide(kAlloc) ? 'x' : '.';
  }
  EXPECT_EQ(second, first);

  FaultPlan other_seed(12, {planned});
  EXPECT_NE(pattern(other_seed, kAlloc, 400), first);
}

TEST(FaultPlanTest, HostCodeIsAskedAboutSeparately) {
  FaultPlan plan;
  const Call host[] = {Call::none};
  plan.begin_operation(1, "A");
  EXPECT_FALSE(plan.host_code_throws());
  plan.strike(host, {.kind = FaultKind::host_exception});
  EXPECT_FALSE(plan.decide(kAlloc));
  EXPECT_TRUE(plan.host_code_throws());
  EXPECT_EQ(plan.calls(), 1U);  // host code is no driver call
  EXPECT_EQ(plan.take_fired().size(), 1U);
  EXPECT_TRUE(plan.fired().empty());
}

TEST(FaultPlanTest, ClassesHaveNamesThatReadBack) {
  for (int i = 0; i <= static_cast<int>(CallClass::other); ++i) {
    const auto each = static_cast<CallClass>(i);
    EXPECT_EQ(class_from_string(to_string(each)), each);
  }
  EXPECT_FALSE(class_from_string("launches"));
  EXPECT_EQ(class_of(Call::cuMemcpyHtoDAsync), CallClass::write);
}

}  // namespace
}  // namespace taintgraph::sim
