// Who may be to blame for an asynchronous error: what each stream had queued since its last good wait.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "traces/reader.hpp"
#include "traces/replayer.hpp"
#include "traces/step_text.hpp"

namespace taintgraph::traces {
namespace {

struct Line {
  std::string text;
  std::string json;
};

// Each operation's line of a replay, after two buffers X and Y of 8 bytes.
std::vector<Line> lines_of(const std::string& operations) {
  const std::string text = R"({"format":"taintgraph-trace","version":1}
{"op":"alloc","buffer":"X","size":8}
{"op":"alloc","buffer":"Y","size":8}
)" + operations;
  const auto program = parse_program(text);
  if (!program) return {{to_string(program.error().front(), "text"), {}}};
  std::vector<Line> lines;
  std::uint64_t ordinal = 0;
  Replayer* running = nullptr;
  Replayer replayer(program->header, program->names, {},
                    [&](const Operation& operation, const StepResult& result, const std::vector<Mismatch>& wrong) {
                      ++ordinal;
                      lines.push_back({step_text(operation, ordinal, result, running->names()),
                                       step_json(operation, ordinal, result, wrong, running->names())});
                    });
  running = &replayer;
  for (const Operation& operation : program->operations) replayer.execute(operation);
  replayer.finish();
  EXPECT_TRUE(replayer.whole_run().empty());
  return lines;
}

// What the last operation blames.
std::string blamed(const std::string& operations) {
  const std::string json = lines_of(operations).back().json;
  const std::size_t begin = json.find("\"suspects\":");
  if (begin == std::string::npos) return "nobody: " + json;
  return json.substr(begin + 11, json.find(",\"failures\"") - begin - 11);
}

TEST(Suspects, AreTheWorkOfEveryStreamNewestLast) {
  EXPECT_EQ(blamed(R"({"op":"write","to":"X","fill":1,"stream":1}
{"op":"launch","id":"T","kernel":"device_assert","stream":2}
{"op":"copy","id":"C","from":"X","to":"Y","stream":1,"expect":{"outcome":"failed"}}
{"op":"sync","expect":{"outcome":"poisoned"}}
)"),
            R"(["#3","T"],"suspects_dropped":0)");
}

TEST(Suspects, AGoodWaitClearsItsStreamAndWhatThatHadWaitedFor) {
  EXPECT_EQ(blamed(R"({"op":"launch","id":"A","kernel":"iota","writes":["X"],"stream":0}
{"op":"launch","id":"B","kernel":"noop","stream":1}
{"op":"launch","id":"C","kernel":"copy","reads":["X"],"writes":["Y"],"stream":2}
{"op":"sync","stream":2}
{"op":"launch","id":"D","kernel":"noop","stream":3}
{"op":"launch","id":"E","kernel":"noop","stream":0}
{"op":"wait","stream":3,"on":0}
{"op":"launch","id":"F","kernel":"noop","stream":0}
{"op":"sync","stream":3}
{"op":"launch","id":"T","kernel":"trap","stream":2}
{"op":"sync"}
)"),
            R"(["B","F","T"],"suspects_dropped":0)");
}

TEST(Suspects, AReadIsAWaitToo) {
  EXPECT_EQ(blamed(R"({"op":"launch","id":"A","kernel":"iota","writes":["X"],"stream":1}
{"op":"launch","id":"B","kernel":"iota","writes":["Y"],"stream":2}
{"op":"read","from":"X","stream":1}
{"op":"launch","id":"T","kernel":"trap","stream":1}
{"op":"read","from":"X","stream":1}
)"),
            R"(["B","T"],"suspects_dropped":0)");
}

TEST(Suspects, AReplayIsOne) {
  EXPECT_EQ(blamed(R"({"op":"capture_begin","stream":1}
{"op":"launch","id":"K","kernel":"trap","stream":1}
{"op":"capture_end","stream":1,"graph":"G"}
{"op":"replay","id":"R","graph":"G","stream":3}
{"op":"sync"}
)"),
            R"(["R"],"suspects_dropped":0)");
}

TEST(Suspects, AreBoundedAndTheRestIsCounted) {
  std::string operations;
  for (int i = 0; i < 20; ++i)
    operations += R"({"op":"launch","kernel":"noop","stream":1})"
                  "\n";
  operations += R"({"op":"launch","id":"T","kernel":"trap"})"
                "\n"
                R"({"op":"sync","id":"S"})"
                "\n";
  const Line last = lines_of(operations).back();
  EXPECT_NE(last.text.find(R"(#22, T] and 5 older)"), std::string::npos) << last.text;
  EXPECT_NE(last.json.find(R"("suspects":["#7","#8",)"), std::string::npos) << last.json;
  EXPECT_NE(last.json.find(R"("suspects_dropped":4)"), std::string::npos) << last.json;
}

TEST(Suspects, StayWithTheFailureAfterAReset) {
  EXPECT_EQ(blamed(R"({"op":"launch","id":"T","kernel":"device_assert","stream":2}
{"op":"sync"}
{"op":"reset"}
{"op":"alloc","buffer":"Z","size":8}
{"op":"launch","kernel":"iota","writes":["Z"]}
{"op":"read","from":"X","expect":{"outcome":"unwritten"}}
)"),
            R"(["T"],"suspects_dropped":0)");
}

TEST(Suspects, NobodyIsBlamedWhereNothingWasQueued) {
  EXPECT_NE(blamed(R"({"op":"sync","fault":{"kind":"assert","when":"before"}})").find("nobody"), std::string::npos);
  EXPECT_NE(blamed(R"({"op":"launch","kernel":"noop","fault":"invalid_value"})").find("nobody"), std::string::npos);
}

}  // namespace
}  // namespace taintgraph::traces
