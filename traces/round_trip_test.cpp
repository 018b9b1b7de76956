// What the writer writes, the reader reads back as the same values: shown on programs drawn at random from a fixed
// seed, every field of every operation among them.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "gpu/kernel_info.hpp"
#include "traces/fault_target.hpp"
#include "traces/reader.hpp"
#include "traces/trace_text_for_tests.hpp"
#include "traces/writer.hpp"

namespace taintgraph::traces {
namespace {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  bool once_in(std::uint64_t n) { return below(n) == 0; }

  // Mostly small, sometimes at the edges of what 64 bits hold.
  std::uint64_t number() {
    switch (below(6)) {
      case 0:
        return ~std::uint64_t{0} - below(2);
      case 1:
        return random_();
      case 2:
        return 0;
      default:
        return below(1000);
    }
  }

  // Letters, and whatever needs care between quotes.
  std::string text(std::size_t max_pieces) {
    static const std::vector<std::string> pieces = {
        "a",  "B",  "7",    "#",    "/", "~",        "\"",           "\\",
        "\n", "\t", "\x01", "\x7F", " ", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
    std::string text;
    for (std::size_t n = 1 + below(max_pieces); n > 0; --n) text += pieces[below(pieces.size())];
    return text;
  }

  std::vector<std::uint8_t> bytes(std::size_t count) {
    std::vector<std::uint8_t> bytes(count);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random_());
    return bytes;
  }

  template <class T>
  std::optional<T> maybe(T value) {
    return once_in(2) ? std::optional<T>(value) : std::nullopt;
  }

 private:
  std::mt19937_64 random_;
};

class ProgramDraw {
 public:
  explicit ProgramDraw(std::uint64_t seed) : draw_(seed) {}

  Program program() {
    draw_header();
    for (int i = 0; i < 4; ++i) {
      Operation alloc;
      alloc.kind = OpKind::alloc;
      alloc.buffer = program_.names.intern("buffer" + std::to_string(i) + draw_.text(5));
      alloc.size = draw_.number();
      buffers_.push_back(alloc.buffer);
      program_.operations.push_back(alloc);
    }
    ids_.push_back(program_.names.intern("#1"));
    for (int i = 0; i < 40; ++i) program_.operations.push_back(operation(i));
    for (sim::PlannedFault& planned : program_.header.faults)
      if (draw_.once_in(2)) planned.operation = program_.names.text(ids_[draw_.below(ids_.size())]);
    if (draw_.once_in(2)) program_.end = End{program_.operations.size(), draw_.number()};
    return std::move(program_);
  }

 private:
  sim::Fault fault() {
    sim::Fault fault;
    do {
      fault.kind = gpu::fault_table()[draw_.below(gpu::fault_table().size())].kind;
    } while (!gpu::row(fault.kind).injectable);
    if (draw_.once_in(3)) return fault;
    fault.when = draw_.maybe(static_cast<gpu::FaultWhen>(draw_.below(3)));
    if (fault.when == gpu::FaultWhen::async && !gpu::row(fault.kind).sticky) fault.when = gpu::FaultWhen::after;
    fault.bytes_done = draw_.once_in(2) ? draw_.number() : 0;
    fault.surface_after_calls = draw_.maybe(draw_.number());
    return fault;
  }

