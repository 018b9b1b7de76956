// The probes on the simulated driver, which is to do what the fault table says, and the comparison with a driver that
// is made to do otherwise.
#include "props/conform/conform.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "gpu/compiler_loader.hpp"
#include "gpu/kernel_compiler.hpp"
#include "props/conform/conformance.hpp"
#include "props/conform/transcript.hpp"
#include "traces/reader.hpp"

namespace taintgraph::props {
namespace {

constexpr std::chrono::milliseconds kLimit{20'000};

TEST(Probes, AreManyAndNamedApart) {
  const std::vector<Probe> probes = all_probes();
  EXPECT_GE(probes.size(), 40U);
  std::set<std::string_view> names;
  for (const Probe& probe : probes) names.insert(probe.name);
  EXPECT_EQ(names.size(), probes.size());
}

TEST(Probes, TheSimulatedDriverDoesWhatTheTableSays) {
  for (const Probe& probe : all_probes()) {
    const Observation observation = observe(probe, simulated_rig(), kLimit);
    EXPECT_FALSE(observation.expected.empty()) << probe.name << ": " << observation.seen;
    EXPECT_TRUE(is_allowed(observation.seen, observation.expected))
        << probe.name << "\n  expected " << observation.expected << "\n  seen     " << observation.seen;
  }
}

TEST(Probes, TakeTheSameStepsEachTime) {
  for (const Probe& probe : all_probes())
    EXPECT_EQ(observe(probe, simulated_rig(), kLimit), observe(probe, simulated_rig(), kLimit)) << probe.name;
}

TEST(Probes, WhatIsAllowed) {
  EXPECT_TRUE(is_allowed("", ""));
  EXPECT_TRUE(is_allowed("a=1 b=2", "a=1 b=2"));
  EXPECT_TRUE(is_allowed("a=1 b=2", "a=7|1|9 b=2"));
  EXPECT_FALSE(is_allowed("a=1 b=2", "a=7|9 b=2"));
  EXPECT_FALSE(is_allowed("a=1", "a=11"));
  EXPECT_FALSE(is_allowed("a=11", "a=1"));
  EXPECT_FALSE(is_allowed("a=1", "a=1 b=2"));
  EXPECT_FALSE(is_allowed("a=1 b=2", "a=1"));
  EXPECT_FALSE(is_allowed("b=1", "a=1"));
  EXPECT_FALSE(is_allowed("setup:cuInit=3", "a=1"));
}

// What the simulated driver cannot show of them: that the real compiler takes them.
TEST(DeviceOnlyKernels, Compile) {
  const auto compiler = gpu::load_compiler();
  if (!compiler) GTEST_SKIP() << compiler.error();
  const std::unique_ptr<Rig> rig = simulated_rig()();
  ASSERT_EQ(rig->driver().cuInit(0), gpu::CUDA_SUCCESS);
  for (const DeviceOnlyKernel& each : device_only_kernels()) {
    const auto ptx = gpu::KernelCompiler(rig->driver(), *compiler).compile(each.kernel, 0);
    ASSERT_TRUE(ptx) << each.kernel.name << ": " << ptx.error().detail;
    EXPECT_NE(ptx->find(".entry " + std::string(each.kernel.name) + "("), std::string::npos) << *ptx;
    const std::string_view marks[] = {"st.volatile.global.u32", "st.volatile.u32", "call",
                                      "atom.global.add",        "brkpt",           "%clock64"};
    const bool kept = std::any_of(std::begin(marks), std::end(marks),
                                  [&](std::string_view mark) { return ptx->find(mark) != std::string::npos; });
    EXPECT_TRUE(kept) << "the compiler has dropped what faults: " << *ptx;
  }
}

// A driver whose tables are the simulated one's, with one entry replaced.
class OtherRig final : public Rig {
 public:
  using Change = void (*)(gpu::DriverApi&);
  explicit OtherRig(Change change) : behind_(simulated_rig()()), table_(behind_->driver()) { change(table_); }
  const gpu::DriverApi& driver() const override { return table_; }
  const gpu::CompilerApi& compiler() const override { return behind_->compiler(); }
  int device() const override { return 0; }
  gpu::CUfunction function_that_meets(gpu::FaultKind kind) override { return behind_->function_that_meets(kind); }
  void expect(gpu::FaultKind kind) override { behind_->expect(kind); }
  void let_time_pass() override { behind_->let_time_pass(); }

 private:
  std::unique_ptr<Rig> behind_;
  gpu::DriverApi table_;
};

RigMaker other_rig(OtherRig::Change change) {
  return [change] { return std::make_unique<OtherRig>(change); };
}

class Conform : public testing::Test {
 protected:
  Conform() {
    std::string pattern = (std::filesystem::temp_directory_path() / "conform_test_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    options_.limit = std::chrono::milliseconds(1500);
    options_.output = folder_ + "/transcript.jsonl";
  }
  ~Conform() override { std::filesystem::remove_all(folder_); }

  int run(OtherRig::Change change) {
    out_.str("");
    err_.str("");
    return conform(options_, other_rig(change), out_, err_);
  }
  [[nodiscard]] ConformRow row(const std::string& name) const {
    std::ifstream file(options_.output);
    const auto transcript = read_transcript(file);
    EXPECT_TRUE(transcript) << transcript.error();
    for (const ConformRow& each : transcript->rows)
      if (each.name == name) return each;
    ADD_FAILURE() << "no row " << name;
    return {};
  }
  [[nodiscard]] bool printed(const std::string& part) const { return out_.str().find(part) != std::string::npos; }

  std::string folder_;
  ConformOptions options_;
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(Conform, ADriverThatDoesTheSameAgrees) {
  EXPECT_EQ(run([](gpu::DriverApi&) {}), 0) << out_.str();
  EXPECT_EQ(row("zero-bytes").agreement, Agreement::agree);
  EXPECT_TRUE(printed("taintgraph simulated device, driver 13.0"));
  EXPECT_TRUE(printed(std::to_string(all_probes().size()) + " agree"));
}

TEST_F(Conform, ATraceThatHardwareCannotRunIsLeftOut) {
  const std::string path = folder_ + "/half.jsonl";
  std::ofstream(path) << R"({"format":"taintgraph-trace","version":1}
{"op":"alloc","buffer":"X","size":8}
{"op":"write","to":"X","fill":1,"fault":{"kind":"invalid_value","bytes_done":3}}
)";
  options_.traces = {path};
  EXPECT_EQ(run([](gpu::DriverApi&) {}), 0) << out_.str();
  EXPECT_EQ(row("half.jsonl").agreement, Agreement::left_out);
  EXPECT_EQ(row("half.jsonl").simulated, "mismatches=0 #2=failed<2");
  EXPECT_TRUE(printed("1 left out"));
}

TEST_F(Conform, ACodeOutsideTheTableIsTheHardwares) {
  EXPECT_EQ(run([](gpu::DriverApi& table) {
              table.cuMemAllocAsync = [](gpu::CUdeviceptr*, std::size_t, gpu::CUstream) {
                return gpu::CUDA_ERROR_NOT_SUPPORTED;
              };
            }),
            1);
  EXPECT_EQ(row("too-many-bytes-in-stream-order").agreement, Agreement::hardware_differs);
  EXPECT_EQ(row("zero-bytes").agreement, Agreement::agree);
  EXPECT_TRUE(printed("1 hardware differs"));
}

TEST_F(Conform, AnotherCodeOfTheTableIsAllowed) {
  EXPECT_EQ(run([](gpu::DriverApi& table) {
              table.cuLaunchKernel = [](gpu::CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                        unsigned, gpu::CUstream, void**,
                                        void**) { return gpu::CUDA_ERROR_INVALID_VALUE; };
            }),
            1);
  EXPECT_EQ(row("no-function").agreement, Agreement::both_allowed);
  EXPECT_EQ(row("too-many-threads").agreement, Agreement::hardware_differs) << "a launch that fits fails, too";
}

TEST_F(Conform, ACrashOrAHangIsARow) {
  EXPECT_EQ(run([](gpu::DriverApi& table) {
              table.cuMemGetInfo = nullptr;
              table.cuEventDestroy = [](gpu::CUevent) -> gpu::CUresult { std::abort(); };
              table.cuModuleUnload = [](gpu::CUmodule) -> gpu::CUresult {
                for (;;) ::pause();
              };
            }),
            1);
  EXPECT_NE(row("event-destroyed-twice").real.find("died:killed_by_signal"), std::string::npos);
  EXPECT_NE(row("missing-function").real.find("died:made_no_progress"), std::string::npos);
  EXPECT_EQ(row("missing-function").agreement, Agreement::hardware_differs);
  EXPECT_EQ(row("zero-bytes").agreement, Agreement::agree);
}

TEST_F(Conform, AKeptTranscriptStandsForTheDriver) {
  ASSERT_EQ(run([](gpu::DriverApi& table) {
              table.cuMemAllocAsync = [](gpu::CUdeviceptr*, std::size_t, gpu::CUstream) {
                return gpu::CUDA_ERROR_NOT_SUPPORTED;
              };
            }),
            1);
  options_.compare = options_.output;
  options_.output.clear();
  EXPECT_EQ(run([](gpu::DriverApi&) { std::abort(); }), 1) << "the driver is not asked";
  EXPECT_TRUE(printed("1 hardware differs"));

  std::ofstream(folder_ + "/bad.jsonl") << "{\"format\":\"other\",\"version\":1}\n";
  options_.compare = folder_ + "/bad.jsonl";
  EXPECT_EQ(run([](gpu::DriverApi&) {}), 64);
  EXPECT_NE(err_.str().find("line 1"), std::string::npos);
}

TEST_F(Conform, AKeptTranscriptsFieldsAreCheckedByTypeAndRange) {
  const std::string good =
      "{\"format\":\"taintgraph-conform\",\"version\":1,\"card\":\"C\",\"driver\":12040,\"nvrtc\":12040}\n"
      "{\"name\":\"n\",\"expected\":\"e\",\"simulated\":\"s\",\"real\":\"r\",\"verdict\":\"agree\"}\n";
  const auto error = [&](const std::string& what, const std::string& instead) {
    std::istringstream text(std::string(good).replace(good.find(what), what.size(), instead));
    const auto transcript = read_transcript(text);
    return transcript ? std::string() : transcript.error();
  };
  EXPECT_EQ(error("agree", "agree"), "");
  EXPECT_EQ(error("\"version\":1", "\"version\":1.0"), "line 1: version: is 1.0; expected a whole number from 1 to 1");
  EXPECT_EQ(error("12040", "2147483648"),
            "line 1: driver: is 2147483648; expected a whole number from 0 to 2147483647");
  EXPECT_EQ(error("\"e\"", "null"), "line 2: expected: is null; expected a text");
  EXPECT_EQ(error("\"agree\"", "{}"), "line 2: verdict: is {}; expected a text");
  EXPECT_EQ(error("\"nvrtc\":12040}", "\"nvrtc\":12040"), "line 1: is no JSON from line 1, column 83 on");
}

TEST_F(Conform, ATranscriptThatCannotBeReadIsToldFromAnEmptyOne) {
  const auto complaint = [&](const std::string& compare) {
    options_.compare = compare;
    EXPECT_EQ(run([](gpu::DriverApi&) {}), 64);
    return err_.str();
  };
  EXPECT_NE(complaint(folder_ + "/missing").find("/missing: No such file or directory"), std::string::npos);
  EXPECT_NE(complaint(folder_).find(folder_ + ": is a directory"), std::string::npos);
  EXPECT_NE(complaint("/dev/null").find("/dev/null: empty"), std::string::npos);
}

TEST_F(Conform, WithoutAGpuNothingIsWritten) {
  const auto none = []() -> std::unique_ptr<Rig> { throw traces::NoGpu("no CUDA driver: none at all"); };
  EXPECT_EQ(conform(options_, none, out_, err_), 77);
  EXPECT_NE(err_.str().find("no CUDA driver: none at all"), std::string::npos);
  EXPECT_EQ(out_.str(), "");
  EXPECT_FALSE(std::filesystem::exists(options_.output));
}

TEST_F(Conform, CommandLine) {
  const auto command = [&](std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "conform");
    return conform_command(static_cast<int>(arguments.size()), arguments.data(), out_, err_);
  };
  EXPECT_EQ(command({"--help"}), 0);
  EXPECT_TRUE(printed("--compare"));
  for (const char* device : {"-1", "1024"}) {
    err_.str("");
    EXPECT_EQ(command({"--device", device}), 64);
    EXPECT_NE(err_.str().find("1023"), std::string::npos) << err_.str();
    EXPECT_LT(err_.str().size(), 150U) << err_.str();
  }
  for (const char* option : {"-o", "--compare"}) EXPECT_EQ(command({option, ""}), 64) << option;
  EXPECT_EQ(command({"no-such-trace.jsonl"}), 64);
}

TEST(TraceRows, SayWhatWasNotOk) {
  const auto program = traces::parse_program(R"({"format":"taintgraph-trace","version":1}
{"op":"alloc","buffer":"X","size":8}
{"op":"launch","kernel":"iota","writes":["X"],"fault":"launch_out_of_resources"}
{"op":"read","from":["X"],"expect":{"outcome":"ok"}}
)");
  ASSERT_TRUE(program);
  EXPECT_EQ(observe(*program, {}, kLimit), "mismatches=1 #3:outcome #2=failed<2 #3=unwritten<2");
  ConformRow row{"t", std::string(kNoMismatch), "mismatches=0 #2=failed<2", "mismatches=0 #2=failed<2", {}};
  judge(row);
  EXPECT_EQ(row.agreement, Agreement::agree);
  row.real = "mismatches=01";
  judge(row);
  EXPECT_EQ(row.agreement, Agreement::hardware_differs);
}

}  // namespace
}  // namespace taintgraph::props
