// The two forms of a trace, the ways in which text may be laid out, and what the sink sees of it.

#include <gtest/gtest.h>

#include <sstream>
#include <streambuf>
#include <string>
#include <vector>

#include "traces/reader.hpp"
#include "traces/trace_text_for_tests.hpp"

namespace taintgraph::traces {
namespace {

const std::vector<std::string> kOperations = {
    R"({"op":"alloc","buffer":"A","size":64})",
    R"({"op":"launch","id":"P","kernel":"fill","writes":[["A",0,8]],"args":{"value":7},"fault":"unknown","x-a":[1,{"b":"}"}]})",
    R"({"op":"read","from":"A","expect":{"outcome":"unwritten","roots":["P"]},"note":"n"})",
    R"({"op":"end","operations":3,"fingerprint":"00000000000000ff"})",
};

std::string joined(const std::vector<std::string>& parts, const std::string& between) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i > 0 ? between : "") + parts[i];
  return text;
}

std::string lines(const std::string& newline) {
  return R"({"format":"taintgraph-trace","version":1,"name":"t","seed":5})" + newline + joined(kOperations, newline);
}

std::string written(const std::string& text) {
  const auto program = parse_program(text);
  if (!program) return to_string(program.error().front(), "trace");
  return text_of(*program);
}

TEST(ReaderForm, LinesHoweverTheyEnd) {
  const std::string canonical = written(lines("\n"));
  EXPECT_EQ(canonical.rfind("{\"format\"", 0), 0U) << canonical;
  for (const std::string newline : {"\r\n", "\n\n", "\n \t\n", " \n ", "\r\n\r\n"}) {
    EXPECT_EQ(written(newline + lines(newline) + newline), canonical);
  }
}

TEST(ReaderForm, DocumentsMeanTheSame) {
  const std::string canonical = written(lines("\n"));
  const std::string head = R"("format":"taintgraph-trace","version":1)";
  const std::string tail = R"("name":"t","seed":5)";
  for (const std::string gap : {"", "\n", "\r\n    ", "\n\n\t"}) {
    const std::string ops = "\"ops\"" + gap + ":" + gap + "[" + gap + joined(kOperations, gap + "," + gap) + gap + "]";
    EXPECT_EQ(written("{" + gap + head + "," + gap + tail + "," + ops + "}" + gap), canonical);
    EXPECT_EQ(written("{" + gap + head + "," + gap + ops + "," + gap + tail + gap + "}"), canonical);
    EXPECT_EQ(written("{" + ops + "," + gap + head + "," + gap + tail + "}"), canonical);
  }
}

// As a tool prints them, one member a line.
TEST(ReaderForm, PrettyPrintedDocument) {
  const std::string text = R"(
{
  "format": "taintgraph-trace",
  "ops": [
    {
      "buffer": "A",
      "op": "alloc",
      "size": 64,
      "x-k": {
        "a": [
          1,
          "two  spaces"
        ]
      }
    },
    {
      "from": [
        "A",
        0,
        4
      ],
      "op": "read"
    }
  ],
  "version": 1
}
)";
  const auto program = parse_program(text);
  ASSERT_TRUE(program.has_value()) << to_string(program.error().front(), "trace");
  ASSERT_EQ(program->operations.size(), 2U);
  EXPECT_EQ(program->operations[0].line, 5U);
  EXPECT_EQ(program->operations[1].line, 16U);
  EXPECT_EQ(program->operations[1].reads[0].end, 4U);
  // Kept fields become part of a line when they are written, and lose nothing but the line breaks.
  const std::string extensions = program->operations[0].annotations->extensions;
  EXPECT_EQ(extensions.find('\n'), std::string::npos);
  EXPECT_NE(extensions.find("\"two  spaces\""), std::string::npos);
}

// Passes text on as a pipe does: no way back.
class Pipe : public std::streambuf {
 public:
  explicit Pipe(std::string text) : text_(std::move(text)) {
    setg(text_.data(), text_.data(), text_.data() + text_.size());
  }

 private:
  std::string text_;
};

