// Input that was cut off or garbled at every place it can be: always a problem or a trace, never a crash. Most of what
// these tests find, they find under the sanitizers.

#include <gtest/gtest.h>

#include <random>
#include <sstream>
#include <string>

#include "traces/reader.hpp"

namespace taintgraph::traces {
namespace {

const std::string kLines =
    R"({"format":"taintgraph-trace","version":1,"name":"\u00e9\ud83d\ude00","device":{"memory":65536,"pool":"sliced"},"faults":[{"id":"f","call":"cuMemAlloc","kind":"out_of_memory","surface":{"after_calls":1}}],"x-h":{"a":[1,2]}}
{"op":"alloc","buffer":"A","size":64}
{"op":"write","to":["A",0,2],"bytes":"0aFF"}
{"op":"launch","id":"P","kernel":"scale","reads":["A"],"writes":[["A",0,8]],"args":{"by":7},"fault":{"kind":"unknown","when":"async"},"schedule":[0,1]}
{"op":"read","from":["A",["A",1,2]],"expect":{"outcome":"unwritten","roots":["P","#2"],"via":[]},"note":"tr\n"}
{"op":"check","failures":1,"clean":["A"],"claimed":[[["A",0,1],"P"]],"x-a":{"b":null}}
{"op":"end","operations":5,"fingerprint":"0123456789abcdef"}
)";

std::string document() {
  const std::size_t end_of_header = kLines.find('\n');
  std::string text = kLines.substr(0, end_of_header - 1) + ",\"ops\":[";
  std::string operations = kLines.substr(end_of_header + 1);
  operations.pop_back();
  for (const char c : operations) {
    if (c == '\n') text += ",";
    text += c;
  }
  return text + "\n]}\n";
}

// Reads it, and looks at each problem.
bool is_good(const std::string& text) {
  const auto program = parse_program(text);
  if (program) return true;
  EXPECT_FALSE(program.error().empty());
  EXPECT_LE(program.error().size(), kMaxProblems);
  for (const Problem& problem : program.error()) {
    EXPECT_NE(problem.message.find("expected"), std::string::npos) << problem.message;
    EXPECT_GE(problem.line, 1U);
    EXPECT_GE(problem.column, 1U);
    for (const char c : to_string(problem, "t")) EXPECT_GE(static_cast<unsigned char>(c), 0x20) << text;
  }
  return false;
}

TEST(HostileInput, CutOffAnywhere) {
  for (const std::string& whole : {kLines, document()}) {
    ASSERT_TRUE(is_good(whole));
    std::size_t good = 0;
    for (std::size_t length = 0; length < whole.size(); ++length) good += is_good(whole.substr(0, length)) ? 1 : 0;
    // Lines are good where a whole line ends, before its newline and behind it, a document only without its last byte.
    // Cut behind a header or an operation, everything that names are needed for must be there already.
    EXPECT_EQ(good, whole == kLines ? 13U : 1U);
  }
}

TEST(HostileInput, GarbledAnywhere) {
  std::mt19937_64 random(7);
  for (const std::string& whole : {kLines, document()}) {
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (const char c : {'\0', '"', '{', '}', '[', ']', ',', '-', '9', '\\', '\n', '\x80', '\xFF'}) {
        std::string text = whole;
        text[at] = c;
        (void)is_good(text);
        text = whole;
        text.insert(at, 1, c);
        (void)is_good(text);
      }
      std::string text = whole;
      text.erase(at, 1 + random() % 40);
      (void)is_good(text);
    }
  }
}

// Each way of nesting, deep enough to bring down whatever recurses.
TEST(HostileInput, Bottomless) {
  const std::string header = R"({"format":"taintgraph-trace","version":1})";
  for (const char* piece : {"[", "{\"a\":", "{\"x-a\":[", "{\"op\":", "{\"ops\":[", "{\"device\":", "{\"expect\":"}) {
    std::string deep;
    for (int i = 0; i < 100000; ++i) deep += piece;
    EXPECT_FALSE(is_good(deep));
    EXPECT_FALSE(is_good(header + "\n" + deep));
    for (const char* field : {"from", "args", "fault", "expect", "x-a", "claimed", "schedule", "op"}) {
      EXPECT_FALSE(is_good(header + "\n{\"op\":\"read\",\"" + field + "\":" + deep));
    }
  }
}

// Many names of one object, and many objects: time must not grow with their square.
TEST(HostileInput, ManyNames) {
  std::string line = R"({"op":"sync","x-a":0)";
  for (int i = 0; line.size() < 1000000; ++i) line += ",\"x-" + std::to_string(i) + "\":0";
  EXPECT_TRUE(is_good("{\"format\":\"taintgraph-trace\",\"version\":1}\n" + line + "}"));
}

}  // namespace
}  // namespace taintgraph::traces
