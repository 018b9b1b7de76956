// The kernels through the real compiler, where there is one.
#include <gtest/gtest.h>

#include <string>

#include "gpu/compiler_loader.hpp"
#include "gpu/error_mapping.hpp"
#include "gpu/kernel_compiler.hpp"

namespace taintgraph::gpu {
namespace {

constexpr CUdevice kDevice = 0;
int compute_capability = 75;  // what the driver of the test says its GPU has; a table's entry can ask for nothing else

CUresult get_attribute(int* value, CUdevice_attribute attribute, CUdevice) {
  *value =
      attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? compute_capability / 10 : compute_capability % 10;
  return CUDA_SUCCESS;
}

class Nvrtc : public testing::Test {
 protected:
  void SetUp() override {
    const auto loaded = load_compiler();
    if (!loaded) GTEST_SKIP() << loaded.error();
    table_ = *loaded;
    driver_.cuDeviceGetAttribute = get_attribute;
    compute_capability = 75;
  }

  [[nodiscard]] int version() const {
    int major = 0;
    int minor = 0;
    EXPECT_EQ(table_.nvrtcVersion(&major, &minor), NVRTC_SUCCESS);
    return major * 100 + minor;
  }

  CompilerApi table_;
  DriverApi driver_;
  KernelCompiler compiler_{driver_, table_};
};

TEST_F(Nvrtc, CompilesEveryKernel) {
  for (const KernelInfo& kernel : kernel_catalog()) {
    const auto ptx = compiler_.compile(kernel, kDevice);
    ASSERT_TRUE(ptx) << kernel.name << ": " << ptx.error().name << "\n" << ptx.error().detail;
    EXPECT_NE(ptx->find(".visible .entry " + std::string(kernel.name) + "("), std::string::npos) << kernel.name;
    EXPECT_NE(ptx->find(".target sm_75"), std::string::npos) << kernel.name;
    // The parameters are as long as the host packs them: Operands, and the scalar if there is one.
    const std::string operands = std::string(kernel.name) + "_param_0[272]";
    EXPECT_NE(ptx->find(operands), std::string::npos) << kernel.name;
    const bool second = ptx->find(std::string(kernel.name) + "_param_1") != std::string::npos;
    EXPECT_EQ(second, !kernel.scalar.empty()) << kernel.name;
  }
}

TEST_F(Nvrtc, FaultingKernelsKeepTheirFaults) {
  const auto ptx = [&](std::string_view kernel) {
    return compiler_.compile(*find_kernel(kernel), kDevice).value_or("");
  };
  EXPECT_NE(ptx("trap").find("trap;"), std::string::npos);
  EXPECT_NE(ptx("out_of_bounds").find("st.u8"), std::string::npos);
  EXPECT_NE(ptx("device_assert").find("__assertfail"), std::string::npos);
}

TEST_F(Nvrtc, LogNamesTheLine) {
  const KernelInfo broken = {
      "broken", "#include \"kernel.cuh\"\n\nKERNEL broken(Operands operands) {\n  undeclared();\n}\n", "", 0};
  const auto ptx = compiler_.compile(broken, kDevice);
  ASSERT_FALSE(ptx);
  EXPECT_EQ(ptx.error().name, "compile_error");
  EXPECT_EQ(ptx.error().call, "nvrtcCompileProgram");
  EXPECT_EQ(ptx.error().code, 6);
  EXPECT_NE(ptx.error().detail.find("broken.cu(4): error"), std::string::npos) << ptx.error().detail;
  EXPECT_NE(ptx.error().detail.find("undeclared"), std::string::npos) << ptx.error().detail;
}

// What the table of architectures says of this version, the compiler must hold to.
TEST_F(Nvrtc, CompilesForEachArchitectureItIsSaidToKnow) {
  for (const Architecture& each : architectures()) {
    compute_capability = each.compute;
    const int chosen = choose_architecture(each.compute, version());
    const auto ptx = compiler_.compile(*find_kernel("fill"), kDevice);
    const bool said_to_know = each.since <= version() && version() < each.until;
    EXPECT_EQ(chosen == each.compute && ptx.has_value(), said_to_know) << each.compute;
  }
  compute_capability = 209;  // a GPU that this compiler cannot know yet
  EXPECT_TRUE(compiler_.compile(*find_kernel("fill"), kDevice));
}

TEST(ChooseArchitecture, NewestThatBothKnow) {
  EXPECT_EQ(choose_architecture(75, 1300), 75);
  EXPECT_EQ(choose_architecture(90, 1300), 90);
  EXPECT_EQ(choose_architecture(90, 1100), 80);
  EXPECT_EQ(choose_architecture(101, 1208), 101);
  EXPECT_EQ(choose_architecture(101, 1300), 100);
  EXPECT_EQ(choose_architecture(70, 1204), 70);
  EXPECT_EQ(choose_architecture(70, 1300), 70);  // neither knows it; the compiler is to say so
}

}  // namespace
}  // namespace taintgraph::gpu
