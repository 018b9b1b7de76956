// What bad files get beyond single operations: headers, limits, forms that are mixed up, files that are none.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "traces/reader.hpp"
#include "traces/trace_text_for_tests.hpp"

namespace taintgraph::traces {
namespace {

std::vector<Problem> problems_of(const std::string& text) {
  auto program = parse_program(text);
  return program ? std::vector<Problem>{} : program.error();
}

void expect_one(const std::string& text, std::uint64_t line, std::uint64_t column, const std::string& message,
                const std::string& pointer) {
  SCOPED_TRACE(text.substr(0, 200));
  const auto problems = problems_of(text);
  ASSERT_EQ(problems.size(), 1U) << describe(problems);
  EXPECT_EQ(problems[0].line, line) << describe(problems);
  EXPECT_EQ(problems[0].column, column) << describe(problems);
  EXPECT_NE(problems[0].message.find(message), std::string::npos) << describe(problems);
  EXPECT_EQ(problems[0].pointer, pointer);
}

TEST(BadFile, Header) {
  const std::string open = R"({"format":"taintgraph-trace","version":1,)";  // 41 bytes
  expect_one(R"({"format":"trace","version":1})", 1, 11, "unknown format \"trace\"; expected \"taintgraph-trace\"",
             "/format");
  expect_one(R"({"format":"taintgraph-trace","version":2})", 1, 40, "unknown version 2; expected 1", "/version");
  expect_one(R"({"format":"taintgraph-trace","version":"1"})", 1, 40, "found a string", "/version");
  expect_one(R"({"version":1})", 1, 1, "missing field \"format\"", "/format");
  expect_one(R"({"format":"taintgraph-trace"})", 1, 1, "missing field \"version\"", "/version");
  expect_one(open + R"("sede":1})", 1, 42, "unknown field \"sede\"; expected format, version, name", "/sede");
  expect_one(open + R"("seed":-1})", 1, 49, "found a negative number", "/seed");
  expect_one(open + R"("device":[]})", 1, 51, "expected an object, found a list", "/device");
  expect_one(open + R"("device":{"memory":1e9}})", 1, 61, "fraction or an exponent", "/device/memory");
  expect_one(open + R"("device":{"streams":0}})", 1, 62, "from 1 to 1024, found 0", "/device/streams");
  expect_one(open + R"("device":{"alignment":48}})", 1, 64, "a power of two, found 48", "/device/alignment");
  expect_one(open + R"("device":{"pool":"big"}})", 1, 59, "expected sliced or exclusive", "/device/pool");
  expect_one(open + R"("device":{"allocator":"big"}})", 1, 64, "expected context or stream_ordered",
             "/device/allocator");
  expect_one(open + R"("device":{"init":"zero"}})", 1, 59, "expected trusted or unwritten", "/device/init");
  expect_one(open + R"("device":{"surfacing":1}})", 1, 64, "strict or documented, found a number", "/device/surfacing");
  expect_one(open + R"("device":{"page":0}})", 1, 59, "of at least 1, found 0", "/device/page");
  expect_one(open + R"("device":{"cores":1}})", 1, 52, "unknown field \"cores\"", "/device/cores");
  expect_one(open + R"("requires":["time-travel"]})", 1, 54, "requires \"time-travel\"", "/requires/0");
  expect_one(open + R"("version":1})", 1, 42, "duplicate key \"version\"", "/version");
  expect_one("[" + kHeader + "]", 1, 1, "expected an object, found a list", "");
  expect_one("{\"format\":\n\"taintgraph-trace\",\"version\":1}\n{\"op\":\"sync\"}", 1, 1, "header over several lines",
             "");
  expect_one(kHeader + kHeader, 1, 42, "expected the end of the line", "");
}

TEST(BadFile, FaultPlan) {
  const std::string open =
      R"({"format":"taintgraph-trace","version":1,"faults":[{)";  // its first entry stands in column 52
  expect_one(open + "}]}", 1, 52, "missing field \"kind\"", "/faults/0/kind");
  expect_one(open + R"("kind":"bad"}]})", 1, 60, "unknown fault \"bad\"", "/faults/0/kind");
  expect_one(open + R"("kind":"unknown","call":"cuFly"}]})", 1, 77, "unknown call \"cuFly\"", "/faults/0/call");
  expect_one(open + R"("kind":"unknown","class":"other"}]})", 1, 78, "expected alloc, launch, copy", "/faults/0/class");
  expect_one(open + R"("kind":"unknown","kernel":"k"}]})", 1, 79, "unknown kernel \"k\"", "/faults/0/kernel");
  expect_one(open + R"("kind":"unknown","mode":"on"}]})", 1, 77, "expected transient or persistent", "/faults/0/mode");
  expect_one(open + R"("kind":"unknown","one_in":0}]})", 1, 79, "of at least 1, found 0", "/faults/0/one_in");
  expect_one(open + R"("kind":"not_found","when":"async"}]})", 1, 79, "cannot be async", "/faults/0/when");
  expect_one(open + R"("id":"f","kind":"unknown"},{"id":"f","kind":"unknown"}]})", 1, 86, "duplicate id \"f\"",
             "/faults/1/id");
  expect_one(open + R"("kind":"unknown","odds":2}]})", 1, 70, "unknown field \"odds\"", "/faults/0/odds");
}

TEST(BadFile, NothingThere) {
  expect_one("", 1, 1, "the file is empty", "");
  expect_one(" \r\n\n", 3, 1, "the file is empty", "");
  expect_one(R"({"format":"taintgraph-trace","version":1)", 1, 41, "found the end of the file", "");
  expect_one("\xEF\xBB\xBF" + kHeader, 1, 1, "byte order mark", "");
  expect_one(std::string(4, '\0'), 1, 1, "found the control character 0x00", "");
}

TEST(BadFile, DocumentsThatGoOnOrStop) {
  const std::string open = R"({"format":"taintgraph-trace","version":1,"ops":)";  // 47 bytes
  expect_one(open + "[]}x", 1, 51, "expected the end of the file", "");
  expect_one(open + "[]}\n{\"op\":\"sync\"}", 2, 1, "expected the end of the file", "");
  expect_one(open + "[]", 1, 50, "found the end of the file", "");
  expect_one(open + "[{\"op\":\"sync\"}", 1, 62, "expected ',' or ']', found the end of the file", "/ops");
  expect_one(open + "{}}", 1, 48, "expected a list, found an object", "/ops");
  expect_one(open + "[{\"op\":\"sync\"}],\"ops\":[]}", 1, 64, "duplicate key \"ops\"", "/ops");
  expect_one(open + "[7]}", 1, 49, "expected an object, found a number", "/ops/0");
}

TEST(BadFile, TheClosingLine) {
  const std::string sync = kHeader + "\n{\"op\":\"sync\"}\n";
  const std::string good = R"({"op":"end","operations":1,"fingerprint":"0123456789abcdef"})";
  EXPECT_TRUE(problems_of(sync + good + "\n\n").empty());
  expect_one(sync + R"({"op":"end","operations":2,"fingerprint":"0123456789abcdef"})", 3, 26,
             "counts 2 operations; "
             "expected 1",
             "/operations");
  expect_one(sync + R"({"op":"end","operations":1,"fingerprint":"0123"})", 3, 42, "16 hex digits", "/fingerprint");
  expect_one(sync + R"({"op":"end","operations":1,"fingerprint":"0123456789abcdeg"})", 3, 42, "16 hex digits",
             "/fingerprint");
  expect_one(sync + R"({"op":"end","operations":1})", 3, 1, "missing field \"fingerprint\"", "/fingerprint");
  expect_one(sync + good + "\n{\"op\":\"sync\"}", 4, 1, "behind the closing line", "");
  expect_one(sync + R"({"op":"end","operations":1,"fingerprint":"0123456789abcdef","id":"e"})", 3, 61,
             "unknown field \"id\" of end", "/id");
}

TEST(BadFile, Nesting) {
  const auto line = [](std::size_t depth) {
    return kHeader + "\n{\"op\":\"sync\",\"x-a\":" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
  };
  EXPECT_TRUE(problems_of(line(32)).empty());
  EXPECT_EQ(problems_of(line(33)).size(), 1U);
  const auto problems = problems_of(line(100000));
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].line, 2U);
  EXPECT_EQ(problems[0].column, 20U + 31U);
  EXPECT_NE(problems[0].message.find("deeper than 32"), std::string::npos);
  const std::string objects = [] {
    std::string text;
    for (int i = 0; i < 100000; ++i) text += "{\"a\":";
    return text;
  }();
  EXPECT_EQ(problems_of(objects).size(), 2U);  // the header's unknown field, and the nesting
}

