#include "props/shrink_command.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <vector>

#include "props/expectation_judge.hpp"
#include "props/fuzz_for_tests.hpp"
#include "traces/reader.hpp"

namespace taintgraph::props {
namespace {

using traces::OpKind;

constexpr const char* kHeader = "{\"format\":\"taintgraph-trace\",\"version\":1}\n";

class ShrinkCommand : public Fuzz {
 protected:
  int shrink(const std::string& trace, const Judge& judge = check) {
    out_.str("");
    err_.str("");
    const std::string path = folder_ + "/given.jsonl";
    std::ofstream(path) << trace;
    const std::vector<const char*> arguments = {"shrink", path.c_str(), "-o", result_.c_str()};
    return shrink_command(static_cast<int>(arguments.size()), arguments.data(), out_, err_, judge);
  }
  traces::Program result() const {
    auto program = traces::load_program(result_);
    EXPECT_TRUE(program) << (program ? "" : program.error().front().message);
    return program ? *program : traces::Program{};
  }
  std::string result_ = folder_ + "/shrunk.jsonl";
};

std::string drawn(std::uint64_t case_number, std::uint32_t operations) {
  std::ostringstream text;
  traces::write_program(text, generate(5, case_number, {.operations = operations}));
  return text.str();
}

TEST_F(ShrinkCommand, AnExpectationThatDoesNotHoldIsKeptAndTheRestGoes) {
  std::string trace = std::string(kHeader) +
                      "{\"op\":\"alloc\",\"buffer\":\"A\",\"size\":64,\"expect\":{\"outcome\":\"ok\"}}\n"
                      "{\"op\":\"alloc\",\"buffer\":\"B\",\"size\":64}\n";
  for (int i = 0; i < 30; ++i) trace += "{\"op\":\"write\",\"to\":\"B\",\"fill\":1}\n";
  trace +=
      "{\"op\":\"write\",\"to\":\"A\",\"fill\":1,\"fault\":\"invalid_value\"}\n"
      "{\"op\":\"check\",\"failures\":1}\n"
      "{\"op\":\"read\",\"from\":\"A\",\"expect\":{\"outcome\":\"unwritten\",\"roots\":[\"#3\"]}}\n"  // it is #33
      "{\"op\":\"free\",\"buffer\":\"A\"}\n";
  EXPECT_EQ(shrink(trace), 0) << said();
  const traces::Program program = result();
  // The named write, the one that fails, the read, and an alloc for each of two buffers.
  ASSERT_LE(program.operations.size(), 5U);
  const auto read = first_of(program, OpKind::read);
  ASSERT_TRUE(read);
  const traces::Expectation* expect = program.operations[*read].expect();
  ASSERT_NE(expect, nullptr);
  ASSERT_TRUE(expect->roots);
  EXPECT_EQ(program.names.text(expect->roots->front()), "op3");
  const CheckedRun run = judge_expectations(program, {});
  ASSERT_TRUE(run.disagreement);
  EXPECT_EQ(run.disagreement->property, "expect roots");
  EXPECT_NE(err_.str().find("shrunk from 36 to"), std::string::npos) << err_.str();
}

// A mismatch stays what it is: what was computed wrong does not turn into garbage, nor two roots into one, nor one
// reason for a rejection into another.
TEST_F(ShrinkCommand, TheMismatchIsTheSameAfterwards) {
  const auto found = [&](const std::string& operations) {
    EXPECT_EQ(shrink(kHeader + operations), 0) << said();
    const CheckedRun run = judge_expectations(result(), {});
    return run.disagreement ? run.disagreement->found : "nothing";
  };
  const std::string two = R"({"op":"alloc","buffer":"A","size":4}
{"op":"alloc","buffer":"B","size":4}
)";
  EXPECT_EQ(found(two + R"({"op":"write","to":"A","fill":1}
{"op":"launch","kernel":"scale","reads":["A"],"writes":["B"],"args":{"by":2}}
{"op":"read","from":"B","expect":{"fill":3}}
)")
                .substr(0, 2),
            "02");
  EXPECT_EQ(found(two + R"({"op":"launch","kernel":"iota","writes":["A"],"id":"P","fault":"invalid_value"}
{"op":"launch","kernel":"iota","writes":["B"],"id":"Q","fault":"invalid_value"}
{"op":"read","from":["A","B"],"expect":{"roots":["Q","P"]}}
)"),
            "[P, Q]");
  EXPECT_EQ(found(R"({"op":"alloc","buffer":"A","size":4}
{"op":"capture_begin"}
{"op":"launch","kernel":"iota","writes":["A"]}
{"op":"relocate","buffer":"A","stream":1,"expect":{"outcome":"ok"}}
)"),
            "rejected (in_use)");
  // Garbage stands for any other.
  EXPECT_NE(found(two + R"({"op":"write","to":"A","fill":1}
{"op":"read","from":"B","expect":{"fill":3}}
)"),
            "nothing");
  EXPECT_EQ(result().operations.size(), 2U);
}

TEST_F(ShrinkCommand, ADisagreementWithTheModelEndsInATraceThatExpectsWhatIsRight) {
  std::uint64_t number = 0;
  while (!first_of(generate(5, number, {.operations = 60}), OpKind::trust)) ++number;
  EXPECT_EQ(shrink(drawn(number, 60), no_trust), 0) << said();
  const traces::Program program = result();
  ASSERT_TRUE(first_of(program, OpKind::trust));
  EXPECT_LE(program.operations.size(), 2U);
  EXPECT_NE(program.operations[*first_of(program, OpKind::trust)].expect(), nullptr);
}

TEST_F(ShrinkCommand, ACrashIsShrunkToo) {
  std::uint64_t number = 0;
  while (!first_of(generate(5, number, {.operations = 60}), OpKind::trust)) ++number;
  EXPECT_EQ(shrink(drawn(number, 60), crash_at_trust), 0) << said();
  EXPECT_TRUE(first_of(result(), OpKind::trust));
  EXPECT_NE(err_.str().find("property:  crash"), std::string::npos);
}

TEST_F(ShrinkCommand, AnInterruptKeepsTheSmallestSoFar) {
  std::uint64_t number = 0;
  while (!first_of(generate(5, number, {.operations = 60}), OpKind::trust)) ++number;
  // The one during which the interrupt comes may be lost, the one before it may not. A second signal would end the
  // program.
  const std::string one = folder_ + "/one";
  const std::string another = folder_ + "/another";
  const pid_t parent = ::getpid();
  const Judge interrupting = [&](const traces::Program& program, const CheckOptions& options) {
    CheckedRun run = no_trust(program, options);
    if (!run.disagreement || program.operations.size() >= 20) return run;
    if (!std::filesystem::exists(one)) {
      std::ofstream(one) << "seen";
    } else if (!std::filesystem::exists(another)) {
      std::ofstream(another) << "seen";
      ::kill(parent, SIGINT);
    }
    return run;
  };
  EXPECT_EQ(shrink(drawn(number, 60), interrupting), 2) << said();
  EXPECT_LT(result().operations.size(), 20U);
  EXPECT_NE(err_.str().find("stopped early"), std::string::npos);
}

TEST_F(ShrinkCommand, WhatDoesNotFailCannotBeShrunk) {
  EXPECT_EQ(shrink(std::string(kHeader) + "{\"op\":\"alloc\",\"buffer\":\"A\",\"size\":4}\n"), 64);
  EXPECT_NE(err_.str().find("does not fail"), std::string::npos);
  EXPECT_EQ(shrink("no trace"), 64);
  EXPECT_NE(err_.str().find("given.jsonl:1:"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(result_));
  const std::vector<const char*> none = {"shrink"};
  EXPECT_EQ(shrink_command(1, none.data(), out_, err_), 64);
}

TEST_F(ShrinkCommand, AnEmptyNameIsASlip) {
  result_ = "";
  EXPECT_EQ(shrink(""), 64);
  EXPECT_NE(err_.str().find("the name is empty"), std::string::npos) << err_.str();
}

}  // namespace
}  // namespace taintgraph::props
