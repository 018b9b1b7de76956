// The subcommand `replay`, from its command line to its exit code.
#include "traces/replay.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace taintgraph::traces {
namespace {

class Captions final : public Film {
 public:
  void add(std::string caption, Snapshot snapshot) override {
    text_ += caption.substr(0, caption.find_first_of(",;")) + ": " + std::to_string(snapshot.failures.size()) + "\n";
  }
  tl::expected<std::string, std::string> page(Snapshot last) override {
    return text_ + "last: " + std::to_string(last.failures.size()) + "\n";
  }

 private:
  std::string text_;
};

class ReplayTest : public ::testing::Test {
 protected:
  ReplayTest() {
    std::string name = (std::filesystem::temp_directory_path() / "taintgraph-replay-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~ReplayTest() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& operations) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path) << R"({"format":"taintgraph-trace","version":1})"
                        << "\n"
                        << operations;
    return path;
  }
  static std::string text(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  int run(std::vector<std::string> arguments) {
    out_.str("");
    err_.str("");
    std::vector<const char*> argv = {"replay"};
    for (const std::string& each : arguments) argv.push_back(each.c_str());
    const auto draw = [](const Snapshot& snapshot) -> tl::expected<std::string, std::string> {
      return "picture of " + std::to_string(snapshot.failures.size()) + " failure(s)";
    };
    return replay_command(static_cast<int>(argv.size()), argv.data(), out_, err_,
                          {draw, [] { return std::make_unique<Captions>(); }});
  }
  [[nodiscard]] bool printed(const std::string& part) const { return out_.str().find(part) != std::string::npos; }

  std::string folder_;
  std::ostringstream out_;
  std::ostringstream err_;
};

constexpr const char* kFailing = R"({"op":"alloc","buffer":"X","size":8}
{"op":"launch","id":"P","kernel":"iota","writes":["X"],"fault":"launch_out_of_resources"}
{"op":"read","from":["X"],"expect":{"outcome":"unwritten","roots":["P"],"via":[]}}
)";

TEST_F(ReplayTest, SaysThatAllHeld) {
  EXPECT_EQ(run({file("good.jsonl", kFailing)}), 0);
  EXPECT_TRUE(printed("ok, 3 operations, 0 mismatches"));
  EXPECT_EQ(err_.str(), "");
  EXPECT_EQ(run({file("good.jsonl", kFailing), "-v"}), 0);
  EXPECT_TRUE(printed("#3 read -> unwritten, roots [P]"));
}

TEST_F(ReplayTest, APageStepsThroughTheRun) {
  const std::string page = folder_ + "/page.html";
  const std::string path = file("good.jsonl", kFailing);
  EXPECT_EQ(run({path, "--html", page}), 0);
  const std::string whole = "#1 alloc X -> ok: 0\n#2 P launch iota -> failed: 1\n#3 read -> unwritten: 1\nlast: 1\n";
  EXPECT_EQ(text(page), whole);
  EXPECT_EQ(run({path, "--html", page, "--until", "1"}), 0);
  EXPECT_EQ(text(page), "#1 alloc X -> ok: 0\nlast: 0\n");
  EXPECT_EQ(run({path, "--html", page, "--stream"}), 0);
  EXPECT_EQ(text(page), "last: 1\n") << "nobody knows where the end is";

  std::string many;
  for (std::uint64_t i = 0; i < kFilmedOperations; ++i) many += "{\"op\":\"sync\"}\n";
  EXPECT_EQ(run({file("long.jsonl", kFailing + many), "--html", page}), 0);
  EXPECT_EQ(text(page).rfind("#4 sync -> ok: 1\n", 0), 0U) << "the newest operations are filmed";
}

TEST_F(ReplayTest, EveryOutputNeedsAFileOfItsOwn) {
  const std::string path = file("good.jsonl", kFailing);
  EXPECT_EQ(run({path, "--record", ""}), 64);
  EXPECT_NE(err_.str().find("no name"), std::string::npos) << err_.str();
  EXPECT_EQ(run({path, "--record", folder_ + "/x", "--svg", folder_ + "/x"}), 64);
  EXPECT_NE(err_.str().find("two outputs"), std::string::npos) << err_.str();
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/x"));
  EXPECT_EQ(run({path, path, "--svg", folder_ + "/x"}), 64);
  EXPECT_EQ(out_.str(), "");
}

TEST_F(ReplayTest, AnEndlessDeviceIsRefusedAtItsFirstNul) {
  EXPECT_EQ(run({"/dev/zero"}), 64);
  EXPECT_EQ(err_.str().rfind("/dev/zero:1:1: error:", 0), 0U) << err_.str();
}

TEST_F(ReplayTest, ReportsEveryMismatchAndGoesOn) {
  const std::string path = file("bad.jsonl", R"({"op":"alloc","buffer":"X","size":2,"expect":{"outcome":"failed"}}
{"op":"write","to":"X","fill":7}
{"op":"read","from":"X","expect":{"bytes":"0707","roots":["#1"]}}
{"op":"read","from":"X","expect":{"fill":8}}
{"op":"check","failures":1,"tags":0,"clean":["X"],"claimed":[["X","#1"]]}
)");
  EXPECT_EQ(run({path}), 1);
  EXPECT_TRUE(printed(path + ":2: mismatch: operation #1, alloc: outcome: expected failed, found ok"));
  EXPECT_TRUE(printed(":4: mismatch: operation #3, read: roots: expected [#1], found []"));
  EXPECT_TRUE(printed(":5: mismatch: operation #4, read: fill: expected 8, found 0707"));
  EXPECT_TRUE(printed("check: failures: expected 1, found 0"));
  EXPECT_TRUE(printed("check: X: expected claimed by #1, found byte 0 trusted"));
  EXPECT_TRUE(printed("MISMATCH, 5 operations, 5 mismatches"));
}

TEST_F(ReplayTest, SaysWhetherMemoryCouldEverFit) {
  const std::string path = file("full.jsonl", R"({"op":"alloc","buffer":"A","size":10485760}
{"op":"alloc","buffer":"B","size":10485760}
{"op":"alloc","buffer":"C","size":20971520}
)");
  EXPECT_EQ(run({path, "-v"}), 0);
  EXPECT_TRUE(
      printed("#2 alloc B -> failed, roots [#2], out_of_memory (10485760 bytes do not fit now, with 10485760 in"));
  EXPECT_TRUE(
      printed("#3 alloc C -> failed, roots [#3], out_of_memory (20971520 bytes can never be had: there are 167"));
  EXPECT_EQ(run({path, "--json"}), 0);
  EXPECT_TRUE(printed(R"("error":"out_of_memory","detail":"20971520 bytes can never)"));
}

// What is refused needs no bytes on the host either, however long the range (W5).
TEST_F(ReplayTest, ABufferWithoutMemoryMayBeOfAnySize) {
  const std::string trace =
      R"({"op":"alloc","id":"F","buffer":"A","size":9223372036854775807,"expect":{"outcome":"failed","error":"out_of_memory"}}
{"op":"write","to":"A","fill":3,"expect":{"outcome":"unwritten","roots":["F"]}}
{"op":"write","to":["A",1,4611686018427387904],"fill":3,"expect":{"outcome":"unwritten","roots":["F"]}}
{"op":"read","from":"A","expect":{"outcome":"unwritten","roots":["F"]}}
{"op":"alloc","buffer":"B","size":8}
{"op":"read","from":["B",["A",5,9223372036854775000]],"expect":{"outcome":"unwritten","roots":["F"]}}
{"op":"check","failures":1,"tags":1,"claimed":[[["A",5,9],"F"]]}
)";
  EXPECT_EQ(run({file("huge.jsonl", trace)}), 0) << out_.str() << err_.str();
}

TEST_F(ReplayTest, ExecutesNothingOfABadFile) {
  const std::string record = folder_ + "/record.jsonl";
  EXPECT_EQ(run({file("broken.jsonl", std::string(kFailing) + "{\"op\":\"lunch\"}\n"), "-v", "--record", record}), 64);
  EXPECT_EQ(out_.str(), "");
  EXPECT_NE(err_.str().find("broken.jsonl:5:"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(record));
  EXPECT_EQ(run({folder_}), 64);
  EXPECT_EQ(run({folder_ + "/missing.jsonl"}), 64);
  EXPECT_EQ(run({}), 64);
  EXPECT_EQ(run({"--no-such-option"}), 64);
  EXPECT_EQ(run({file("good.jsonl", kFailing), "--device", "1"}), 64);  // the simulated driver has one device
}

TEST_F(ReplayTest, WithStreamTheGoodPartIsExecuted) {
  EXPECT_EQ(run({file("broken.jsonl", std::string(kFailing) + "{\"op\":\"lunch\"}\n"), "-v", "--stream"}), 64);
  EXPECT_TRUE(printed("#3 read -> unwritten"));
}

TEST_F(ReplayTest, ARecordedTraceReplaysToItsFingerprintWithoutPlanOrSeed) {
  const std::string path = folder_ + "/planned.jsonl";
  std::ofstream(path) << R"({"format":"taintgraph-trace","version":1,"seed":9,"faults":[)"
                      << R"({"id":"f1","call":"cuLaunchKernel","skip":1,"count":1,"kind":"launch_out_of_resources"}]})"
                      << "\n"
                      << R"({"op":"alloc","buffer":"X","size":8}
{"op":"alloc","buffer":"Y","size":8}
{"op":"launch","kernel":"iota","writes":["X"],"stream":1}
{"op":"launch","id":"L","kernel":"copy","reads":["X"],"writes":["Y"],"stream":2}
{"op":"read","from":"Y","expect":{"outcome":"unwritten","roots":["L"]}}
{"op":"read","from":"X","expect":{"bytes":"0001020304050607"}}
)";
  const std::string record = folder_ + "/record.jsonl";
  EXPECT_EQ(run({path, "--record", record}), 0);
  const std::string recorded = text(record);
  EXPECT_EQ(recorded.find("\"faults\""), std::string::npos);
  EXPECT_NE(recorded.find("\"fault\""), std::string::npos);
  EXPECT_NE(recorded.find("\"schedule\""), std::string::npos);
  EXPECT_NE(recorded.find("{\"op\":\"end\",\"operations\":6,\"fingerprint\":\""), std::string::npos);
  EXPECT_EQ(run({record}), 0);

  std::string forged = recorded;
  const std::size_t digit = forged.find("\"fingerprint\":\"") + 15;
  forged[digit] = forged[digit] == '0' ? '1' : '0';
  std::ofstream(record) << forged;
  EXPECT_EQ(run({record}), 1);
  EXPECT_TRUE(printed("fingerprint"));
}

TEST_F(ReplayTest, EveryDecisionOfAPlanIsRecordedWhereverItStruck) {
  const std::string path = folder_ + "/planned.jsonl";
  std::ofstream(path) << R"({"format":"taintgraph-trace","version":1,"device":{"page":64},"faults":[)"
                      << R"({"call":"cuMemAlloc","skip":1,"count":1,"kind":"out_of_memory"},)"
                      << R"({"call":"cuEventRecord","count":1,"kind":"invalid_handle"},)"
                      << R"({"class":"write","one_in":2,"mode":"persistent","kind":"invalid_value"},)"
                      << R"({"kernel":"fill","skip":1,"kind":"host_exception"},)"
                      << R"({"call":"cuMemFree","count":1,"kind":"invalid_value"}]})"
                      << "\n"
                      << R"({"op":"alloc","buffer":"X","size":64}
{"op":"alloc","buffer":"Y","size":64,"expect":{"outcome":"ok"}}
{"op":"launch","kernel":"iota","writes":["X"],"stream":1}
{"op":"launch","kernel":"copy","reads":["X"],"writes":["Y"],"stream":2,"expect":{"outcome":"ok"}}
{"op":"write","to":"X","fill":1}
{"op":"write","to":"X","fill":2}
{"op":"write","to":"X","fill":3}
{"op":"write","to":"X","fill":4}
{"op":"launch","kernel":"fill","writes":["X"],"args":{"value":1},"expect":{"outcome":"ok"}}
{"op":"launch","kernel":"fill","writes":["X"],"args":{"value":2},"expect":{"outcome":"failed","error":"host_exception"}}
{"op":"free","buffer":"Y"}
{"op":"sync"}
{"op":"cleanup","expect":{"outcome":"failed"}}
)";
  const std::string record = folder_ + "/record.jsonl";
  EXPECT_EQ(run({path, "--record", record}), 0) << out_.str();
  const std::string recorded = text(record);
  EXPECT_EQ(recorded.find("one_in"), std::string::npos);
  EXPECT_NE(recorded.find(R"("fired":[{"call":"cuMemAlloc","nth":1,"kind":"out_of_memory")"), std::string::npos);
  EXPECT_NE(recorded.find(R"("fired":[{"call":"cuEventRecord","nth":1)"), std::string::npos);
  EXPECT_NE(recorded.find(R"("fault":{"kind":"host_exception")"), std::string::npos);
  EXPECT_NE(recorded.find(R"("fired":[{"call":"cuMemFree")"), std::string::npos);
  EXPECT_EQ(run({record}), 0) << out_.str();
  const std::string again = folder_ + "/again.jsonl";
  EXPECT_EQ(run({record, "--record", again}), 0);
  EXPECT_EQ(text(again), recorded) << "a record of a record is the same";
}

TEST_F(ReplayTest, APlanIsAboutTheProgramNotTheMakingAndEndOfTheDevice) {
  const auto planned = [&](const std::string& call) {
    const std::string path = folder_ + "/" + call + ".jsonl";
    std::ofstream(path) << R"({"format":"taintgraph-trace","version":1,"faults":[{"mode":"persistent","call":")" << call
                        << R"(","kind":"invalid_value"}]})"
                        << "\n"
                        << R"({"op":"alloc","buffer":"X","size":64,"expect":{"outcome":"ok"}}
{"op":"launch","kernel":"iota","writes":["X"],"expect":{"outcome":"ok"}}
)";
    return run({path});
  };
  for (const char* call :
       {"cuInit", "cuCtxCreate", "cuStreamCreate", "cuMemFree", "cuStreamDestroy", "cuStreamSynchronize"})
    EXPECT_EQ(planned(call), 0) << call << '\n' << out_.str();
}

