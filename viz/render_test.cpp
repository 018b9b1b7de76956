#include "viz/render.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "traces/reader.hpp"
#include "viz/dot_layout_for_tests.hpp"
#include "viz/json_graph.hpp"
#include "viz/snapshots_for_tests.hpp"
#include "viz/trace_frames.hpp"

namespace taintgraph::viz {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTwoPaths = R"({"format":"taintgraph-trace","version":1,"name":"two-paths-into-one-buffer"}
{"op":"alloc","buffer":"X","size":16}
{"op":"alloc","buffer":"Y","size":16}
{"op":"alloc","buffer":"Z","size":16}
{"op":"write","to":"Z","fill":1}
{"op":"launch","id":"P","kernel":"iota","reads":[],"writes":["X"],"fault":"launch_out_of_resources"}
{"op":"launch","id":"K1","kernel":"copy","reads":[["X",0,8]],"writes":[["Y",0,8]]}
{"op":"launch","id":"K2","kernel":"copy","reads":[["X",8,16]],"writes":[["Y",8,16]]}
{"op":"read","from":[["Y",0,8]]}
{"op":"read","from":[["Y",8,16]]}
{"op":"launch","id":"K3","kernel":"copy","reads":[["Y",0,8]],"writes":[["Z",4,12]]}
{"op":"read","from":[["Z",4,5]]}
{"op":"read","from":[["Z",0,4]]}
{"op":"check","failures":1,"tags":3}
)";

struct Result {
  int code = 0;
  std::string out;
  std::string err;
};

class Render : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "render_test_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    trace_ = file("trace.jsonl", kTwoPaths);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string file(const std::string& name, std::string_view text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }

  static Result render(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "render");
    std::vector<const char*> argv;
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    std::ostringstream out;
    std::ostringstream err;
    Result result;
    result.code = render_command(static_cast<int>(argv.size()), argv.data(), out, err);
    result.out = out.str();
    result.err = err.str();
    return result;
  }

  static std::string content(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  fs::path folder_;
  std::string trace_;
};

TEST_F(Render, TheRuntimeGivesTheSnapshotThatTheseTestsAreMadeFrom) {
  const auto program = traces::parse_program(kTwoPaths);
  ASSERT_TRUE(program.has_value());
  const std::vector<HtmlFrame> frames = run_to(*program, {});
  ASSERT_EQ(frames.size(), 1U);
  // Ids are the runtime's own business.
  traces::Snapshot expected = two_paths_into_one_buffer();
  const std::uint64_t id = frames[0].snapshot.failures.at(0).id;
  expected.failures[0].id = id;
  for (traces::SnapshotSkip& skip : expected.failures[0].skips) skip.inputs[0].failure = id;
  for (traces::SnapshotBuffer& buffer : expected.buffers) buffer.claims[0].failure = id;
  EXPECT_EQ(json_text(frames[0].snapshot), json_text(expected));
}

TEST_F(Render, StepsAreTheOperationsThatChangedThePicture) {
  const auto program = traces::parse_program(kTwoPaths);
  ASSERT_TRUE(program.has_value());
  std::vector<std::uint64_t> operations;
  for (const HtmlFrame& frame : run_to(*program, {}, DotOptions{})) operations.push_back(frame.snapshot.operations);
  // Three allocations (the empty picture counts the live buffers), P, K1, K2, K3 and the end.
  EXPECT_EQ(operations, (std::vector<std::uint64_t>{1, 2, 3, 5, 6, 7, 13}));
}

TEST_F(Render, SvgOnStandardOutputIfNothingElseIsSaid) {
  if (const DotLayout layout = lay_out("digraph {}"); dot_missing(layout.problem)) GTEST_SKIP() << layout.problem;
  const Result result = render({trace_});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("<svg "), std::string::npos);
  EXPECT_EQ(result.out, render({trace_}).out);
}

TEST_F(Render, TheFilesNameDecidesTheFormatUnlessOneIsGiven) {
  EXPECT_EQ(render({trace_, "-o", path("g.dot")}).code, 0);
  EXPECT_EQ(content(path("g.dot")).rfind("digraph ", 0), 0U);
  EXPECT_EQ(render({trace_, "-o", path("g.json")}).code, 0);
  EXPECT_TRUE(nlohmann::json::accept(content(path("g.json"))));
  EXPECT_EQ(render({trace_, "-o", path("h.dot"), "--format", "json"}).code, 0);
  EXPECT_TRUE(nlohmann::json::accept(content(path("h.dot"))));
}

