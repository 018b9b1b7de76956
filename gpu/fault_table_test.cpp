#include "gpu/fault_table.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace taintgraph::gpu {
namespace {

TEST(FaultTable, EveryKindHasItsRow) {
  for (const FaultRow& each : fault_table()) {
    EXPECT_EQ(&row(each.kind), &each);
    EXPECT_EQ(fault_from_string(each.name), each.kind) << each.name;
    EXPECT_FALSE(each.advice.empty()) << each.name;
  }
  EXPECT_EQ(row(FaultKind::assert_).name, "assert");
  EXPECT_EQ(fault_from_string("assert_"), std::nullopt);
  EXPECT_EQ(fault_from_string(""), std::nullopt);
}

TEST(FaultTable, NamesAndCodesAreDistinct) {
  std::set<std::string_view> names;
  for (const FaultRow& each : fault_table()) EXPECT_TRUE(names.insert(each.name).second) << each.name;
  for (const FaultRow& each : fault_table()) {
    if (each.kind == FaultKind::compile_error || each.kind == FaultKind::host_exception) continue;
    EXPECT_EQ(row_of(static_cast<CUresult>(each.code)), &each) << each.name;
  }
}

TEST(FaultTable, CodesOfOneTableAreNotThoseOfTheOther) {
  EXPECT_EQ(row_of(NVRTC_ERROR_COMPILATION), &row(FaultKind::compile_error));
  EXPECT_EQ(row_of(NVRTC_ERROR_OUT_OF_MEMORY), nullptr);
  EXPECT_EQ(row_of(static_cast<CUresult>(6)), nullptr);
  EXPECT_EQ(row_of(static_cast<CUresult>(1000)), nullptr);
  EXPECT_EQ(row_of(CUDA_SUCCESS), nullptr);
  EXPECT_EQ(row_of(CUDA_ERROR_DEINITIALIZED), nullptr);
}

// An asynchronous fault is one that work on the device raises, and it takes the context with it; one that a call
// refuses with leaves the context as it was.
TEST(FaultTable, AsynchronousIsSticky) {
  for (const FaultRow& each : fault_table()) {
    EXPECT_EQ(each.when == FaultWhen::async, each.sticky) << each.name;
    EXPECT_NE(each.when, FaultWhen::after) << each.name;
    if (!each.sticky) continue;
    EXPECT_TRUE(each.recovery == FaultRecovery::process || each.recovery == FaultRecovery::context) << each.name;
    EXPECT_TRUE(may_return(Call::cuLaunchKernel, each.kind)) << each.name;
  }
  EXPECT_EQ(row(FaultKind::assert_).recovery, FaultRecovery::context);
  EXPECT_EQ(row(FaultKind::illegal_address).recovery, FaultRecovery::process);
}

TEST(FaultTable, CallsAreListedOnce) {
  for (const FaultRow& each : fault_table()) {
    const std::set<Call> calls(each.calls.begin(), each.calls.end());
    EXPECT_EQ(calls.size(), each.calls.size()) << each.name;
    EXPECT_EQ(calls.empty(), each.kind == FaultKind::graph_exec_update_failure) << each.name;
    EXPECT_EQ(each.injectable, each.kind != FaultKind::not_ready) << each.name;
  }
}

TEST(FaultTable, MayReturn) {
  EXPECT_TRUE(may_return(Call::cuLaunchKernel, FaultKind::launch_out_of_resources));
  EXPECT_FALSE(may_return(Call::cuMemAlloc, FaultKind::launch_out_of_resources));
  EXPECT_TRUE(may_return(Call::cuMemcpyDtoHAsync, FaultKind::illegal_address));
  EXPECT_FALSE(may_return(Call::cuMemcpyDtoHAsync, FaultKind::assert_));
  EXPECT_TRUE(may_return(Call::cuModuleGetFunction, FaultKind::not_found));
  EXPECT_TRUE(may_return(Call::nvrtcCompileProgram, FaultKind::compile_error));
  EXPECT_TRUE(may_return(Call::none, FaultKind::host_exception));
  EXPECT_FALSE(may_return(Call::cuInit, FaultKind::invalid_context));
  EXPECT_FALSE(may_return(Call::cuGetErrorName, FaultKind::unknown));
}

TEST(CallNames, GoBothWays) {
  for (std::size_t i = 0; i < kCallCount; ++i) {
    const Call call = static_cast<Call>(i);
    EXPECT_EQ(call_from_string(to_string(call)), call);
  }
  EXPECT_EQ(to_string(Call::none), "host");
  EXPECT_EQ(to_string(Call::cuMemAlloc), "cuMemAlloc");
  EXPECT_EQ(to_string(Call::nvrtcDestroyProgram), "nvrtcDestroyProgram");
  EXPECT_EQ(call_from_string("cuMemAlloc_v2"), std::nullopt);
}

}  // namespace
}  // namespace taintgraph::gpu
