// The model by hand: waits that are given up, and every answer that it leaves open.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "props/model.hpp"
#include "traces/reader.hpp"

namespace taintgraph::props {
namespace {

// The answers to the last of these operations, those before it having the model's first: "ok" or the error.
std::vector<std::string> answers(const std::string& operations, const std::string& device = "{}") {
  const auto program =
      traces::parse_program(R"({"format":"taintgraph-trace","version":1,"device":)" + device + "}\n" + operations);
  if (!program) return {traces::to_string(program.error().front(), "text")};
  Model model(program->header, program->names);
  Prediction answer;
  std::uint64_t ordinal = 0;
  for (const traces::Operation& operation : program->operations) answer = model.predict(operation, ++ordinal, {});
  const auto name = [](const Prediction& each) {
    return each.outcome == traces::Outcome::ok ? std::string("ok") : std::string(each.error);
  };
  std::vector<std::string> found = {name(answer)};
  while (answer.outcome_open) found.push_back(name(answer = model.otherwise()));
  return found;
}

using Answers = std::vector<std::string>;

constexpr const char* kWork = R"({"op":"launch","kernel":"noop","stream":1}
)";
constexpr const char* kHang = R"({"op":"launch","kernel":"spin","stream":1}
)";
constexpr const char* kQuietFault =
    R"({"op":"launch","kernel":"noop","stream":1,"fault":{"kind":"assert","surface":{"after_calls":100}}}
)";

TEST(ModelHang, OnlyADeadlineMakesSlownessMatter) {
  EXPECT_EQ(answers(std::string(kWork) + R"({"op":"sync","stream":1})"), Answers{"ok"});
  EXPECT_EQ(answers(std::string(kWork) + R"({"op":"sync","stream":1,"deadline":9})"), (Answers{"ok", "timeout"}));
  EXPECT_EQ(answers(std::string(kWork) + R"({"op":"sync","stream":2,"deadline":9})"), Answers{"ok"});
  EXPECT_EQ(answers(std::string(kWork) + R"({"op":"sync","stream":1}
{"op":"sync","stream":1,"deadline":0})"),
            Answers{"ok"});
}

TEST(ModelHang, WhatHangsIsWaitedForInVain) {
  EXPECT_EQ(answers(std::string(kHang) + R"({"op":"sync","stream":1})"), Answers{"timeout"});
  EXPECT_EQ(answers(std::string(kHang) + R"({"op":"sync","deadline":9})"), Answers{"timeout"});
  EXPECT_EQ(answers(std::string(kHang) + R"({"op":"sync","stream":2})"), Answers{"ok"});
  EXPECT_EQ(answers(std::string(kHang) + R"({"op":"capture_begin","stream":1})"), Answers{"timeout"});
  EXPECT_EQ(answers(std::string(kHang) + R"({"op":"wait","stream":2,"on":1}
{"op":"sync","stream":2})"),
            Answers{"timeout"});
}

// A wait that is good has met the error.
TEST(ModelHang, AFaultedStreamIsGivenUpOrSurfaces) {
  EXPECT_EQ(answers(std::string(kQuietFault) + R"({"op":"sync","stream":1})"), Answers{"assert"});
  EXPECT_EQ(answers(std::string(kQuietFault) + R"({"op":"sync","stream":1,"deadline":9})"),
            (Answers{"assert", "timeout"}));
}

TEST(ModelHang, QuestionsAreOpenTogether) {
  EXPECT_EQ(answers(std::string(kQuietFault) + R"({"op":"alloc","buffer":"A","size":600})", R"({"memory":1000})"),
            (Answers{"ok", "out_of_memory", "assert"}));
}

TEST(ModelHang, ALossEndsIt) {
  EXPECT_EQ(answers(std::string(kHang) + R"({"op":"launch","kernel":"device_assert","stream":2}
{"op":"sync","stream":1}
{"op":"reset"}
{"op":"sync","stream":1})"),
            Answers{"ok"});
}

}  // namespace
}  // namespace taintgraph::props