  void draw_header() {
    Header& header = program_.header;
    if (draw_.once_in(2)) header.name = draw_.text(10);
    if (draw_.once_in(2)) header.note = draw_.text(10);
    header.seed = draw_.number();
    if (draw_.once_in(2)) header.extensions = R"("x-a":{"b":[1,2.5e9,"\"c"]},"x-d":null)";
    DeviceConfig& device = header.device;
    if (draw_.once_in(2)) device.memory_bytes = draw_.number();
    if (draw_.once_in(2)) device.streams = static_cast<std::uint32_t>(1 + draw_.below(1024));
    if (draw_.once_in(2)) device.alignment_bytes = std::uint64_t{1} << draw_.below(17);
    if (draw_.once_in(2)) device.pool = PoolKind::exclusive;
    if (draw_.once_in(2)) device.allocator = Allocator::stream_ordered;
    if (draw_.once_in(2)) device.page_bytes = 1 + draw_.below(1U << 20);
    if (draw_.once_in(2)) device.init = InitialState::unwritten;
    if (draw_.once_in(2)) device.surfacing = Surfacing::documented;
    for (std::uint64_t n = draw_.below(4); n > 0; --n) {
      sim::PlannedFault planned;
      planned.fault = fault();
      if (draw_.once_in(2)) planned.id = "plan" + std::to_string(n) + draw_.text(4);
      do {
        planned.call = draw_.maybe(static_cast<gpu::Call>(1 + draw_.below(gpu::kCallCount - 1)));
      } while (planned.call && !may_strike(*planned.call, planned.fault.kind));
      planned.call_class = draw_.maybe(static_cast<sim::CallClass>(draw_.below(9)));
      if (draw_.once_in(2)) planned.kernel = gpu::kernel_catalog()[draw_.below(gpu::kernel_catalog().size())].name;
      planned.stream = draw_.maybe(static_cast<std::uint32_t>(draw_.number()));
      if (draw_.once_in(2)) planned.skip = draw_.number();
      if (draw_.once_in(2)) planned.count = draw_.number();
      planned.persistent = draw_.once_in(2);
      if (draw_.once_in(2)) planned.one_in = 1 + draw_.below(1000);
      header.faults.push_back(planned);
    }
  }

  Ref ref() {
    Ref ref{.buffer = buffers_[draw_.below(buffers_.size())]};
    if (draw_.once_in(2)) return ref;
    ref.whole = false;
    ref.begin = draw_.number();
    ref.end = draw_.number();
    return ref;
  }
  std::vector<Ref> refs() {
    std::vector<Ref> refs;
    for (std::uint64_t n = draw_.below(4); n > 0; --n) refs.push_back(ref());
    return refs;
  }
  std::vector<NameId> some_ids() {
    std::vector<NameId> ids;
    for (std::uint64_t n = draw_.below(4); n > 0; --n) ids.push_back(ids_[draw_.below(ids_.size())]);
    return ids;
  }

  Operation operation(int ordinal) {
    Operation operation;
    operation.kind = static_cast<OpKind>(draw_.below(kOpKindCount));
    if (draw_.once_in(2)) {
      operation.id = program_.names.intern("id" + std::to_string(ordinal) + draw_.text(4));
      ids_.push_back(operation.id);
    }
    operation.stream = draw_.once_in(2) ? 0 : static_cast<std::uint32_t>(draw_.number());
    operation.has_stream = operation.stream != 0 || draw_.once_in(2);
    fill_own_fields(operation);
    const bool may_fault = operation.kind != OpKind::free && operation.kind != OpKind::trust &&
                           operation.kind != OpKind::cleanup && operation.kind != OpKind::destroy &&
                           operation.kind != OpKind::reset && operation.kind != OpKind::check;
    if (may_fault && draw_.once_in(2)) operation.fault = fault();
    if (operation.fault && !may_stand_on(operation.kind, operation.fault->kind)) operation.fault.reset();
    if (operation.kind == OpKind::check || draw_.once_in(2)) annotate(operation);
    return operation;
  }

  void fill_own_fields(Operation& operation) {
    switch (operation.kind) {
      case OpKind::alloc:
        operation.size = draw_.number();
        [[fallthrough]];
      case OpKind::free:
      case OpKind::relocate:
        operation.buffer = buffers_[draw_.below(buffers_.size())];
        break;
      case OpKind::write:
        draw_write(operation);
        break;
      case OpKind::launch: {
        operation.kernel = static_cast<std::uint16_t>(draw_.below(gpu::kernel_catalog().size()));
        const gpu::KernelInfo& kernel = gpu::kernel_catalog()[operation.kernel];
        if (!kernel.scalar.empty()) operation.scalar = std::min(draw_.number(), kernel.scalar_max);
        operation.reads = refs();
        operation.writes = refs();
        break;
      }
      case OpKind::copy:
        operation.reads = {ref()};
        operation.writes = {ref()};
        break;
      case OpKind::read:
        operation.reads = refs();
        break;
      case OpKind::sync:
        operation.deadline = draw_.maybe(draw_.number());
        break;
      case OpKind::wait:
        operation.on = static_cast<std::uint32_t>(draw_.number());
        break;
      case OpKind::trust:
        operation.writes = {ref()};
        break;
      case OpKind::cleanup:
        operation.cleanup = draw_.once_in(2) ? CleanupMode::periodic : CleanupMode::explicit_;
        break;
      case OpKind::capture_end:
      case OpKind::replay:
      case OpKind::destroy:
        operation.graph = program_.names.intern(draw_.text(5));
        break;
      default:
        break;
    }
  }

  void draw_write(Operation& operation) {
    operation.writes = {ref()};
    operation.has_bytes = draw_.once_in(2);
    if (!operation.has_bytes) {
      operation.fill = static_cast<std::uint8_t>(draw_.below(256));
      return;
    }
    operation.bytes = draw_.bytes(draw_.below(20));
    Ref& to = operation.writes.front();
    if (!to.whole && to.begin <= to.end) {
      to.begin = draw_.below(1000);
      to.end = to.begin + operation.bytes.size();
    }
  }

  void annotate(Operation& operation) {
    Annotations annotations;
    if (operation.kind == OpKind::check) {
      Check check{.failures = draw_.maybe(draw_.number()),
                  .tags = draw_.maybe(draw_.number()),
                  .pages = draw_.maybe(draw_.number()),
                  .bytes_in_use = draw_.maybe(draw_.number()),
                  .clean = refs(),
                  .claimed = {}};
      for (std::uint64_t n = draw_.below(3); n > 0; --n)
        check.claimed.emplace_back(ref(), ids_[draw_.below(ids_.size())]);
      annotations.check = check;
    }
    if (draw_.once_in(2)) {
      Expectation expect;
      expect.outcome = draw_.maybe(static_cast<Outcome>(draw_.below(kOutcomeCount)));
      if (operation.kind == OpKind::read && operation.reads.size() == 1 && draw_.once_in(2)) {
        if (draw_.once_in(2)) {
          expect.bytes = draw_.bytes(draw_.below(5));
        } else {
          expect.fill = static_cast<std::uint8_t>(draw_.below(256));
        }
      }
      if (draw_.once_in(2)) expect.roots = some_ids();
      if (draw_.once_in(2)) expect.via = some_ids();
      expect.error = draw_.maybe(gpu::fault_table()[draw_.below(gpu::fault_table().size())].kind);
      annotations.expect = expect;
    }
    annotations.has_schedule = draw_.once_in(2);
    if (annotations.has_schedule) {
      for (std::uint64_t n = draw_.below(4); n > 0; --n)
        annotations.schedule.push_back(static_cast<std::uint32_t>(draw_.number()));
    }
    if (draw_.once_in(2)) annotations.note = draw_.text(20);
    if (draw_.once_in(2)) annotations.extensions = R"("x-n":[{"k":"v"}],"x-":-0.5)";
    operation.annotations = std::make_shared<const Annotations>(std::move(annotations));
  }

  Draw draw_;
  Program program_;
  std::vector<NameId> buffers_;
  std::vector<NameId> ids_;
};

