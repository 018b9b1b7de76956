// One program, its faults injected by the simulated driver itself and at its tables: nobody can tell the difference.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gpu/kernel_catalog.hpp"
#include "props/checker.hpp"
#include "props/generator.hpp"
#include "props/hardware_form.hpp"
#include "traces/session.hpp"
#include "traces/writer.hpp"

namespace taintgraph::props {
namespace {

using traces::Injection;
using traces::Operation;
using traces::Program;
using traces::StepResult;

constexpr std::uint64_t kSeed = 17;
constexpr std::uint64_t kCases = 1500;

Program drawn(std::uint64_t case_number) {
  Program program = generate(kSeed, case_number, {.operations = 40});
  give_hardware_form(program);
  return program;
}

traces::SessionOptions injecting(Injection injection) {
  traces::SessionOptions options;
  options.injection = injection;
  return options;
}

// All but the number of the call in the run: a call that is not made takes no time, so the backend may have to ask
// again whether some work is done.
std::vector<sim::FiredFault> without_call_ordinals(std::vector<sim::FiredFault> fired) {
  for (sim::FiredFault& each : fired) each.call_ordinal = 0;
  return fired;
}

TEST(HardwareForm, HangsNowhereAndWaitsForAllWork) {
  for (std::uint64_t case_number = 0; case_number < 300; ++case_number) {
    for (const Operation& each : drawn(case_number).operations) {
      EXPECT_FALSE(each.deadline);
      if (each.kind == traces::OpKind::launch) {
        EXPECT_NE(gpu::kernel_catalog()[each.kernel].name, "spin");
      }
    }
  }
}

// Where a fault may keep quiet for a while, when it is told of is each driver's own to choose.
bool may_surface_late(const Program& program) {
  return program.header.device.surfacing == traces::Surfacing::documented ||
         std::any_of(program.operations.begin(), program.operations.end(),
                     [](const Operation& each) { return each.fault && each.fault->surface_after_calls.has_value(); });
}

TEST(InjectionAtTheTables, AgreesWithTheDriversOwn) {
  std::uint64_t faults = 0;
  for (std::uint64_t case_number = 0; case_number < kCases; ++case_number) {
    const Program program = drawn(case_number);
    if (may_surface_late(program)) continue;
    traces::Session inside(program.header, program.names, injecting(Injection::in_the_driver));
    traces::Session outside(program.header, program.names, injecting(Injection::at_the_tables));
    for (const Operation& operation : program.operations) {
      const StepResult expected = inside.execute(operation);
      const StepResult found = outside.execute(operation);
      const std::string where =
          "case " + std::to_string(case_number) + ", " + traces::operation_line(operation, program.names);
      ASSERT_EQ(found.outcome, expected.outcome) << where;
      ASSERT_EQ(found.roots, expected.roots) << where;
      ASSERT_EQ(found.via, expected.via) << where;
      ASSERT_EQ(found.error, expected.error) << where;
      ASSERT_EQ(found.failures, expected.failures) << where;
      ASSERT_EQ(found.tags, expected.tags) << where;
      ASSERT_EQ(found.findings, std::vector<std::string>()) << where;
      ASSERT_EQ(without_call_ordinals(found.fired), without_call_ordinals(expected.fired)) << where;
      faults += found.fired.size();
    }
    ASSERT_EQ(outside.finish(), std::vector<std::string>()) << "case " << case_number;
    ASSERT_EQ(inside.finish(), std::vector<std::string>()) << "case " << case_number;
  }
  EXPECT_GT(faults, kCases);
}

TEST(InjectionAtTheTables, PassesEveryCheck) {
  CheckOptions options;
  options.session.injection = Injection::at_the_tables;
  for (std::uint64_t case_number = 0; case_number < 300; ++case_number) {
    const CheckedRun run = check(drawn(case_number), options);
    ASSERT_FALSE(run.disagreement) << "case " << case_number << ", step " << run.disagreement->step << ": "
                                   << run.disagreement->property << ": expected " << run.disagreement->expected
                                   << ", found " << run.disagreement->found;
  }
}

}  // namespace
}  // namespace taintgraph::props
