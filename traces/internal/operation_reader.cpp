#include "traces/internal/operation_reader.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "gpu/kernel_info.hpp"
#include "traces/internal/fault_reader.hpp"
#include "traces/internal/format_words.hpp"
#include "traces/internal/json_text.hpp"
#include "traces/internal/kernel_name.hpp"

namespace taintgraph::traces::internal {

OperationReader::OperationReader(ValueReader& in) : in_(in) {
  for (const gpu::KernelInfo& kernel : gpu::kernel_catalog()) {
    if (kernel.scalar.empty()) continue;
    if (std::find(argument_names_.begin(), argument_names_.end(), kernel.scalar) != argument_names_.end()) continue;
    argument_names_.push_back(kernel.scalar);
  }
  arguments_.resize(argument_names_.size());
}

void OperationReader::clear() {
  row_ = nullptr;
  operation_ = Operation{};
  end_ = End{};
  buffer_.reset();
  from_.clear();
  from_shape_ = ValueReader::RefShape::none;
  to_.reset();
  kernel_known_ = false;
  bytes_good_ = false;
  args_good_ = true;
  expect_.reset();
  // Most operations have none of these, so whoever reads one of their members says so.
  if (annotated_) {
    check_ = Check{};
    annotations_ = Annotations{};
    annotated_ = false;
  }
}

OperationReader::Line OperationReader::read() {
  clear();
  if (!in_.object()) return Line::unknown;
  operation_.line = in_.scanner().place().line;
  Members members(in_, kFieldNames, &annotations_.extensions);
  while (const auto member = members.next()) {
    (void)in_.scanner().peek();
    key_places_[*member] = members.key_place();
    value_places_[*member] = in_.scanner().place();
    read_member(static_cast<Field>(*member));
  }
  given_ = members.seen();
  members.require(static_cast<std::size_t>(Field::op));
  if (row_ == nullptr || in_.scanner().failed()) return Line::unknown;
  judge_fields(members);
  if (!row_->kind) return Line::end;
  operation_.kind = *row_->kind;
  judge_arguments(members);
  judge_write(members);
  judge_fault();
  judge_expectation();
  judge_names();
  assemble();
  return Line::operation;
}

void OperationReader::read_member(Field field) {
  if (read_place_member(field) || read_check_member(field)) return;
  switch (field) {
    case Field::op:
      read_op();
      break;
    case Field::id:
      operation_.id = in_.own_id().value_or(NameId::none);
      break;
    case Field::size:
      operation_.size = in_.integer().value_or(0);
      break;
    case Field::fill:
      operation_.fill = in_.byte().value_or(0);
      break;
    case Field::bytes:
      read_bytes();
      break;
    case Field::kernel:
      read_kernel();
      break;
    case Field::args:
      read_args();
      break;
    case Field::stream:
      operation_.has_stream = true;
      operation_.stream = in_.stream().value_or(0);
      break;
    case Field::on:
      operation_.on = in_.stream().value_or(0);
      break;
    case Field::deadline:
      operation_.deadline = in_.integer();
      break;
    case Field::mode:
      operation_.cleanup = in_.word(kCleanupWords).value_or(CleanupMode::explicit_);
      break;
    case Field::fault:
      operation_.fault = read_fault(in_);
      break;
    case Field::expect:
      expect_ = read_expectation(in_);
      break;
    case Field::fired:
      annotated_ = true;
      annotations_.fired = read_fired(in_);
      break;
    case Field::schedule:
      annotated_ = true;
      annotations_.has_schedule = true;
      annotations_.schedule = in_.streams();
      break;
    case Field::note:
      read_note();
      break;
    case Field::operations:
      read_operation_count();
      break;
    default:
      read_fingerprint();
      break;
  }
}

// The members that say where: buffers, graphs, refs.
bool OperationReader::read_place_member(Field field) {
  switch (field) {
    case Field::buffer:
      buffer_ = in_.buffer();
      return true;
    case Field::graph:
      operation_.graph = in_.graph().value_or(NameId::none);
      return true;
    case Field::to:
      to_ = in_.ref();
      return true;
    case Field::from:
      from_shape_ = in_.refs(from_);
      return true;
    case Field::reads:
      in_.ref_list(operation_.reads);
      return true;
    case Field::writes:
      in_.ref_list(operation_.writes);
      return true;
    default:
      return false;
  }
}

// What a `check` asserts.
bool OperationReader::read_check_member(Field field) {
  if (!has(kCheckFields, field)) return false;
  annotated_ = true;
  switch (field) {
    case Field::failures:
      check_.failures = in_.integer();
      return true;
    case Field::tags:
      check_.tags = in_.integer();
      return true;
    case Field::pages:
      check_.pages = in_.integer();
      return true;
    case Field::bytes_in_use:
      check_.bytes_in_use = in_.integer();
      return true;
    case Field::clean:
      in_.ref_list(check_.clean);
      return true;
    default:
      check_.claimed = in_.claims();
      return true;
  }
}

void OperationReader::read_op() {
  const Place start = in_.scanner().place();
  const auto name = in_.text("an operation's name");
  if (!name) return;
  row_ = find_op(*name);
  if (row_ == nullptr) {
    in_.problems().add(start, "unknown op " + in_quotes(*name) + "; expected " + list_of_ops());
  }
}

void OperationReader::read_kernel() {
  const auto kernel = read_kernel_name(in_);
  if (!kernel) return;
  operation_.kernel = *kernel;
  kernel_known_ = true;
}

void OperationReader::read_args() {
  for (Argument& argument : arguments_) argument = Argument{};
  args_good_ = in_.object();
  if (!args_good_) return;
  Members members(in_, argument_names_);
  while (const auto member = members.next()) {
    (void)in_.scanner().peek();
    Argument& argument = arguments_[*member];
    argument.given = true;
    argument.key = members.key_place();
    argument.value_place = in_.scanner().place();
    argument.value = in_.integer();
  }
}

void OperationReader::read_bytes() {
  operation_.has_bytes = true;
  auto bytes = in_.hex();
  bytes_good_ = bytes.has_value();
  if (bytes) operation_.bytes = std::move(*bytes);
}

void OperationReader::read_note() {
  annotated_ = true;
  if (const auto note = in_.text()) annotations_.note = *note;
}

void OperationReader::read_operation_count() {
  const Place start = in_.scanner().place();
  const auto count = in_.integer();
  if (!count) return;
  end_.operations = *count;
  const std::uint64_t before = in_.ordinal() - 1;
  if (*count == before) return;
  in_.problems().add(start, "the closing line counts " + std::to_string(*count) + " operations; expected " +
                                std::to_string(before) + ", which stand before it");
}

void OperationReader::read_fingerprint() {
  const Place start = in_.scanner().place();
  const auto digits = in_.text("a fingerprint of 16 hex digits");
  if (!digits) return;
  bool good = digits->size() == kFingerprintDigits;
  for (const char digit : *digits) {
    good = good && hex_value(digit) >= 0;
    if (good) end_.fingerprint = end_.fingerprint * 16 + static_cast<std::uint64_t>(hex_value(digit));
  }
  if (!good) in_.problems().add(start, "expected a fingerprint of 16 hex digits, found " + in_quotes(*digits));
}

}  // namespace taintgraph::traces::internal