TEST(RoundTrip, ReadingGivesBackWhatWasWritten) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    const Program original = ProgramDraw(seed).program();
    const std::string text = text_of(original);
    // Reading into a table that has the names already gives them the same numbers.
    Program back;
    back.names = original.names;
    std::istringstream input(text);
    const auto problems = read_trace(input, back.names,
                                     {.header =
                                          [&](const Header& header) {
                                            back.header = header;
                                            return true;
                                          },
                                      .operation =
                                          [&](Operation&& operation) {
                                            back.operations.push_back(std::move(operation));
                                            return true;
                                          },
                                      .end =
                                          [&](const End& end) {
                                            back.end = end;
                                            return true;
                                          }});
    ASSERT_TRUE(problems.empty()) << to_string(problems.front(), "trace") << "\n" << text;
    EXPECT_EQ(back.header, original.header) << header_line(original.header);
    EXPECT_EQ(back.end, original.end);
    EXPECT_EQ(back.names.size(), original.names.size());
    ASSERT_EQ(back.operations.size(), original.operations.size());
    for (std::size_t i = 0; i < original.operations.size(); ++i) {
      ASSERT_TRUE(same(back.operations[i], original.operations[i]))
          << operation_line(original.operations[i], original.names) << "\n"
          << operation_line(back.operations[i], back.names);
    }
    EXPECT_EQ(text_of(back), text);
  }
}

// same() must see a change of any field, or the test above would prove nothing.
TEST(RoundTrip, SameSeesEveryField) {
  Operation plain;
  plain.kind = OpKind::launch;
  std::vector<Operation> changed(16, plain);
  changed[0].kind = OpKind::sync;
  changed[1].cleanup = CleanupMode::periodic;
  changed[2].has_bytes = true;
  changed[3].fill = 1;
  changed[4].kernel = 1;
  changed[5].stream = 1;
  changed[6].on = 1;
  changed[7].id = NameId{0};
  changed[8].buffer = NameId{0};
  changed[9].graph = NameId{0};
  changed[10].size = 1;
  changed[11].scalar = 1;
  changed[12].reads = {Ref{.buffer = NameId{0}}};
  changed[13].writes = {Ref{.buffer = NameId{0}}};
  changed[14].fault = sim::Fault{};
  Annotations annotated;
  annotated.expect = Expectation{};
  changed[15].annotations = std::make_shared<const Annotations>(annotated);
  for (std::size_t i = 0; i < changed.size(); ++i) EXPECT_FALSE(same(plain, changed[i])) << i;
  Operation moved = plain;
  moved.line = 7;
  moved.annotations = std::make_shared<const Annotations>();
  EXPECT_TRUE(same(plain, moved));
  Operation sync;
  sync.kind = OpKind::sync;
  Operation named = sync;
  named.has_stream = true;
  EXPECT_FALSE(same(sync, named));
}

TEST(RoundTrip, FieldsHaveOneOrder) {
  const std::string text = R"({"format":"taintgraph-trace","version":1}
{"op":"alloc","buffer":"A","size":64}
{"op":"launch","id":"L","kernel":"scale","reads":["A"],"writes":[["A",0,8]],"args":{"by":2},"stream":1,"fault":{"kind":"unknown","when":"after","bytes_done":4},"expect":{"outcome":"failed","roots":["L"]},"schedule":[1],"note":"n","x-a":1}
)";
  const auto program = parse_program(text);
  ASSERT_TRUE(program.has_value());
  EXPECT_EQ(text_of(*program), text);
}

}  // namespace
}  // namespace taintgraph::traces
