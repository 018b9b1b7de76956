#include "traces/operation.hpp"

#include "traces/internal/op_table.hpp"
#include "traces/internal/spelling.hpp"

namespace taintgraph::traces {
namespace {

bool same_annotations(const Annotations* a, const Annotations* b) {
  static const Annotations none;
  return (a != nullptr ? *a : none) == (b != nullptr ? *b : none);
}

}  // namespace

std::string_view to_string(OpKind kind) { return internal::op_table()[static_cast<std::size_t>(kind)].name; }

std::optional<OpKind> op_from_string(std::string_view name) {
  const internal::OpRow* row = internal::find_op(name);
  return row != nullptr ? row->kind : std::nullopt;
}

std::string_view to_string(Outcome outcome) { return internal::word_of(internal::kOutcomeWords, outcome); }

std::optional<Outcome> outcome_from_string(std::string_view name) {
  return internal::value_of(internal::kOutcomeWords, name);
}

std::optional<Ref> subject_of(const Operation& operation) {
  if (operation.buffer != NameId::none) {
    Ref whole;
    whole.buffer = operation.buffer;
    whole.whole = true;
    return whole;
  }
  if (!operation.writes.empty()) return operation.writes.front();
  if (!operation.reads.empty()) return operation.reads.front();
  return std::nullopt;
}

bool same(const Operation& a, const Operation& b) {
  // Whether a stream was named or left at 0 means something to a `sync` alone.
  const bool same_stream = a.stream == b.stream && (a.kind != OpKind::sync || a.has_stream == b.has_stream);
  return same_stream && a.kind == b.kind && a.cleanup == b.cleanup && a.has_bytes == b.has_bytes && a.fill == b.fill &&
         a.kernel == b.kernel && a.on == b.on && a.id == b.id && a.buffer == b.buffer && a.graph == b.graph &&
         a.size == b.size && a.scalar == b.scalar && a.reads == b.reads && a.writes == b.writes && a.bytes == b.bytes &&
         a.fault == b.fault && a.deadline == b.deadline && same_annotations(a.annotations.get(), b.annotations.get());
}

}  // namespace taintgraph::traces