std::vector<Problem> read_pipe(const std::string& text, std::vector<std::string>* seen = nullptr) {
  Pipe pipe(text);
  std::istream input(&pipe);
  NameTable names;
  const TraceSink sink{.header =
                           [&](const Header& header) {
                             if (seen != nullptr) seen->push_back("header " + header.name);
                             return true;
                           },
                       .operation =
                           [&](Operation&& operation) {
                             if (seen != nullptr) seen->emplace_back(to_string(operation.kind));
                             return true;
                           },
                       .end =
                           [&](const End&) {
                             if (seen != nullptr) seen->push_back("end");
                             return true;
                           }};
  return read_trace(input, names, sink);
}

TEST(ReaderForm, PipesAreReadOnce) {
  std::vector<std::string> seen;
  EXPECT_TRUE(read_pipe(lines("\n"), &seen).empty());
  EXPECT_EQ(seen, (std::vector<std::string>{"header t", "alloc", "launch", "read", "end"}));
  seen.clear();
  const std::string ops = "\"ops\":[" + joined(kOperations, ",") + "]";
  EXPECT_TRUE(read_pipe(R"({"format":"taintgraph-trace","version":1,"name":"d",)" + ops + "}", &seen).empty());
  EXPECT_EQ(seen, (std::vector<std::string>{"header d", "alloc", "launch", "read", "end"}));
  const auto problems = read_pipe(R"({"format":"taintgraph-trace","version":1,)" + ops + ",\n\"name\":\"late\"}");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].line, 2U);
  EXPECT_EQ(problems[0].column, 1U);
  EXPECT_EQ(problems[0].pointer, "/name");
  // The version stands behind the operations: nothing can be read, and nothing is delivered.
  seen.clear();
  EXPECT_EQ(read_pipe(R"({"format":"taintgraph-trace",)" + ops + ",\"version\":1}", &seen).size(), 1U);
  EXPECT_TRUE(seen.empty());
}

TEST(ReaderForm, NothingIsDeliveredBehindAProblem) {
  std::vector<std::string> seen;
  const std::string text = lines("\n") + "\n";
  const std::string bad = "{\"op\":\"sync\",\"stream\":-1}\n";
  const std::size_t third = text.find("{\"op\":\"read\"");
  EXPECT_EQ(read_pipe(text.substr(0, third) + bad + text.substr(third), &seen).size(), 2U);  // and the end's count
  EXPECT_EQ(seen, (std::vector<std::string>{"header t", "alloc", "launch"}));
  seen.clear();
  EXPECT_EQ(read_pipe(text.substr(0, third - 1) + " x\n" + text.substr(third), &seen).size(), 1U);
  EXPECT_EQ(seen, (std::vector<std::string>{"header t", "alloc"}));
}

TEST(ReaderForm, TheSinkMayStop) {
  int operations = 0;
  const TraceSink sink{.header = {}, .operation = [&](Operation&&) { return ++operations < 2; }, .end = {}};
  const std::string document = R"({"format":"taintgraph-trace","version":1,"ops":[)" + joined(kOperations, ",") + "]}";
  for (const std::string& text : {lines("\n") + "!", document}) {  // what follows is not looked at
    operations = 0;
    std::istringstream input(text);
    NameTable names;
    EXPECT_TRUE(read_trace(input, names, sink).empty());
    EXPECT_EQ(operations, 2);
  }
  std::istringstream input(lines("\n"));
  NameTable names;
  operations = 0;
  EXPECT_TRUE(
      read_trace(input, names, {.header = [](const Header&) { return false; }, .operation = sink.operation, .end = {}})
          .empty());
  EXPECT_EQ(operations, 0);
}

// Reading begins where the stream stands, and may begin a second time there.
TEST(ReaderForm, StreamsAreReadFromWhereTheyStand) {
  const std::string document =
      R"({"ops":[)" + joined(kOperations, ",") + R"(],"format":"taintgraph-trace","version":1})";
  std::istringstream input("skipped" + document);
  for (int round = 0; round < 2; ++round) {
    input.clear();
    input.seekg(7);
    NameTable names;
    std::uint64_t operations = 0;
    const auto problems = read_trace(input, names,
                                     {.header = {},
                                      .operation =
                                          [&](Operation&& operation) {
                                            EXPECT_EQ(operation.line, 1U);
                                            ++operations;
                                            return true;
                                          },
                                      .end = {}});
    EXPECT_TRUE(problems.empty()) << to_string(problems.front(), "trace");
    EXPECT_EQ(operations, 3U);
  }
}

}  // namespace
}  // namespace taintgraph::traces