TEST_F(ReplayTest, APlanNamesOperationsByNumberToo) {
  const std::string path = folder_ + "/numbered.jsonl";
  std::ofstream(path) << R"({"format":"taintgraph-trace","version":1,"faults":[)"
                      << R"({"op":"#3","mode":"persistent","kind":"launch_out_of_resources"}]})"
                      << "\n"
                      << R"({"op":"alloc","buffer":"X","size":8}
{"op":"launch","kernel":"iota","writes":["X"],"expect":{"outcome":"ok"}}
{"op":"launch","id":"P","kernel":"iota","writes":["X"],"expect":{"outcome":"failed","roots":["P"]}}
{"op":"launch","kernel":"iota","writes":["X"],"expect":{"outcome":"ok"}}
)";
  EXPECT_EQ(run({path}), 0) << out_.str();
}

TEST_F(ReplayTest, NamesCannotDisturbTheOutput) {
  const std::string path = file("names.jsonl", R"({"op":"alloc","id":"a\u001b[31m\nb","buffer":"X\u0000","size":8}
)");
  EXPECT_EQ(run({path, "-v"}), 0);
  EXPECT_TRUE(printed("a\\x1b[31m\\x0ab alloc X\\x00 -> ok"));
}

TEST_F(ReplayTest, WhatWasNotOkIsCounted) {
  EXPECT_EQ(run({file("r.jsonl", R"({"op":"alloc","buffer":"X","size":8}
{"op":"read","from":["X",0,9]}
)")}),
            0);
  EXPECT_TRUE(printed("0 mismatches (1 rejected)"));
  EXPECT_EQ(run({file("r.jsonl", kFailing), "--until", "-1"}), 64);
  EXPECT_EQ(run({file("r.jsonl", kFailing), "--until", "18446744073709551616"}), 64);
}

TEST_F(ReplayTest, PrintsOneJsonObjectALine) {
  EXPECT_EQ(run({file("good.jsonl", kFailing), "--json"}), 0);
  EXPECT_TRUE(printed(R"("op":"read","outcome":"unwritten","roots":["P"],"via":[],"error":"launch_out_of_resources")"));
  std::istringstream lines(out_.str());
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_EQ(line.front(), '{');
    EXPECT_EQ(line.back(), '}');
  }
  EXPECT_EQ(count, 4) << "three operations and the trace";
}

TEST_F(ReplayTest, StopsAfterAnOperationAndDrawsWhatIsThere) {
  const std::string path = file("good.jsonl", kFailing);
  const std::string svg = folder_ + "/g.svg";
  EXPECT_EQ(run({path, "--until", "1", "--svg", svg}), 0);
  EXPECT_TRUE(printed("ok, 1 operations"));
  EXPECT_EQ(text(svg), "picture of 0 failure(s)");
  EXPECT_EQ(run({path, "--svg", svg}), 0);
  EXPECT_EQ(text(svg), "picture of 1 failure(s)");
  EXPECT_EQ(run({path, "--svg", folder_ + "/no/such/folder/g.svg"}), 70);
}

TEST_F(ReplayTest, NeedsAGpuForTheRealDriver) {
  const int code = run({file("good.jsonl", kFailing), "--backend", "cuda"});
  if (code == 0) GTEST_SKIP() << "there is a GPU here";
  EXPECT_EQ(code, 77);
  EXPECT_NE(err_.str(), "");
}

TEST_F(ReplayTest, NoRealDriverDoesHalfOfACallsWork) {
  const std::string half = R"("kind":"invalid_value","bytes_done":3)";
  const std::string on_operation = file("own.jsonl", R"({"op":"alloc","buffer":"X","size":8}
{"op":"write","to":"X","fill":1,"fault":{)" + half + "}}\n");
  const std::string on_call = file("call.jsonl", R"({"op":"alloc","buffer":"X","size":8}
{"op":"write","to":"X","fill":1,"fired":[{"call":"cuMemcpyHtoDAsync","nth":1,)" +
                                                     half + "}]}\n");
  const std::string planned = folder_ + "/planned.jsonl";
  std::ofstream(planned) << R"({"format":"taintgraph-trace","version":1,"faults":[{"class":"write",)" << half << "}]}\n"
                         << R"({"op":"alloc","buffer":"X","size":8})"
                         << "\n";
  for (const std::string& path : {on_operation, on_call, planned}) {
    EXPECT_EQ(run({path}), 0) << path << out_.str() << err_.str();
    EXPECT_EQ(run({path, "--backend", "cuda", "-v"}), 64) << path;
    EXPECT_NE(err_.str().find("bytes_done"), std::string::npos) << err_.str();
    EXPECT_EQ(out_.str(), "");
  }
  EXPECT_NE(err_.str().find("planned.jsonl:1:1: error:"), std::string::npos) << err_.str();
}

}  // namespace
}  // namespace taintgraph::traces
