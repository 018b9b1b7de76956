#include "props/fault_cells.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "props/operation_faults.hpp"
#include "traces/fault_target.hpp"

namespace taintgraph::props {
namespace {

using gpu::Call;
using gpu::FaultKind;
using traces::OpKind;

bool in_reach(const FaultCell& cell) {
  const auto& cells = cells_in_reach();
  return std::find(cells.begin(), cells.end(), cell) != cells.end();
}

bool in_reach(Call call, FaultKind kind) {
  const auto& cells = cells_in_reach();
  return std::any_of(cells.begin(), cells.end(),
                     [&](const FaultCell& cell) { return cell.call == call && cell.kind == kind; });
}

TEST(FaultCells, FollowTheFaultTable) {
  for (const FaultCell& cell : cells_in_reach()) {
    EXPECT_TRUE(gpu::may_return(cell.call, cell.kind)) << text_of(cell);
    EXPECT_TRUE(gpu::row(cell.kind).injectable);
  }
  EXPECT_TRUE(in_reach(Call::cuLaunchKernel, FaultKind::launch_out_of_resources));
  EXPECT_TRUE(in_reach(Call::cuGraphLaunch, FaultKind::assert_));
  EXPECT_TRUE(in_reach(Call::none, FaultKind::host_exception));
  EXPECT_FALSE(in_reach(Call::cuMemAlloc, FaultKind::launch_out_of_resources));
}

// Every cell of the table is in reach or left out for a reason; none is both, and no reason is idle.
TEST(FaultCells, AddUpToAllThatThereAre) {
  std::size_t count = cells_in_reach().size();
  for (const Exclusion& each : exclusions()) {
    EXPECT_GT(each.cells, 0U) << each.reason;
    count += each.cells;
  }
  EXPECT_EQ(count, cells_in_all());
}

TEST(FaultCells, SituationsThatCannotBeAreLeftOut) {
  const auto cell = [](Call call, ContextState context, bool capturing) {
    return FaultCell{call, FaultKind::unknown, context, capturing};
  };
  EXPECT_TRUE(in_reach(cell(Call::cuStreamEndCapture, ContextState::first, true)));
  EXPECT_FALSE(in_reach(cell(Call::cuStreamEndCapture, ContextState::first, false)));
  EXPECT_TRUE(in_reach(cell(Call::cuCtxCreate, ContextState::renewing, false)));
  EXPECT_FALSE(in_reach(cell(Call::cuCtxCreate, ContextState::renewed, false)));
  EXPECT_FALSE(in_reach(cell(Call::cuLaunchKernel, ContextState::renewing, false)));
  EXPECT_TRUE(in_reach(cell(Call::cuMemAllocHost, ContextState::renewing, false)));
  EXPECT_FALSE(in_reach(cell(Call::cuMemAllocHost, ContextState::pending, false)));
}

TEST(FaultCells, PairsAreApartByWhatTheyDo) {
  for (const CallAndKind& each : passing_pairs_in_reach()) EXPECT_FALSE(gpu::row(each.kind).sticky);
  for (const CallAndKind& each : sticky_pairs_in_reach()) EXPECT_TRUE(gpu::row(each.kind).sticky);
  EXPECT_FALSE(pairs_of_a_reset().empty());
}

TEST(FaultCells, CanBeWrittenAndRead) {
  for (const FaultCell& cell : cells_in_reach()) EXPECT_EQ(cell_from_string(text_of(cell)), cell) << text_of(cell);
  for (const char* text : {"", "cuInit unknown", "cuInit unknown, context lost", "cuNothing unknown, context first"}) {
    EXPECT_FALSE(cell_from_string(text)) << text;
  }
}

TEST(FaultCells, TheMatrixShowsItsExclusions) {
  std::ostringstream out;
  show_matrix(out);
  for (const Exclusion& each : exclusions()) {
    EXPECT_NE(out.str().find(std::to_string(each.cells) + "  " + std::string(each.reason)), std::string::npos);
  }
  EXPECT_NE(out.str().find("cuGraphInstantiate"), std::string::npos);
}

TEST(OperationFaults, OperationsThatMayNotCarryAFaultDrawNone) {
  for (const OpKind kind : {OpKind::free, OpKind::trust, OpKind::cleanup, OpKind::check, OpKind::destroy}) {
    EXPECT_TRUE(faults_for(kind).empty()) << traces::to_string(kind);
    EXPECT_TRUE(fatal_faults_for(kind).empty()) << traces::to_string(kind);
  }
}

// What the generator puts on an operation must strike one of the calls that it counts with.
TEST(OperationFaults, AgreeWithTheCallsThatAFaultStrikes) {
  for (std::size_t i = 0; i < traces::kOpKindCount; ++i) {
    const auto op = static_cast<OpKind>(i);
    for (const FaultKind kind : faults_for(op)) {
      const auto struck = traces::calls_struck(op, kind);
      ASSERT_FALSE(struck.empty());
      EXPECT_TRUE(in_reach(struck.front(), kind)) << traces::to_string(op) << ' ' << gpu::row(kind).name;
    }
  }
  for (const CallMakers& each : calls_to_plan_for()) {
    EXPECT_FALSE(passing_faults_of(each.call).empty()) << gpu::to_string(each.call);
    EXPECT_FALSE(each.makers.empty()) << gpu::to_string(each.call);
  }
}

TEST(CellCoverage, CountsEachCellInReachOnce) {
  CellCoverage coverage;
  EXPECT_EQ(coverage.count(), 0U);
  FaultCell cell{Call::cuMemAlloc, FaultKind::out_of_memory, ContextState::first, false};
  coverage.hit(cell);
  coverage.hit(cell);
  coverage.hit({Call::cuStreamQuery, FaultKind::invalid_value, ContextState::first, false});  // out of reach
  EXPECT_EQ(coverage.count(), 1U);
  cell.capturing = true;
  coverage.hit(cell);
  cell.context = ContextState::pending;
  coverage.hit(cell);
  EXPECT_EQ(coverage.count(), 3U);
  CellCoverage other;
  other.hit({Call::cuLaunchKernel, FaultKind::invalid_value, ContextState::renewed, false});
  coverage.add(other);
  EXPECT_EQ(coverage.count(), 4U);
  EXPECT_TRUE(coverage.contains({Call::cuLaunchKernel, FaultKind::invalid_value, ContextState::renewed, false}));
  EXPECT_FALSE(coverage.contains({Call::cuLaunchKernel, FaultKind::invalid_value, ContextState::first, false}));
}

}  // namespace
}  // namespace taintgraph::props
