// The corpus: every scenario and every trace of a behaviour, replayed on the whole machine, with every structure
// validated after each operation.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "gpu/kernel_catalog.hpp"
#include "traces/half_done_work.hpp"
#include "traces/reader.hpp"
#include "traces/replayer.hpp"

namespace taintgraph::traces {
namespace {

std::vector<std::string> scenario_paths() {
  std::vector<std::string> paths;
  for (const char* folder : {TAINTGRAPH_SCENARIOS, TAINTGRAPH_BEHAVIOURS})
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".jsonl") paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

class Scenario : public ::testing::TestWithParam<std::string> {
 protected:
  // What does not hold, one line each; and the fingerprint.
  static std::pair<std::vector<std::string>, std::uint64_t> replay(const Program& program, std::uint64_t staging,
                                                                   Injection injection = Injection::in_the_driver) {
    std::vector<std::string> wrong;
    SessionOptions options;
    options.validate = true;
    options.injection = injection;
    options.staging_bytes = staging;
    Replayer replayer(program.header, program.names, options,
                      [&](const Operation& operation, const StepResult&, const std::vector<Mismatch>& mismatches) {
                        for (const Mismatch& each : mismatches)
                          wrong.push_back("line " + std::to_string(operation.line) + ": " + to_string(each));
                      });
    for (const Operation& operation : program.operations) replayer.execute(operation);
    replayer.finish();
    for (const Mismatch& each : replayer.whole_run()) wrong.push_back(to_string(each));
    return {wrong, replayer.session().fingerprint()};
  }
};

bool ends_a_hang(const Program& program) {
  return std::any_of(program.operations.begin(), program.operations.end(), [](const Operation& each) {
    return each.kind == OpKind::launch && gpu::kernel_catalog()[each.kernel].name == "spin" && each.fault &&
           each.fault->when == gpu::FaultWhen::async;
  });
}

TEST_P(Scenario, HoldsInEveryExpectation) {
  auto program = load_program(GetParam());
  ASSERT_TRUE(program);
  ASSERT_FALSE(program->operations.empty());
  const auto [wrong, fingerprint] = replay(*program, 1U << 16);
  EXPECT_EQ(wrong, std::vector<std::string>());

  // The size of staging memory does not show in what a program sees; nor do the device's own choices, but in bytes that
  // were never written.
  const auto [wrong_staged, fingerprint_staged] = replay(*program, 16);
  EXPECT_EQ(wrong_staged, std::vector<std::string>());
  EXPECT_EQ(fingerprint, fingerprint_staged);
  program->header.seed = 12345;
  EXPECT_EQ(replay(*program, 16).first, std::vector<std::string>());

  // Nor does it show where memory comes from.
  for (const PoolKind pool : {PoolKind::sliced, PoolKind::exclusive}) {
    program->header.device.pool = pool;
    program->header.device.allocator = Allocator::stream_ordered;
    EXPECT_EQ(replay(*program, 16).first, std::vector<std::string>());
  }
}

// What the injector does at a driver's tables, a program cannot tell from a driver that fails by itself. It would be so
// on hardware.
TEST_P(Scenario, HoldsWithFaultsInjectedAtTheTables) {
  const auto program = load_program(GetParam());
  ASSERT_TRUE(program);
  if (leaves_work_half_done(*program)) GTEST_SKIP() << "no driver can be told to do half of a call's work";
  if (ends_a_hang(*program)) GTEST_SKIP() << "no driver ends a kernel for an error that it knows nothing of";
  const auto [wrong, fingerprint] = replay(*program, 1U << 16, Injection::at_the_tables);
  EXPECT_EQ(wrong, std::vector<std::string>());
  EXPECT_EQ(fingerprint, replay(*program, 1U << 16).second);
}

INSTANTIATE_TEST_SUITE_P(Corpus, Scenario, ::testing::ValuesIn(scenario_paths()), [](const auto& scenario) {
  std::string name = std::filesystem::path(scenario.param).stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(ScenarioCorpus, IsWhole) { EXPECT_GE(scenario_paths().size(), 41U); }

}  // namespace
}  // namespace taintgraph::traces
