#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "gpu/compiler_loader.hpp"
#include "gpu/driver_loader.hpp"

namespace taintgraph::gpu {
namespace {

TEST(DriverLoader, FillsTheTable) {
  const auto driver = load_driver(TAINTGRAPH_WHOLE_LIBRARY);
  ASSERT_TRUE(driver) << driver.error();
#define TAINTGRAPH_EXPECT(name, parameters) EXPECT_NE(driver->name, nullptr) << #name;
  TAINTGRAPH_DRIVER_ENTRIES(TAINTGRAPH_EXPECT)
#undef TAINTGRAPH_EXPECT
}

TEST(DriverLoader, AsksForThePinnedVersions) {
  ASSERT_TRUE(load_driver(TAINTGRAPH_WHOLE_LIBRARY));
  void* library = dlopen(TAINTGRAPH_WHOLE_LIBRARY, RTLD_NOW);
  ASSERT_NE(library, nullptr);
  const auto asked = reinterpret_cast<const char* (*)()>(dlsym(library, "what_was_asked_for"));
  ASSERT_NE(asked, nullptr);
  const std::string requests = asked();
  EXPECT_NE(requests.find("cuCtxCreate:3020:1 "), std::string::npos) << requests;
  EXPECT_NE(requests.find("cuGraphInstantiateWithFlags:11040:1 "), std::string::npos) << requests;
  EXPECT_NE(requests.find("cuCtxSynchronize:2000:1 "), std::string::npos) << requests;
  dlclose(library);
}

TEST(DriverLoader, SaysWhatIsMissing) {
  const auto lacking = load_driver(TAINTGRAPH_LACKING_LIBRARY);
  ASSERT_FALSE(lacking);
  EXPECT_EQ(lacking.error(), std::string(TAINTGRAPH_LACKING_LIBRARY) + " lacks cuFuncLoad (CUDA 12.4)");

  const auto old = load_driver(TAINTGRAPH_OLD_LIBRARY);
  ASSERT_FALSE(old);
  EXPECT_NE(old.error().find("cuGetProcAddress_v2"), std::string::npos) << old.error();

  const auto none = load_driver("libno-such-driver.so.1");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().find("libno-such-driver.so.1"), std::string::npos) << none.error();
}

TEST(CompilerLoader, SaysWhatIsMissing) {
  const auto none = load_compiler({"libno-such-compiler.so"});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().find("libno-such-compiler.so"), std::string::npos) << none.error();

  const auto other = load_compiler({"libno-such-compiler.so", TAINTGRAPH_OLD_LIBRARY});
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().find("lacks nvrtcVersion, nvrtcCreateProgram"), std::string::npos) << other.error();
  EXPECT_EQ(other.error().find("no-such-compiler"), std::string::npos) << other.error();

  EXPECT_FALSE(load_compiler({}));
}

TEST(CompilerLoader, LooksInTheToolkitsOfTheEnvironment) {
  ASSERT_EQ(setenv("CUDA_HOME", "/opt/a-toolkit", 1), 0);
  const std::vector<std::string> candidates = compiler_candidates();
  unsetenv("CUDA_HOME");
  const auto has = [&](const char* path) {
    return std::find(candidates.begin(), candidates.end(), path) != candidates.end();
  };
  EXPECT_TRUE(has("libnvrtc.so"));
  EXPECT_TRUE(has("/opt/a-toolkit/lib64/libnvrtc.so"));
  EXPECT_TRUE(has("/usr/local/cuda/lib64/libnvrtc.so.13"));
}

}  // namespace
}  // namespace taintgraph::gpu
