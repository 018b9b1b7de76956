// The part of OperationReader that comes when all members are known: what this operation may and must say.

#include <memory>
#include <utility>

#include "gpu/kernel_info.hpp"
#include "traces/fault_target.hpp"
#include "traces/internal/operation_reader.hpp"

namespace taintgraph::traces::internal {

void OperationReader::add(Field field, Place place, std::string message) {
  const PathStep step(in_.problems(), name_of(field));
  in_.problems().add(place, std::move(message));
}

void OperationReader::judge_fields(Members& members) {
  const FieldSet wrong = given_ & ~row_->allowed;
  const FieldSet missing = row_->required & ~given_;
  if ((wrong | missing) == 0) return;
  for (std::size_t i = 0; i < kFieldCount; ++i) {
    const auto field = static_cast<Field>(i);
    if (has(missing, field)) members.require(i);
    if (!has(wrong, field)) continue;
    if (field == Field::fault && row_->kind) {
      add(field, key_place(field),
          "a fault may not stand on " + std::string(row_->name) +
              "; expected it on an operation that submits work, reserves memory, waits or records");
    } else {
      add(field, key_place(field),
          "unknown field " + in_quotes(name_of(field)) + " of " + std::string(row_->name) + "; expected " +
              list_of(row_->allowed) + ", or a name beginning with x-");
    }
  }
}

void OperationReader::judge_arguments(const Members& members) {
  if (operation_.kind != OpKind::launch || !kernel_known_ || !args_good_) return;
  const gpu::KernelInfo& kernel = gpu::kernel_catalog()[operation_.kernel];
  const bool any = given(Field::args);
  const PathStep args(in_.problems(), name_of(Field::args));
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const PathStep step(in_.problems(), argument_names_[i]);
    const bool wanted = argument_names_[i] == kernel.scalar;
    const bool has_it = any && arguments_[i].given;
    if (wanted && !has_it) {
      in_.problems().add(any ? value_place(Field::args) : members.place(),
                         "missing argument " + in_quotes(kernel.scalar) + " of kernel " + std::string(kernel.name) +
                             "; expected a whole number from 0 to " + std::to_string(kernel.scalar_max));
    } else if (!wanted && has_it) {
      in_.problems().add(arguments_[i].key, "unknown argument " + in_quotes(argument_names_[i]) + " of kernel " +
                                                std::string(kernel.name) + "; expected " +
                                                (kernel.scalar.empty() ? "none" : in_quotes(kernel.scalar)));
    } else if (wanted && arguments_[i].value && *arguments_[i].value > kernel.scalar_max) {
      in_.problems().add(arguments_[i].value_place, "expected a whole number from 0 to " +
                                                        std::to_string(kernel.scalar_max) + ", found " +
                                                        std::to_string(*arguments_[i].value));
    } else if (wanted) {
      operation_.scalar = arguments_[i].value.value_or(0);
    }
  }
}

void OperationReader::judge_write(const Members& members) {
  if (operation_.kind != OpKind::write) return;
  if (given(Field::fill) && given(Field::bytes)) {
    add(Field::bytes, key_place(Field::bytes), "a write has fill or bytes; expected one of them");
  } else if (!given(Field::fill) && !given(Field::bytes)) {
    add(Field::fill, members.place(), "missing field \"fill\" or \"bytes\"; expected one of them");
  }
  // A whole buffer's length, and a range that is upside down, are judged when the write runs.
  if (!bytes_good_ || !to_ || to_->whole || to_->begin > to_->end) return;
  const std::uint64_t length = to_->end - to_->begin;
  if (operation_.bytes.size() == length) return;
  add(Field::bytes, value_place(Field::bytes),
      "expected the ref's length of " + std::to_string(length) + " bytes, found " +
          std::to_string(operation_.bytes.size()));
}

void OperationReader::judge_fault() {
  if (!operation_.fault || !given(Field::fault) || may_stand_on(operation_.kind, operation_.fault->kind)) return;
  add(Field::fault, value_place(Field::fault),
      in_quotes(gpu::row(operation_.fault->kind).name) + " is a compiler's answer, and " + std::string(row_->name) +
          " compiles nothing; expected it on a launch");
}

void OperationReader::judge_expectation() {
  if (!expect_ || !expect_->bytes_place) return;
  if (operation_.kind == OpKind::read && from_.size() == 1) return;
  const PathStep expect(in_.problems(), name_of(Field::expect));
  const PathStep member(in_.problems(), expect_->bytes_member);
  in_.problems().add(*expect_->bytes_place, "only a read of one ref can expect bytes; expected no " +
                                                in_quotes(expect_->bytes_member) + " here");
}

void OperationReader::judge_names() {
  if (operation_.kind == OpKind::copy && from_shape_ == ValueReader::RefShape::list) {
    add(Field::from, value_place(Field::from), "wrong type: expected one ref, found a list of refs");
  }
  if (!buffer_) return;
  if (operation_.kind == OpKind::alloc) {
    in_.ledger().allocates(*buffer_);
  } else {
    const PathStep step(in_.problems(), name_of(Field::buffer));
    in_.ledger().uses_buffer(*buffer_, value_place(Field::buffer), in_.problems());
  }
}

void OperationReader::assemble() {
  operation_.buffer = buffer_.value_or(NameId::none);
  if (!from_.empty()) operation_.reads = std::move(from_);
  if (to_) operation_.writes.assign(1, *to_);
  const bool is_check = operation_.kind == OpKind::check;
  annotated_ = annotated_ || is_check || expect_ || !annotations_.extensions.empty();
  if (!annotated_) return;
  if (is_check) annotations_.check = std::move(check_);
  if (expect_) annotations_.expect = std::move(expect_->value);
  operation_.annotations = std::make_shared<const Annotations>(std::move(annotations_));
}

}  // namespace taintgraph::traces::internal