TEST(BadFile, LongStrings) {
  const auto line = [](const std::string& note) { return kHeader + "\n{\"op\":\"sync\",\"note\":\"" + note + "\"}"; };
  EXPECT_TRUE(problems_of(line(std::string(65536, 'n'))).empty());
  expect_one(line(std::string(65537, 'n')), 2, 21, "the string is over 64 KiB", "/note");
  expect_one(line("\\n" + std::string(65536, 'n')), 2, 21, "the string is over 64 KiB", "/note");
  // Escapes count as what they stand for.
  EXPECT_TRUE(problems_of(line("\\u0041" + std::string(65535, 'n'))).empty());
}

TEST(BadFile, LongLines) {
  constexpr std::size_t limit = 1U << 20;
  const std::string end = "}";
  const std::string begin = "{\"op\":\"sync\"";
  const auto line = [&](std::size_t length) { return begin + std::string(length - begin.size() - 1, ' ') + end; };
  for (const char* newline : {"", "\n", "\r\n"}) {
    EXPECT_TRUE(problems_of(kHeader + "\n" + line(limit) + newline).empty());
    expect_one(kHeader + "\n" + line(limit + 1) + newline, 2, 1, "the line is over 1 MiB", "");
    EXPECT_TRUE(problems_of(kHeader + "\n" + std::string(limit, ' ') + newline).empty());
    expect_one(kHeader + "\n" + std::string(limit + 1, ' ') + newline, 2, 1, "the line is over 1 MiB", "");
  }
  expect_one(kHeader + "\n" + line(limit + 2) + "\n", 2, 1, "the line is over 1 MiB", "");
  expect_one(kHeader + "\n" + std::string(2 * limit, ' '), 2, 1, "the line is over 1 MiB", "");
  expect_one(kHeader + "\n{\"x-a\":\"" + std::string(3 * limit, 'a') + "\n{\"op\":\"sync\"}", 2, 1,
             "the line is over 1 MiB", "/x-a");
  // The next line is read all the same.
  const auto problems = problems_of(kHeader + "\n" + line(3 * limit) + "\n{\"op\":\"sink\"}\n");
  ASSERT_EQ(problems.size(), 2U) << describe(problems);
  EXPECT_EQ(problems[1].line, 3U);
}

