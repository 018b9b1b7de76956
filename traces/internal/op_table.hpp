// The fields of the trace language's operations, as tables: which there are, and which each operation must and may
// have. The reader and the schema are made from them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "traces/operation.hpp"

namespace taintgraph::traces::internal {

// In the order in which the writer puts them.
enum class Field : std::uint8_t {
  op,
  id,
  buffer,
  size,
  to,
  fill,
  bytes,
  kernel,
  reads,
  writes,
  args,
  from,
  stream,
  on,
  deadline,
  mode,
  graph,
  failures,
  tags,
  pages,
  bytes_in_use,
  clean,
  claimed,
  fault,
  expect,
  fired,
  schedule,
  note,
  operations,   // of the closing line
  fingerprint,  // of the closing line
};
inline constexpr std::size_t kFieldCount = 30;

inline constexpr std::array<std::string_view, kFieldCount> kFieldNames = {
    "op",     "id",       "buffer",   "size",  "to",           "fill",       "bytes",    "kernel",
    "reads",  "writes",   "args",     "from",  "stream",       "on",         "deadline", "mode",
    "graph",  "failures", "tags",     "pages", "bytes_in_use", "clean",      "claimed",  "fault",
    "expect", "fired",    "schedule", "note",  "operations",   "fingerprint"};

[[nodiscard]] constexpr std::string_view name_of(Field field) { return kFieldNames[static_cast<std::size_t>(field)]; }

using FieldSet = std::uint32_t;
[[nodiscard]] constexpr FieldSet only(Field field) { return FieldSet{1} << static_cast<unsigned>(field); }
[[nodiscard]] constexpr bool has(FieldSet set, Field field) { return (set & only(field)) != 0; }

// What a `check` may assert.
inline constexpr FieldSet kCheckFields = only(Field::failures) | only(Field::tags) | only(Field::pages) |
                                         only(Field::bytes_in_use) | only(Field::clean) | only(Field::claimed);

struct OpRow {
  std::string_view name;
  std::optional<OpKind> kind;  // none: the closing line "end"
  FieldSet required = 0;
  FieldSet allowed = 0;  // the required ones included
};

// One row an operation, in the order of OpKind, then "end".
[[nodiscard]] std::span<const OpRow> op_table();
[[nodiscard]] const OpRow* find_op(std::string_view name);

// "op, id and size": the fields of `set`, for a message.
[[nodiscard]] std::string list_of(FieldSet set);
// "alloc, free, ... and end".
[[nodiscard]] std::string list_of_ops();

}  // namespace taintgraph::traces::internal
