#include "props/fault_cells.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "traces/fault_target.hpp"

namespace taintgraph::props {
namespace {

using gpu::Call;
using gpu::FaultKind;
using traces::OpKind;

bool in_reach(Call call, FaultKind kind) {
  const auto& cells = cells_in_reach();
  return std::find(cells.begin(), cells.end(), FaultCell{call, kind}) != cells.end();
}

TEST(FaultCells, FollowTheFaultTable) {
  for (const FaultCell& cell : cells_in_reach()) {
    EXPECT_TRUE(gpu::may_return(cell.call, cell.kind)) << gpu::to_string(cell.call) << ' ' << gpu::row(cell.kind).name;
    EXPECT_TRUE(gpu::row(cell.kind).injectable);
  }
  EXPECT_TRUE(in_reach(Call::cuLaunchKernel, FaultKind::launch_out_of_resources));
  EXPECT_TRUE(in_reach(Call::cuMemAlloc, FaultKind::out_of_memory));
  EXPECT_TRUE(in_reach(Call::none, FaultKind::host_exception));
  EXPECT_FALSE(in_reach(Call::cuMemAlloc, FaultKind::launch_out_of_resources));
  EXPECT_FALSE(in_reach(Call::cuInit, FaultKind::no_device));
}

TEST(FaultCells, OperationsThatMayNotCarryAFaultDrawNone) {
  for (const OpKind kind : {OpKind::free, OpKind::trust, OpKind::cleanup, OpKind::check, OpKind::destroy}) {
    EXPECT_TRUE(faults_for(kind).empty()) << traces::to_string(kind);
  }
}

// What the generator puts on an operation must strike one of the calls that it counts with.
TEST(FaultCells, AgreeWithTheCallsThatAFaultStrikes) {
  for (std::size_t i = 0; i < traces::kOpKindCount; ++i) {
    const auto op = static_cast<OpKind>(i);
    for (const FaultKind kind : faults_for(op)) {
      const auto struck = traces::calls_struck(op, kind);
      ASSERT_FALSE(struck.empty());
      EXPECT_TRUE(in_reach(struck.front(), kind)) << traces::to_string(op) << ' ' << gpu::row(kind).name;
    }
  }
}

TEST(CellCoverage, CountsEachCellInReachOnce) {
  CellCoverage coverage;
  EXPECT_EQ(coverage.count(), 0U);
  coverage.hit(Call::cuMemAlloc, FaultKind::out_of_memory);
  coverage.hit(Call::cuMemAlloc, FaultKind::out_of_memory);
  coverage.hit(Call::cuInit, FaultKind::no_device);  // out of reach
  EXPECT_EQ(coverage.count(), 1U);
  CellCoverage other;
  other.hit(Call::cuLaunchKernel, FaultKind::invalid_value);
  coverage.add(other);
  EXPECT_EQ(coverage.count(), 2U);
  EXPECT_TRUE(coverage.contains({Call::cuLaunchKernel, FaultKind::invalid_value}));
}

}  // namespace
}  // namespace taintgraph::props