// In a document each operation may be as long as a line, however they are laid out.
TEST(BadFile, LongDocuments) {
  const std::string open = R"({"format":"taintgraph-trace","version":1,"ops":[)";
  std::string many = open + R"({"op":"sync"})";
  for (int i = 0; i < 100000; ++i) many += R"(,{"op":"sync","stream":1})";
  EXPECT_TRUE(problems_of(many + "]}").empty());
  EXPECT_TRUE(problems_of(open + std::string(3U << 20, ' ') + R"({"op":"sync"}]})").empty());
  expect_one(open + "{\"op\":\"sync\"" + std::string(1U << 20, ' ') + "}]}", 1, 49, "over 1 MiB", "/ops/0");
}

TEST(BadFile, UpToTwentyProblemsInTheirOrder) {
  std::string text = kHeader + "\n";
  text += R"({"op":"read","from":"Q"})";  // said only at the end, but stands first
  for (int i = 0; i < 15; ++i) text += "\n{\"op\":\"alloc\",\"buffer\":\"X\",\"size\":-1}";
  auto problems = problems_of(text);
  ASSERT_EQ(problems.size(), 16U);
  for (std::size_t i = 0; i < problems.size(); ++i) EXPECT_EQ(problems[i].line, i + 2);
  for (int i = 0; i < 500; ++i) text += "\n{\"op\":\"alloc\",\"buffer\":\"X\",\"size\":-1,\"x\":1}";
  EXPECT_EQ(problems_of(text).size(), kMaxProblems);
}

