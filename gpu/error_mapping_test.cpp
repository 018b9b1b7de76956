#include "gpu/error_mapping.hpp"

#include <gtest/gtest.h>

#include "gpu/bare_driver_for_tests.hpp"

namespace taintgraph::gpu {
namespace {

TEST(ErrorMapping, EveryRowOfTheTable) {
  const BareDriver bare;
  for (const FaultRow& row : fault_table()) {
    if (row.kind == FaultKind::compile_error || row.kind == FaultKind::host_exception) continue;
    const core::Error error = driver_error(bare.driver, static_cast<CUresult>(row.code), Call::cuMemAlloc);
    EXPECT_EQ(error.name, row.name);
    EXPECT_EQ(error.call, "cuMemAlloc");
    EXPECT_EQ(error.code, row.code);
    EXPECT_EQ(error.sticky, row.sticky) << row.name;
    EXPECT_EQ(static_cast<int>(error.recovery), static_cast<int>(row.recovery)) << row.name;
  }
}

TEST(ErrorMapping, OtherCodesByTheDriversOwnName) {
  BareDriver bare;
  bare.driver.cuGetErrorName = [](CUresult, const char** name) {
    *name = "CUDA_ERROR_DEINITIALIZED";
    return CUDA_SUCCESS;
  };
  const core::Error named = driver_error(bare.driver, CUDA_ERROR_DEINITIALIZED, Call::cuCtxDestroy);
  EXPECT_EQ(named.name, "CUDA_ERROR_DEINITIALIZED");
  EXPECT_EQ(named.code, 4);
  EXPECT_FALSE(named.sticky);
  bare.driver.cuGetErrorName = [](CUresult, const char**) { return CUDA_ERROR_INVALID_VALUE; };
  EXPECT_EQ(driver_error(bare.driver, static_cast<CUresult>(12345), Call::cuInit).name, "unrecognized CUDA error");
}

TEST(ErrorMapping, Compiler) {
  const core::Error error = compiler_error(NVRTC_ERROR_COMPILATION, Call::nvrtcCompileProgram);
  EXPECT_EQ(error.name, "compile_error");
  EXPECT_EQ(error.call, "nvrtcCompileProgram");
  EXPECT_EQ(error.code, 6);
  const core::Error memory = compiler_error(NVRTC_ERROR_OUT_OF_MEMORY, Call::nvrtcCreateProgram);
  EXPECT_EQ(memory.name, "NVRTC_ERROR_OUT_OF_MEMORY");
  EXPECT_EQ(memory.recovery, core::Recovery::retry);
  EXPECT_EQ(compiler_error(static_cast<nvrtcResult>(99), Call::nvrtcVersion).name, "unrecognized NVRTC error");
}

TEST(ErrorMapping, Checked) {
  const BareDriver bare;
  EXPECT_TRUE(checked(bare.driver, CUDA_SUCCESS, Call::cuInit));
  EXPECT_TRUE(checked(NVRTC_SUCCESS, Call::nvrtcVersion));
  EXPECT_EQ(checked(bare.driver, CUDA_ERROR_NO_DEVICE, Call::cuInit).error().name, "no_device");
  EXPECT_EQ(checked(NVRTC_ERROR_INVALID_OPTION, Call::nvrtcVersion).error().code, 5);
}

TEST(ErrorMapping, UndoFailuresAreAddedToTheDetail) {
  core::Error error{.name = "a", .call = {}, .detail = "log"};
  add_undo_failure(error, core::Error{.name = "invalid_handle", .call = "cuModuleUnload", .detail = {}});
  EXPECT_EQ(error.detail, "log\nthen, undoing it, cuModuleUnload returned invalid_handle");
  error = core::Error{.name = "not_found", .call = "cuModuleGetFunction", .detail = {}};
  add_undo_failure(error, core::Error{.name = "unknown", .call = "cuModuleUnload", .sticky = true, .detail = {}});
  EXPECT_TRUE(error.sticky);
  EXPECT_EQ(error.name, "unknown");
  EXPECT_EQ(error.detail, "undoing what cuModuleGetFunction had failed with, not_found");
}

}  // namespace
}  // namespace taintgraph::gpu