TEST_F(Render, AtDrawsAnEarlierMoment) {
  const auto failures = [&](const std::string& at) {
    return nlohmann::json::parse(render({trace_, "--format", "json", "--at", at}).out).at("failures").size();
  };
  EXPECT_EQ(failures("0"), 0U);
  EXPECT_EQ(failures("4"), 0U);
  EXPECT_EQ(failures("5"), 1U);
  EXPECT_EQ(failures("13"), 1U);
}

TEST_F(Render, WhatTheTraceDoesNotHaveIsAnErrorInWords) {
  for (const char* const number : {"x", "-1", "1.5", "1e3"}) {
    const Result wrong = render({trace_, "--at", number});
    EXPECT_EQ(wrong.code, 64) << number;
    EXPECT_EQ(wrong.err.rfind("taintgraph: render: --at: expected the number of an operation, found ", 0), 0U)
        << wrong.err;
  }
  const Result beyond = render({trace_, "--at", "14"});
  EXPECT_EQ(beyond.code, 64);
  EXPECT_NE(beyond.err.find("--at 14 is beyond the end of"), std::string::npos);
  EXPECT_NE(beyond.err.find("13 operations"), std::string::npos);
  const Result unknown = render({trace_, "--focus", "W"});
  EXPECT_EQ(unknown.code, 64);
  EXPECT_NE(unknown.err.find("no buffer named 'W'"), std::string::npos);
}

TEST_F(Render, FocusOnABufferThatNothingTouches) {
  const Result result = render({trace_, "--focus", "Z", "--at", "5", "--format", "dot"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("No failure touches buffer Z."), std::string::npos);
}

TEST_F(Render, DiffMarksWhatTheOtherTraceDoesNotHave) {
  std::string shorter(kTwoPaths);
  shorter.erase(shorter.find("{\"op\":\"launch\",\"id\":\"K3\""));
  const std::string other = file("other.jsonl", shorter);
  const Result more = render({trace_, "--diff", other, "--format", "dot"});
  EXPECT_EQ(more.code, 0) << more.err;
  EXPECT_NE(more.out.find("<b>changed</b>"), std::string::npos);
  const Result less = render({other, "--diff", trace_, "--format", "dot"});
  EXPECT_NE(less.out.find("Z [4, 12), claimed by P"), std::string::npos);
  EXPECT_NE(render({trace_, "--diff", trace_, "--format", "dot"}).out.find("no difference"), std::string::npos);
  EXPECT_EQ(render({trace_, "--diff", trace_, "--format", "json"}).code, 64);
}

TEST_F(Render, BadUseAndBadInputAre64) {
  EXPECT_EQ(render({}).code, 64);
  EXPECT_EQ(render({trace_, "--no-such-option"}).code, 64);
  for (const char* option : {"-o", "--diff"}) EXPECT_EQ(render({trace_, option, ""}).code, 64) << option;
  EXPECT_EQ(render({trace_, "--format", "png"}).code, 64);
  const Result negative = render({trace_, "--at", "-1"});
  EXPECT_EQ(negative.code, 64);
  EXPECT_NE(negative.err.find("--at: "), std::string::npos) << negative.err;  // not: 2^64 - 1 is beyond the end
  EXPECT_EQ(render({trace_, "--at", "1.5"}).code, 64);
  EXPECT_EQ(render({path("nothing-here")}).code, 64);
  EXPECT_EQ(render({folder_.string()}).code, 64);
  const Result bad = render({file("bad.jsonl", "{\"format\":\"other\"}\n"), "-o", path("bad.dot")});
  EXPECT_EQ(bad.code, 64);
  EXPECT_NE(bad.err.find("bad.jsonl:1:"), std::string::npos);
  EXPECT_FALSE(fs::exists(path("bad.dot")));
}

TEST_F(Render, HelpIsNoError) {
  const Result result = render({"--help"});
  EXPECT_EQ(result.code, 0);
  EXPECT_NE(result.out.find("--focus"), std::string::npos);
}

TEST_F(Render, WhatCannotBeDrawnOrWrittenIs70AndLeavesNothing) {
  EXPECT_EQ(render({trace_, "--format", "dot", "-o", path("no/such/folder/g.dot")}).code, 70);
  const char* const before = getenv("PATH");
  const std::string search_path = before ? before : "";
  setenv("PATH", "/nonexistent", 1);
  const Result result = render({trace_, "-o", path("g.svg")});
  setenv("PATH", search_path.c_str(), 1);
  EXPECT_EQ(result.code, 70);
  EXPECT_NE(result.err.find("`dot` was not found on PATH"), std::string::npos);
  EXPECT_FALSE(fs::exists(path("g.svg")));
}

}  // namespace
}  // namespace taintgraph::viz
