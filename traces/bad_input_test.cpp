// What bad input gets: each rule of the format as a snippet, with the place and the pointer that its problem must have.
//
// '@' marks the place in a snippet and is taken out before it is read.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "traces/reader.hpp"
#include "traces/trace_text_for_tests.hpp"

namespace taintgraph::traces {
namespace {

struct Bad {
  std::string text;
  std::string message;  // a part of it
  std::string pointer;
};

// The snippet without its mark; line and column of the mark, or 0:0.
struct Marked {
  std::string text;
  std::uint64_t line = 0;
  std::uint64_t column = 0;
};

Marked unmark(const std::string& text) {
  Marked marked;
  std::uint64_t line = 1;
  std::uint64_t column = 1;
  for (const char c : text) {
    if (c == '@') {
      marked.line = line;
      marked.column = column;
      continue;
    }
    marked.text += c;
    ++column;
    if (c == '\n') {
      ++line;
      column = 1;
    }
  }
  return marked;
}

// Exactly one problem, at the mark.
void expect_bad(const Bad& bad) {
  const Marked marked = unmark(bad.text);
  SCOPED_TRACE(marked.text.substr(0, 300));
  ASSERT_NE(marked.line, 0U) << "the snippet has no mark";
  const auto program = parse_program(marked.text);
  ASSERT_FALSE(program.has_value());
  ASSERT_EQ(program.error().size(), 1U) << describe(program.error());
  const Problem& problem = program.error().front();
  EXPECT_EQ(problem.line, marked.line) << describe(program.error());
  EXPECT_EQ(problem.column, marked.column) << describe(program.error());
  EXPECT_NE(problem.message.find(bad.message), std::string::npos) << describe(program.error());
  EXPECT_EQ(problem.pointer, bad.pointer);
}

// The same for one operation line, behind a header and buffers A and B.
void expect_bad_operation(const Bad& bad) {
  const std::string before = kHeader + "\n" + R"({"op":"alloc","buffer":"A","size":64})" + "\n" +
                             R"({"op":"alloc","id":"first","buffer":"B","size":64})" + "\n";
  expect_bad({before + bad.text, bad.message, bad.pointer});
  // As an element of a document the same line has the same problem.
  std::string open = kHeader;
  open.back() = ',';
  expect_bad({open + "\"ops\":[\n" + R"({"op":"alloc","buffer":"A","size":64},)" + "\n" +
                  R"({"op":"alloc","id":"first","buffer":"B","size":64},)" + "\n" + bad.text + "\n]}",
              bad.message, "/ops/2" + bad.pointer});
}

TEST(BadInput, NumbersAreWholeAndNotNarrowed) {
  const std::vector<Bad> table = {
      {R"({"op":"alloc","buffer":"X","size":@-1})", "expected a whole number, found a negative", "/size"},
      {R"({"op":"alloc","buffer":"X","size":@-0})", "found a negative number", "/size"},
      {R"({"op":"alloc","buffer":"X","size":@1.5})", "found a number with a fraction", "/size"},
      {R"({"op":"alloc","buffer":"X","size":@1.0})", "found a number with a fraction", "/size"},
      {R"({"op":"alloc","buffer":"X","size":@1e3})", "fraction or an exponent", "/size"},
      {R"({"op":"alloc","buffer":"X","size":@1E3})", "fraction or an exponent", "/size"},
      {R"({"op":"alloc","buffer":"X","size":@18446744073709551616})", "2^64 or more", "/size"},
      {R"({"op":"alloc","buffer":"X","size":@99999999999999999999999999999999})", "2^64 or more", "/size"},
      {R"({"op":"alloc","buffer":"X","size":@true})", "found a boolean", "/size"},
      {R"({"op":"alloc","buffer":"X","size":@null})", "found null", "/size"},
      {R"({"op":"alloc","buffer":"X","size":@"64"})", "found a string", "/size"},
      {R"({"op":"alloc","buffer":"X","size":@[64]})", "found a list", "/size"},
      {R"({"op":"alloc","buffer":"X","size":@{"bytes":64}})", "found an object", "/size"},
      {R"({"op":"sync","stream":@4294967296})", "from 0 to 4294967295, found 4294967296", "/stream"},
      {R"({"op":"sync","deadline":@18446744073709551616})", "2^64 or more", "/deadline"},
      {R"({"op":"sync","deadline":@1.5})", "found a number with a fraction", "/deadline"},
      {R"({"op":"wait","on":@-1})", "found a negative number", "/on"},
      {R"({"op":"write","to":"A","fill":@256})", "from 0 to 255, found 256", "/fill"},
      {R"({"op":"read","from":["A",@-1,4]})", "found a negative number", "/from/1"},
      {R"({"op":"read","from":["A",0,@4.5]})", "found a number with a fraction", "/from/2"},
      {R"({"op":"check","tags":@-3})", "found a negative number", "/tags"},
      {R"({"op":"sync","schedule":[0,@-1]})", "found a negative number", "/schedule/1"},
  };
  for (const Bad& bad : table) expect_bad_operation(bad);
}

TEST(BadInput, FieldsAreThoseOfTheOperation) {
  const std::vector<Bad> table = {
      {R"(@{"buffer":"X","size":1})", "missing field \"op\"", "/op"},
      {R"({"op":@"aloc","buffer":"X","size":1})", "unknown op \"aloc\"; expected alloc, free", "/op"},
      {R"({"op":@7})", "expected an operation's name, found a number", "/op"},
      {R"({"op":"read","from":"A",@"deadline":1})", "unknown field \"deadline\" of read", "/deadline"},
      {R"({"op":"sync",@"steam":1})", "unknown field \"steam\"", "/steam"},
      {R"({"op":"free","buffer":"A",@"size":8})", "unknown field \"size\" of free; expected op, id, buffer", "/size"},
      {R"({"op":"sync",@"X-note":1})", "unknown field \"X-note\"", "/X-note"},
      {R"({"op":"sync",@"":1})", "unknown field \"\"", "/"},
      {R"({"op":"sync",@"a/b~c":1})", "unknown field", "/a~1b~0c"},
      {R"(@{"op":"alloc","buffer":"X"})", "missing field \"size\"", "/size"},
      {R"(@{"op":"free"})", "missing field \"buffer\"", "/buffer"},
      {R"(@{"op":"launch","writes":["A"]})", "missing field \"kernel\"", "/kernel"},
      {R"(@{"op":"copy","to":"A"})", "missing field \"from\"", "/from"},
      {R"(@{"op":"read"})", "missing field \"from\"", "/from"},
      {R"(@{"op":"wait","stream":1})", "missing field \"on\"", "/on"},
      {R"(@{"op":"capture_end"})", "missing field \"graph\"", "/graph"},
      {R"(@{"op":"write","to":"A"})", "missing field \"fill\" or \"bytes\"", "/fill"},
      {R"({"op":"write","to":"A","fill":1,@"bytes":""})", "fill or bytes; expected one of them", "/bytes"},
      {R"({"op":"sync",@"op":"sync"})", "duplicate key \"op\"", "/op"},
      {R"({"op":"alloc","buffer":"X","size":1,@"size":1})", "duplicate key \"size\"", "/size"},
      {R"({"op":"sync","x-a":1,@"x-a":1})", "duplicate key \"x-a\"", "/x-a"},
      {R"({"op":"sync","x-a":{"b":1,@"b":2}})", "duplicate key \"b\"", "/x-a/b"},
      {R"({"op":"sync","x-a":[0,{"b":1,@"\u0062":2}]})", "duplicate key \"b\"", "/x-a/1/b"},
      {R"({"op":"cleanup","mode":@"often"})", "unknown value \"often\"; expected explicit or periodic", "/mode"},
      {R"({"op":"sync","note":@1})", "expected a string, found a number", "/note"},
      {R"(@[])", "expected an object, found a list", ""},
      {R"(@"sync")", "expected an object, found a string", ""},
  };
  for (const Bad& bad : table) expect_bad_operation(bad);
}

TEST(BadInput, NamesAndRefs) {
  const std::string long_name(257, 'n');
  const std::vector<Bad> table = {
      {R"({"op":"alloc","buffer":@"","size":1})", "1 to 256 bytes, found a string of 0", "/buffer"},
      {R"({"op":"alloc","buffer":@")" + long_name + R"(","size":1})", "found a string of 257", "/buffer"},
      {R"({"op":"alloc","buffer":@5,"size":1})", "expected a buffer's name, found a number", "/buffer"},
      {R"({"op":"free","buffer":@"Q"})", "no operation of this file allocates a buffer \"Q\"", "/buffer"},
      {R"({"op":"read","from":@"Q"})", "no operation of this file allocates a buffer \"Q\"", "/from"},
      {R"({"op":"read","from":["A",@"Q"]})", "allocates a buffer \"Q\"", "/from/1"},
      {R"({"op":"read","from":[["A",0,1],[@"Q",0,1]]})", "allocates a buffer \"Q\"", "/from/1/0"},
      {R"({"op":"check","clean":[@"Q"]})", "allocates a buffer \"Q\"", "/clean/0"},
      {R"({"op":"read","from":@7})", "expected a ref: \"A\" or [\"A\",begin,end], or a list of refs", "/from"},
      {R"({"op":"read","from":@["A",0]})", "the end is missing", "/from"},
      {R"({"op":"read","from":["A",0,4,@5]})", "one value too many", "/from"},
      {R"({"op":"read","from":["A",0,@"4"]})", "found a string", "/from/2"},
      {R"({"op":"read","from":[@["A"]]})", "begin and end are missing", "/from/0"},
      {R"({"op":"read","from":["A",@[]]})", "the list is empty", "/from/1"},
      {R"({"op":"copy","from":@[["A",0,4]],"to":["B",0,4]})", "expected one ref, found a list", "/from"},
      {R"({"op":"write","to":[@["A",0,4]],"fill":1})", "expected a buffer's name, found a list", "/to/0"},
      {R"({"op":"launch","kernel":"noop","reads":@"A"})", "expected a list of refs, found a string", "/reads"},
      {R"({"op":"launch","kernel":"noop","reads":@["A",0,4]})", "a list of refs, found one ref", "/reads"},
      {R"({"op":"sync","id":@"#4"})", "begins with '#'", "/id"},
      {R"({"op":"sync","id":@"first"})", "duplicate id \"first\"", "/id"},
      {R"({"op":"write","to":"A","bytes":@"0g"})", "expected two hex digits a byte", "/bytes"},
      {R"({"op":"write","to":"A","bytes":@"000"})", "odd number of digits (3)", "/bytes"},
      {R"({"op":"write","to":["A",0,4],"bytes":@"00"})", "expected the ref's length of 4 bytes, found 1", "/bytes"},
      {R"({"op":"check","claimed":[@["A"]]})", "expected a pair [ref, root], found a list of 1", "/claimed/0"},
      {R"({"op":"check","claimed":[@["A","first",1]]})", "found a list of 3", "/claimed/0"},
      {R"({"op":"check","claimed":[["A",@"nobody"]]})", "no operation of this file has the id", "/claimed/0/1"},
  };
  for (const Bad& bad : table) expect_bad_operation(bad);
}

TEST(BadInput, KernelsFaultsAndExpectations) {
  const std::string launch = R"({"op":"launch","kernel":"scale","reads":["A"],"writes":["A"],)";
  const std::vector<Bad> table = {
      {R"({"op":"launch","kernel":@"sort"})", "unknown kernel \"sort\"; expected ", "/kernel"},
      {R"(@{"op":"launch","kernel":"fill","writes":["A"]})", "missing argument \"value\"", "/args/value"},
      {launch + R"("args":@{}})", "missing argument \"by\" of kernel scale", "/args/by"},
      {launch + R"("args":{"by":@256}})", "from 0 to 255, found 256", "/args/by"},
      {launch + R"("args":{"by":@"2"}})", "found a string", "/args/by"},
      {launch + R"("args":{"by":2,@"value":2}})", "unknown argument \"value\" of kernel scale", "/args/value"},
      {launch + R"("args":{"by":2,@"speed":2}})", "unknown field \"speed\"", "/args/speed"},
      {launch + R"("args":@[2]})", "expected an object, found a list", "/args"},
      {R"({"op":"launch","kernel":"iota","writes":["A"],"args":{@"n":2}})", "unknown argument \"n\"", "/args/n"},
      {R"({"op":"sync","fault":@"hiccup"})", "unknown fault \"hiccup\"", "/fault"},
      {R"({"op":"sync","fault":@"not_ready"})", "cannot be injected", "/fault"},
      {R"({"op":"sync","fault":@3})", "expected an object, found a number", "/fault"},
      {R"({"op":"sync","fault":@{"when":"before"}})", "missing field \"kind\"", "/fault/kind"},
      {R"({"op":"sync","fault":{"kind":"unknown","when":@"later"}})", "expected before, after or async", "/fault/when"},
      {R"({"op":"sync","fault":{"kind":"invalid_value","when":@"async"}})", "cannot be async", "/fault/when"},
      {R"({"op":"alloc","buffer":"X","size":1,"fault":@"compile_error"})", "expected it on a launch", "/fault"},
      {R"({"op":"write","to":"A","fill":1,"fault":@{"kind":"compile_error"}})", "write compiles nothing", "/fault"},
      {R"({"op":"sync","fired":[{"call":@"cuMemFree","nth":1,"kind":"compile_error"}]})", "cannot return",
       "/fired/0/call"},
      {R"({"op":"sync","fault":{"kind":"unknown",@"why":1}})", "expected kind, when, bytes_done or", "/fault/why"},
      {R"({"op":"sync","fault":{"kind":"unknown","surface":@{}}})", "\"after_calls\"", "/fault/surface/after_calls"},
      {R"({"op":"free","buffer":"A",@"fault":"unknown"})", "a fault may not stand on free", "/fault"},
      {R"({"op":"trust","to":"A",@"fault":"unknown"})", "a fault may not stand on trust", "/fault"},
      {R"({"op":"cleanup",@"fault":"unknown"})", "a fault may not stand on cleanup", "/fault"},
      {R"({"op":"destroy","graph":"g",@"fault":"unknown"})", "a fault may not stand on destroy", "/fault"},
      {R"({"op":"reset",@"fault":"unknown"})", "a fault may not stand on reset", "/fault"},
      {R"({"op":"check",@"fault":"unknown"})", "a fault may not stand on check", "/fault"},
      {R"({"op":"sync","expect":{"outcome":@"fine"}})", "unknown value \"fine\"; expected ok, failed",
       "/expect/outcome"},
      {R"({"op":"sync","expect":{@"result":"ok"}})", "unknown field \"result\"", "/expect/result"},
      {R"({"op":"sync","expect":@"ok"})", "expected an object, found a string", "/expect"},
      {R"({"op":"sync","expect":{@"bytes":"00"}})", "only a read of one ref can expect bytes", "/expect/bytes"},
      {R"({"op":"read","from":["A","B"],"expect":{@"fill":0}})", "only a read of one ref", "/expect/fill"},
      {R"({"op":"read","from":"A","expect":{"fill":0,@"bytes":"00"}})", "expected one of them", "/expect"},
      {R"({"op":"read","from":"A","expect":{"roots":@"first"}})", "expected a list, found a string", "/expect/roots"},
      {R"({"op":"read","from":"A","expect":{"roots":["first",@"last"]}})", "has the id \"last\"", "/expect/roots/1"},
      {R"({"op":"read","from":"A","expect":{"via":[@"#4"]}})", "there is no operation #4; expected #1 to #3",
       "/expect/via/0"},
      {R"({"op":"read","from":"A","expect":{"roots":[@"#0"]}})", "names no operation", "/expect/roots/0"},
      {R"({"op":"read","from":"A","expect":{"roots":[@"#01"]}})", "names no operation", "/expect/roots/0"},
      {R"({"op":"read","from":"A","expect":{"error":@"oops"}})", "unknown fault \"oops\"", "/expect/error"},
  };
  for (const Bad& bad : table) expect_bad_operation(bad);
}

// One planned fault, before an operation P and one without an id, in either form of a trace.
void expect_bad_plan(const std::string& planned, const std::string& message, const std::string& member) {
  std::string open = kHeader;
  open.back() = ',';
  const std::string first = R"({"op":"sync","id":"P"})";
  const std::string header = open + "\"faults\":[" + planned + "]";
  expect_bad({header + "}\n" + first + "\n{\"op\":\"sync\"}", message, "/faults/0/" + member});
  expect_bad({header + ",\"ops\":[" + first + ",{\"op\":\"sync\"}]}", message, "/faults/0/" + member});
  expect_bad({open + "\"ops\":[" + first + ",{\"op\":\"sync\"}],\n\"faults\":[" + planned + "]}", message,
              "/faults/0/" + member});
}

TEST(BadInput, PlannedFaultsNameOperationsThatExist) {
  expect_bad_plan(R"({"op":@"Q","kind":"unknown"})", "has the id \"Q\"", "op");
  expect_bad_plan(R"({"op":@"#3","kind":"unknown"})", "there is no operation #3; expected #1 to #2", "op");
  expect_bad_plan(R"({"op":@"#0","kind":"unknown"})", "names no operation", "op");
  const std::string good = R"({"format":"taintgraph-trace","version":1,"faults":[{"op":"P","kind":"unknown"},)"
                           R"({"op":"#2","kind":"unknown"}]})";
  EXPECT_TRUE(parse_program(good + "\n{\"op\":\"sync\",\"id\":\"P\"}\n{\"op\":\"sync\"}"));
}

TEST(BadInput, PlannedCallsAnswerWithErrorsOfTheirOwnLibrary) {
  expect_bad_plan(R"({"call":@"cuMemAlloc","kind":"compile_error"})", "cannot return \"compile_error\"", "call");
  expect_bad_plan(R"({"kind":"invalid_ptx","call":@"nvrtcCompileProgram"})", "cannot return", "call");
  const std::string good = R"({"format":"taintgraph-trace","version":1,"faults":[)"
                           R"({"call":"nvrtcCompileProgram","kind":"compile_error"}]})";
  EXPECT_TRUE(parse_program(good + "\n{\"op\":\"sync\"}"));
}

TEST(BadInput, NotJson) {
  const std::vector<Bad> table = {
      {R"({"op":"sync" @"note":1})", "expected ',' or '}', found '\"'", ""},
      {R"({"op":"sync",@})", "a comma before '}'", ""},
      {R"({"op":"sync","schedule":[1,@]})", "a comma before ']'", "/schedule"},
      {R"({"op" @"sync"})", "expected ':'", ""},
      {R"({@op:"sync"})", "a member's name in double quotes, found 'o'", ""},
      {R"({"op":@'sync'})", "expected a value, found '''", "/op"},
      {R"({"op":"sync","note":@nul})", "a word that is not JSON; expected true, false or null", "/note"},
      {R"({"op":"alloc","buffer":"X","size":@NaN})", "NaN and Infinity are not JSON", "/size"},
      {R"({"op":"alloc","buffer":"X","size":@Infinity})", "NaN and Infinity are not JSON", "/size"},
      {R"({"op":"alloc","buffer":"X","size":-@Infinity})", "expected a digit, found 'I'", "/size"},
      {R"({"op":"alloc","buffer":"X","size":@01})", "may not begin with 0", "/size"},
      {R"({"op":"alloc","buffer":"X","size":@+1})", "expected a value, found '+'", "/size"},
      {R"({"op":"alloc","buffer":"X","size":1.@})", "expected a digit, found '}'", "/size"},
      {R"({"op":"alloc","buffer":"X","size":1e@})", "expected a digit, found '}'", "/size"},
      {R"({"op":"alloc","buffer":"X","size":0@x10})", "expected ',' or '}', found 'x'", ""},
      {R"({"op":"sync","note":"\@q"})", "after a backslash, found 'q'", "/note"},
      {R"({"op":"sync","note":"\u12@g4"})", "four hex digits after \\u, found 'g'", "/note"},
      {R"({"op":"sync","note":"\@ud800"})", "half of a surrogate pair", "/note"},
      {R"({"op":"sync","note":"\@udc00"})", "half of a surrogate pair", "/note"},
      {R"({"op":"sync","note":"\@ud800\u0041"})", "half of a surrogate pair", "/note"},
      {"{\"op\":\"sync\",\"note\":\"@\x01\"}", "found the control character 0x01", "/note"},
      {"{\"op\":\"sync\",\"note\":\"a@\tb\"}", "found the control character 0x09", "/note"},
      {"{\"op\":\"sync\",\"note\":\"a@\xC0\xAF\"}", "not UTF-8", "/note"},
      {"{\"op\":\"sync\",\"note\":\"a@\xED\xA0\x80\"}", "not UTF-8", "/note"},
      {"{\"op\":\"sync\",\"note\":\"a@\xF4\x90\x80\x80\"}", "not UTF-8", "/note"},
      {"{\"op\":\"sync\",\"note\":\"a@\xE2\x82\"}", "not UTF-8", "/note"},
      {"{\"op\":\"sync\",@\xFF}", "found bytes that are not UTF-8", ""},
      {"{\"op\":\"sync\",@\xEF\xBB\xBF\"note\":\"\"}", "found a byte order mark", ""},
      {R"({"op":"sync"} @{"op":"sync"})", "", ""},
      {R"({"op":"sync"}@])", "", ""},
      {"@// {\"op\":\"sync\"}", "found '/'", ""},
  };
  // Where a document ends, what follows and how deep the place is differ; lines are enough here.
  const std::string before = kHeader + "\n" + R"({"op":"alloc","buffer":"A","size":64})" + "\n";
  for (const Bad& bad : table) expect_bad({before + bad.text, bad.message, bad.pointer});
}

}  // namespace
}  // namespace taintgraph::traces
