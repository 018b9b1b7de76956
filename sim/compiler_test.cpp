#include <gtest/gtest.h>

#include "sim/machine_fixture.hpp"

namespace taintgraph::sim {
namespace {

class CompilerTest : public MachineFixture {
 protected:
  nvrtcProgram program(const std::string& source, const std::string& header_text) {
    nvrtcProgram made = nullptr;
    const char* const headers[] = {header_text.c_str()};
    const char* const names[] = {"kernel.cuh"};
    EXPECT_EQ(nvrtc.nvrtcCreateProgram(&made, source.c_str(), "kernel.cu", 1, headers, names), NVRTC_SUCCESS);
    return made;
  }
  std::string log(nvrtcProgram of) {
    std::size_t size = 0;
    EXPECT_EQ(nvrtc.nvrtcGetProgramLogSize(of, &size), NVRTC_SUCCESS);
    std::string text(size, '?');
    EXPECT_EQ(nvrtc.nvrtcGetProgramLog(of, text.data()), NVRTC_SUCCESS);
    text.pop_back();
    return text;
  }

  const gpu::CompilerApi& nvrtc = driver.compiler();
  const std::string header{compiled_kernel_header()};
};

TEST_F(CompilerTest, EveryKernelCompilesLoadsAndIsFound) {
  ASSERT_FALSE(compiled_kernels().empty());
  for (const CompiledKernel* kernel : compiled_kernels()) {
    nvrtcProgram made = program(std::string(kernel->source), header);
    ASSERT_EQ(nvrtc.nvrtcCompileProgram(made, 0, nullptr), NVRTC_SUCCESS) << kernel->name;
    std::size_t size = 0;
    ASSERT_EQ(nvrtc.nvrtcGetPTXSize(made, &size), NVRTC_SUCCESS);
    std::string image(size, '?');
    ASSERT_EQ(nvrtc.nvrtcGetPTX(made, image.data()), NVRTC_SUCCESS);
    ASSERT_EQ(image.back(), '\0');
    CUmodule module = nullptr;
    ASSERT_EQ(cu.cuModuleLoadData(&module, image.data()), CUDA_SUCCESS);
    CUfunction found = nullptr;
    EXPECT_EQ(cu.cuModuleGetFunction(&found, module, "no_such_entry"), CUDA_ERROR_NOT_FOUND);
    EXPECT_EQ(cu.cuModuleGetFunction(&found, module, std::string(kernel->name).c_str()), CUDA_SUCCESS);
    EXPECT_EQ(cu.cuModuleUnload(module), CUDA_SUCCESS);
    EXPECT_EQ(nvrtc.nvrtcDestroyProgram(&made), NVRTC_SUCCESS);
  }
  EXPECT_EQ(findings(), "");
}

TEST_F(CompilerTest, OtherSourcesDoNotCompile) {
  const std::string source(compiled_kernels()[0]->source);
  const nvrtcProgram changed = program(source + " ", header);
  EXPECT_EQ(nvrtc.nvrtcCompileProgram(changed, 0, nullptr), NVRTC_ERROR_COMPILATION);
  EXPECT_NE(log(changed).find("not built with this source"), std::string::npos);
  std::size_t size = 0;
  EXPECT_EQ(nvrtc.nvrtcGetPTXSize(changed, &size), NVRTC_ERROR_INVALID_PROGRAM);

  const nvrtcProgram other_header = program(source, header + " ");
  EXPECT_EQ(nvrtc.nvrtcCompileProgram(other_header, 0, nullptr), NVRTC_ERROR_COMPILATION);
  EXPECT_NE(log(other_header).find("kernel.cuh"), std::string::npos);

  nvrtcProgram no_header = nullptr;
  ASSERT_EQ(nvrtc.nvrtcCreateProgram(&no_header, source.c_str(), "kernel.cu", 0, nullptr, nullptr), NVRTC_SUCCESS);
  EXPECT_EQ(nvrtc.nvrtcCompileProgram(no_header, 0, nullptr), NVRTC_ERROR_COMPILATION);
  EXPECT_NE(log(no_header).find("cannot open"), std::string::npos);
}

TEST_F(CompilerTest, OtherImagesDoNotLoad) {
  const auto load = [&](const char* image) {
    CUmodule module = nullptr;
    return cu.cuModuleLoadData(&module, image);
  };
  EXPECT_EQ(load(nullptr), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(load(""), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(load("\177ELF"), CUDA_ERROR_INVALID_IMAGE);
  for (const char* text : {"ELF", "// taintgraph simulated image 1\n.entry nothing_like_it\n.end\n",
                           "// taintgraph simulated image 1\n.entry fill", ".version 7.0\n.target sm_90\n"}) {
    EXPECT_EQ(load(text), CUDA_ERROR_INVALID_PTX) << text;
  }
  EXPECT_EQ(load(".version 7.0\n.target sm_91\n"), CUDA_ERROR_NO_BINARY_FOR_GPU);
}

TEST_F(CompilerTest, FaultsStrikeByKernel) {
  PlannedFault planned;
  planned.fault.kind = FaultKind::compile_error;
  planned.kernel = "fill";
  planned.persistent = true;
  plan = FaultPlan(1, {planned});
  const nvrtcProgram fill_program =
      program(std::string(compiled_kernels()[*find_kernel_by_name("fill")]->source), header);
  const nvrtcProgram copy_program =
      program(std::string(compiled_kernels()[*find_kernel_by_name("copy")]->source), header);
  EXPECT_EQ(nvrtc.nvrtcCompileProgram(fill_program, 0, nullptr), NVRTC_ERROR_COMPILATION);
  EXPECT_EQ(nvrtc.nvrtcCompileProgram(copy_program, 0, nullptr), NVRTC_SUCCESS);
}

TEST_F(CompilerTest, FunctionsDieWithTheirModule) {
  CUmodule module = nullptr;
  CUfunction kernel = nullptr;
  ASSERT_EQ(cu.cuModuleLoadData(&module, make_image(0).c_str()), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuModuleGetFunction(&kernel, module, std::string(compiled_kernels()[0]->name).c_str()), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuFuncLoad(kernel), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuFuncLoad(kernel), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_NE(findings(), "");
}

}  // namespace
}  // namespace taintgraph::sim
