#include "traces/internal/op_table.hpp"

#include "traces/internal/word_list.hpp"

namespace taintgraph::traces::internal {
namespace {

constexpr FieldSet fields() { return 0; }
template <class... Fields>
constexpr FieldSet fields(Field first, Fields... rest) {
  return only(first) | fields(rest...);
}

// Every operation may carry these.
constexpr FieldSet kCommon =
    fields(Field::op, Field::id, Field::stream, Field::expect, Field::fired, Field::schedule, Field::note);

enum class MayFault : std::uint8_t { no, yes };

constexpr OpRow row(std::string_view name, OpKind kind, MayFault fault, FieldSet required, FieldSet optional = 0) {
  const FieldSet always = only(Field::op) | required;
  return {name, kind, always, always | optional | kCommon | (fault == MayFault::yes ? only(Field::fault) : 0)};
}

constexpr FieldSet kClosing = fields(Field::op, Field::operations, Field::fingerprint);

// A write's `fill` or `bytes` is one of two, which a set cannot say; the reader asks for it.
constexpr std::array<OpRow, kOpKindCount + 1> kOps = {{
    row("alloc", OpKind::alloc, MayFault::yes, fields(Field::buffer, Field::size)),
    row("free", OpKind::free, MayFault::no, fields(Field::buffer)),
    row("write", OpKind::write, MayFault::yes, fields(Field::to), fields(Field::fill, Field::bytes)),
    row("launch", OpKind::launch, MayFault::yes, fields(Field::kernel),
        fields(Field::reads, Field::writes, Field::args)),
    row("copy", OpKind::copy, MayFault::yes, fields(Field::from, Field::to)),
    row("read", OpKind::read, MayFault::yes, fields(Field::from)),
    row("sync", OpKind::sync, MayFault::yes, fields(), fields(Field::deadline)),
    row("wait", OpKind::wait, MayFault::yes, fields(Field::on)),
    row("trust", OpKind::trust, MayFault::no, fields(Field::to)),
    row("cleanup", OpKind::cleanup, MayFault::no, fields(), fields(Field::mode)),
    row("relocate", OpKind::relocate, MayFault::yes, fields(Field::buffer)),
    row("capture_begin", OpKind::capture_begin, MayFault::yes, fields()),
    row("capture_end", OpKind::capture_end, MayFault::yes, fields(Field::graph)),
    row("replay", OpKind::replay, MayFault::yes, fields(Field::graph)),
    row("destroy", OpKind::destroy, MayFault::no, fields(Field::graph)),
    row("reset", OpKind::reset, MayFault::no, fields()),
    row("check", OpKind::check, MayFault::no, fields(), kCheckFields),
    {"end", std::nullopt, kClosing, kClosing},
}};

}  // namespace

std::span<const OpRow> op_table() { return kOps; }

const OpRow* find_op(std::string_view name) {
  for (const OpRow& op : kOps) {
    if (op.name == name) return &op;
  }
  return nullptr;
}

std::string list_of(FieldSet set) {
  WordList list;
  for (std::size_t i = 0; i < kFieldCount; ++i) {
    if (has(set, static_cast<Field>(i))) list.add(kFieldNames[i]);
  }
  return list.text();
}

std::string list_of_ops() {
  WordList list;
  for (const OpRow& op : kOps) list.add(op.name);
  return list.text();
}

}  // namespace taintgraph::traces::internal