// One line may have several problems; each is said once.
TEST(BadFile, SeveralProblemsOfOneLine) {
  const auto problems = problems_of(kHeader + "\n" + R"({"op":"alloc","size":1.5,"sise":2,"note":3})");
  ASSERT_EQ(problems.size(), 4U) << describe(problems);
  EXPECT_EQ(problems[0].pointer, "/buffer");
  EXPECT_EQ(problems[1].pointer, "/size");
  EXPECT_EQ(problems[2].pointer, "/sise");
  EXPECT_EQ(problems[3].pointer, "/note");
}

// A line that cannot be read may have allocated anything, so names are not held against the others.
TEST(BadFile, NoFollowUpProblems) {
  expect_one(kHeader + "\n{\"op\":\"alloc\",\"buffer\":\"X\",\"size\":64\n{\"op\":\"read\",\"from\":\"X\"}", 2, 37,
             "expected ',' or '}', found the end of the line", "");
  expect_one(kHeader + "\n{\"op\":\"aloc\",\"buffer\":\"X\",\"size\":64}\n{\"op\":\"read\",\"from\":\"X\"}", 2, 7,
             "unknown op", "/op");
  expect_one(kHeader + "\n{\"op\":\"alloc\",\"buffer\":\"X\",\"size\":-1}\n{\"op\":\"read\",\"from\":\"X\"}", 2, 35,
             "negative", "/size");
}

TEST(BadFile, MessagesStayShortAndPrintable) {
  const auto problems = problems_of(kHeader + "\n{\"op\":\"\\u001b[31m" + std::string(5000, 'y') + "\"}");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_NE(problems[0].message.find("\\u001b[31m"), std::string::npos);
  const std::string line = to_string(problems[0], "trace.jsonl");
  EXPECT_LT(line.size(), 400U);
  EXPECT_EQ(line.find('\x1b'), std::string::npos);
  EXPECT_EQ(line.rfind("trace.jsonl:2:7: error: unknown op ", 0), 0U) << line;
  EXPECT_EQ(line.substr(line.size() - 6), " (/op)");
}

TEST(BadFile, WhatIsNoFile) {
  const std::string folder = testing::TempDir() + "bad_file_test." + std::to_string(::getpid());
  std::filesystem::create_directory(folder);
  const auto directory = load_program(folder);
  ASSERT_FALSE(directory.has_value());
  EXPECT_NE(directory.error().at(0).message.find("is a directory"), std::string::npos);
  EXPECT_EQ(directory.error().at(0).line, 0U);
  const auto missing = load_program(folder + "/missing");
  ASSERT_FALSE(missing.has_value());
  EXPECT_NE(missing.error().at(0).message.find("No such file"), std::string::npos);
  if (::geteuid() != 0) {  // root reads everything
    const std::string locked = folder + "/locked";
    std::ofstream(locked) << kHeader;
    ::chmod(locked.c_str(), 0);
    const auto unreadable = load_program(locked);
    ASSERT_FALSE(unreadable.has_value());
    EXPECT_NE(unreadable.error().at(0).message.find("Permission denied"), std::string::npos);
  }
  std::filesystem::remove_all(folder);
}

// A stream that breaks in the middle says so, rather than looking like a short file.
TEST(BadFile, AStreamThatBreaks) {
  struct Breaking : std::streambuf {
    std::streamsize xsgetn(char* to, std::streamsize count) override {
      if (read_) throw std::ios_base::failure("gone");
      read_ = true;
      const std::string text = kHeader + "\n{\"op\":" + std::string(static_cast<std::size_t>(count), ' ');
      text.copy(to, static_cast<std::size_t>(count));
      return count;
    }
    bool read_ = false;
  };
  Breaking buffer;
  std::istream input(&buffer);
  NameTable names;
  const auto problems = read_trace(input, names, {});
  ASSERT_EQ(problems.size(), 1U) << describe(problems);
  EXPECT_EQ(problems[0].line, 2U);
  EXPECT_NE(problems[0].message.find("cannot be read on"), std::string::npos) << describe(problems);
}

}  // namespace
}  // namespace taintgraph::traces
