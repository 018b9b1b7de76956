#include "traces/reader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gpu/kernel_info.hpp"
#include "traces/trace_text_for_tests.hpp"

namespace taintgraph::traces {
namespace {

Program parse(const std::string& text) {
  auto program = parse_program(text);
  EXPECT_TRUE(program.has_value()) << describe(program.error());
  return program ? std::move(*program) : Program{};
}

// The operation that `line` says, behind a header and buffers A and B.
struct Parsed {
  explicit Parsed(const std::string& line)
      : program(parse(kHeader + R"(
{"op":"alloc","id":"first","buffer":"A","size":64}
{"op":"alloc","buffer":"B","size":64}
)" + line)) {
    if (!program.operations.empty()) operation = program.operations.back();
  }
  NameId name(const std::string& text) const { return program.names.find(text).value_or(NameId::none); }
  Program program;
  Operation operation;
};

TEST(Reader, HeaderDefaults) {
  const Program program = parse(kHeader);
  EXPECT_EQ(program.header, Header{});
  EXPECT_EQ(program.header.device.memory_bytes, 16U << 20);
  EXPECT_EQ(program.header.device.streams, 4U);
  EXPECT_EQ(program.header.device.alignment_bytes, 32U);
  EXPECT_TRUE(program.operations.empty());
  EXPECT_FALSE(program.end);
}

TEST(Reader, HeaderFields) {
  const Program program = parse(
      R"({"x-tool":{"v":[1]},"version":1,"format":"taintgraph-trace","name":"n","note":"why","seed":18446744073709551615,)"
      R"("device":{"memory":1,"streams":7,"alignment":256,"pool":"exclusive","page":4096,"init":"unwritten",)"
      R"("allocator":"stream_ordered","surfacing":"documented","x-in":0},"requires":[],"x-b":"c"})");
  const Header& header = program.header;
  EXPECT_EQ(header.name, "n");
  EXPECT_EQ(header.note, "why");
  EXPECT_EQ(header.seed, ~std::uint64_t{0});
  EXPECT_EQ(header.device.memory_bytes, 1U);
  EXPECT_EQ(header.device.streams, 7U);
  EXPECT_EQ(header.device.alignment_bytes, 256U);
  EXPECT_EQ(header.device.pool, PoolKind::exclusive);
  EXPECT_EQ(header.device.page_bytes, 4096U);
  EXPECT_EQ(header.device.allocator, Allocator::stream_ordered);
  EXPECT_EQ(header.device.init, InitialState::unwritten);
  EXPECT_EQ(header.device.surfacing, Surfacing::documented);
  EXPECT_EQ(header.extensions, R"("x-tool":{"v":[1]},"x-b":"c")");
}

TEST(Reader, FaultPlan) {
  const Program program = parse(
      R"({"format":"taintgraph-trace","version":1,"faults":[)"
      R"({"id":"f1","call":"cuMemAlloc","skip":2,"count":3,"kind":"out_of_memory"},)"
      R"({"kernel":"gather","stream":1,"op":"#2","mode":"persistent","kind":"assert","when":"after","bytes_done":8},)"
      R"({"one_in":100,"class":"copy","kind":"illegal_address","when":"async","surface":{"after_calls":3}}]})"
      "\n"
      R"({"op":"sync"})"
      "\n"
      R"({"op":"sync"})");
  const auto& faults = program.header.faults;
  ASSERT_EQ(faults.size(), 3U);
  EXPECT_EQ(faults[0].id, "f1");
  EXPECT_EQ(faults[0].call, gpu::Call::cuMemAlloc);
  EXPECT_EQ(faults[0].skip, 2U);
  EXPECT_EQ(faults[0].count, 3U);
  EXPECT_FALSE(faults[0].persistent);
  EXPECT_EQ(faults[0].fault, sim::Fault{.kind = gpu::FaultKind::out_of_memory});
  EXPECT_EQ(faults[1].kernel, "gather");
  EXPECT_EQ(faults[1].stream, 1U);
  EXPECT_EQ(faults[1].operation, "#2");
  EXPECT_EQ(faults[1].count, 1U);
  EXPECT_TRUE(faults[1].persistent);
  EXPECT_EQ(faults[1].fault.kind, gpu::FaultKind::assert_);
  EXPECT_EQ(faults[1].fault.when, gpu::FaultWhen::after);
  EXPECT_EQ(faults[1].fault.bytes_done, 8U);
  EXPECT_EQ(faults[2].one_in, 100U);
  EXPECT_EQ(faults[2].call_class, sim::CallClass::copy);
  EXPECT_EQ(faults[2].fault.surface_after_calls, 3U);
}

TEST(Reader, Launch) {
  const Parsed p(
      R"({"args":{"by":3},"writes":[["A",8,16],"B"],"reads":["B",["A",0,8]],"kernel":"scale","op":"launch","id":"L","stream":2})");
  const Operation& operation = p.operation;
  EXPECT_EQ(operation.kind, OpKind::launch);
  EXPECT_EQ(gpu::kernel_catalog()[operation.kernel].name, "scale");
  EXPECT_EQ(operation.scalar, 3U);
  EXPECT_EQ(operation.id, p.name("L"));
  EXPECT_EQ(operation.stream, 2U);
  EXPECT_EQ(operation.line, 4U);
  const Ref a_head{.buffer = p.name("A"), .whole = false, .begin = 0, .end = 8};
  const Ref a_next{.buffer = p.name("A"), .whole = false, .begin = 8, .end = 16};
  const Ref b{.buffer = p.name("B")};
  EXPECT_EQ(operation.reads, (std::vector<Ref>{b, a_head}));
  EXPECT_EQ(operation.writes, (std::vector<Ref>{a_next, b}));
  EXPECT_EQ(operation.annotations, nullptr);
}

TEST(Reader, RefsAndLists) {
  const auto refs = [](const std::string& from) {
    const Parsed p(R"({"op":"read","from":)" + from + "}");
    std::string text;
    for (const Ref& ref : p.operation.reads) {
      text += p.program.names.text(ref.buffer);
      if (!ref.whole) text += ":" + std::to_string(ref.begin) + ":" + std::to_string(ref.end);
      text += " ";
    }
    return text;
  };
  EXPECT_EQ(refs(R"("A")"), "A ");
  EXPECT_EQ(refs(R"(["A"])"), "A ");
  EXPECT_EQ(refs(R"(["A","B"])"), "A B ");
  EXPECT_EQ(refs(R"(["A",1,2])"), "A:1:2 ");
  EXPECT_EQ(refs(R"([["A",1,2]])"), "A:1:2 ");
  EXPECT_EQ(refs(R"(["B",["A",1,2],"A"])"), "B A:1:2 A ");
  EXPECT_EQ(refs("[]"), "");
  EXPECT_EQ(refs(R"(["A",8,1])"), "A:8:1 ");  // upside down: rejected when it runs
}

TEST(Reader, HostWrites) {
  const Parsed filled(R"({"op":"write","to":["A",0,4],"fill":255})");
  EXPECT_FALSE(filled.operation.has_bytes);
  EXPECT_EQ(filled.operation.fill, 255);
  const Parsed bytes(R"({"op":"write","to":["A",0,4],"bytes":"00aAFf7e"})");
  EXPECT_TRUE(bytes.operation.has_bytes);
  EXPECT_EQ(bytes.operation.bytes, (std::vector<std::uint8_t>{0x00, 0xAA, 0xFF, 0x7E}));
  EXPECT_EQ(bytes.operation.writes.size(), 1U);
  const Parsed none(R"({"op":"write","to":["A",4,4],"bytes":""})");
  EXPECT_TRUE(none.operation.bytes.empty());
  const Parsed whole(R"({"op":"write","to":"A","bytes":"00"})");  // its length is judged when it runs
  EXPECT_EQ(whole.operation.bytes.size(), 1U);
}

TEST(Reader, Streams) {
  EXPECT_FALSE(Parsed(R"({"op":"sync"})").operation.has_stream);
  EXPECT_TRUE(Parsed(R"({"op":"sync","stream":0})").operation.has_stream);
  const Parsed wait(R"({"op":"wait","stream":3,"on":2})");
  EXPECT_EQ(wait.operation.stream, 3U);
  EXPECT_EQ(wait.operation.on, 2U);
}

TEST(Reader, Graphs) {
  const Parsed end(R"({"op":"capture_end","graph":"g","stream":1})");
  EXPECT_EQ(end.operation.graph, end.name("g"));
  EXPECT_EQ(Parsed(R"({"op":"replay","graph":"never captured"})").operation.kind, OpKind::replay);
}

TEST(Reader, Faults) {
  const Parsed name(R"({"op":"sync","fault":"host_exception"})");
  EXPECT_EQ(name.operation.fault, (sim::Fault{.kind = gpu::FaultKind::host_exception}));
  const Parsed object(
      R"({"op":"sync","fault":{"surface":{"after_calls":2},"when":"async","kind":"launch_failed","bytes_done":5}})");
  ASSERT_TRUE(object.operation.fault);
  EXPECT_EQ(object.operation.fault->kind, gpu::FaultKind::launch_failed);
  EXPECT_EQ(object.operation.fault->when, gpu::FaultWhen::async);
  EXPECT_EQ(object.operation.fault->bytes_done, 5U);
  EXPECT_EQ(object.operation.fault->surface_after_calls, 2U);
}

TEST(Reader, Expectations) {
  const Parsed p(
      R"({"op":"read","from":["A"],"expect":{"outcome":"unwritten","bytes":"0aff","roots":["first","#2"],"via":[],"error":"not_ready"}})");
  const Expectation* expect = p.operation.expect();
  ASSERT_NE(expect, nullptr);
  EXPECT_EQ(expect->outcome, Outcome::unwritten);
  EXPECT_EQ(expect->bytes, (std::vector<std::uint8_t>{0x0A, 0xFF}));
  EXPECT_EQ(expect->roots, (std::vector<NameId>{p.name("first"), p.name("#2")}));
  EXPECT_EQ(expect->via, std::vector<NameId>{});
  EXPECT_EQ(expect->error, gpu::FaultKind::not_ready);
  EXPECT_FALSE(expect->fill);
  EXPECT_EQ(Parsed(R"({"op":"read","from":"A","expect":{"fill":9}})").operation.expect()->fill, 9);
  EXPECT_FALSE(Parsed(R"({"op":"sync","expect":{}})").operation.expect()->roots);
}

TEST(Reader, Checks) {
  const Parsed p(
      R"({"op":"check","failures":1,"tags":2,"pages":3,"bytes_in_use":4,"clean":["A",["B",0,8]],"claimed":[["A","first"],[["B",1,2],"#1"]]})");
  ASSERT_NE(p.operation.annotations, nullptr);
  const Check& check = *p.operation.annotations->check;
  EXPECT_EQ(check.failures, 1U);
  EXPECT_EQ(check.tags, 2U);
  EXPECT_EQ(check.pages, 3U);
  EXPECT_EQ(check.bytes_in_use, 4U);
  EXPECT_EQ(check.clean.size(), 2U);
  ASSERT_EQ(check.claimed.size(), 2U);
  EXPECT_EQ(check.claimed[0], (std::pair{Ref{.buffer = p.name("A")}, p.name("first")}));
  EXPECT_EQ(check.claimed[1].first.begin, 1U);
  EXPECT_EQ(check.claimed[1].second, p.name("#1"));
  EXPECT_TRUE(Parsed(R"({"op":"check"})").operation.annotations->check);
}

TEST(Reader, NotesSchedulesAndExtensions) {
  const Parsed p(R"({"op":"sync","schedule":[2,0,2],"note":"a \"b\"","x-k":{"a":[1.5,"]"]},"x-\u00e9":null})");
  const Annotations& annotations = *p.operation.annotations;
  EXPECT_TRUE(annotations.has_schedule);
  EXPECT_EQ(annotations.schedule, (std::vector<std::uint32_t>{2, 0, 2}));
  EXPECT_EQ(annotations.note, "a \"b\"");
  EXPECT_EQ(annotations.extensions, "\"x-k\":{\"a\":[1.5,\"]\"]},\"x-\xC3\xA9\":null");
  const Parsed empty(R"({"op":"sync","schedule":[]})");
  EXPECT_TRUE(empty.operation.annotations->has_schedule);
}

TEST(Reader, EndLine) {
  const Parsed p(R"({"op":"end","operations":2,"fingerprint":"00000000DEADbeef"})");
  EXPECT_EQ(p.program.operations.size(), 2U);
  EXPECT_EQ(p.program.end, (End{.operations = 2, .fingerprint = 0xDEADBEEF}));
}

// Names may be used before they are defined, since only the whole file can tell.
TEST(Reader, ForwardReferences) {
  const Program program = parse(kHeader + R"(
{"op":"read","from":"X","expect":{"outcome":"rejected","roots":["later","#3"]}}
{"op":"alloc","buffer":"X","size":1,"id":"later"}
{"op":"sync"})");
  EXPECT_EQ(program.operations.size(), 3U);
}

}  // namespace
}  // namespace taintgraph::traces
