// Reads one operation, or the closing line, from its JSON object.
//
// Members come in any order, so each is read by its own type first; what depends on the operation (which fields it may
// and must have, which arguments its kernel takes) is judged behind the last one. Scratch space is kept from one
// operation to the next.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "traces/internal/expectation_reader.hpp"
#include "traces/internal/members.hpp"
#include "traces/internal/op_table.hpp"
#include "traces/internal/value_reader.hpp"
#include "traces/program.hpp"

namespace taintgraph::traces::internal {

class OperationReader {
 public:
  explicit OperationReader(ValueReader& in);

  enum class Line : std::uint8_t {
    operation,  // operation() holds it
    end,        // end() holds it
    unknown     // which operation it is could not be told, so neither can the names that it would have defined
  };
  // Reads the next value. If problems were added meanwhile, what operation() or end() hold is of no use.
  [[nodiscard]] Line read();

  [[nodiscard]] Operation& operation() { return operation_; }
  [[nodiscard]] const End& end() const { return end_; }

 private:
  // One by-value argument, by its place among the argument names of all kernels.
  struct Argument {
    bool given = false;
    Place key;
    Place value_place;
    std::optional<std::uint64_t> value;
  };

  void clear();
  void read_member(Field field);
  bool read_place_member(Field field);
  bool read_check_member(Field field);
  void read_op();
  void read_kernel();
  void read_args();
  void read_bytes();
  void read_expect();
  void read_note();
  void read_operation_count();
  void read_fingerprint();

  void judge_fields(Members& members);
  void judge_arguments(const Members& members);
  void judge_write(const Members& members);
  void judge_fault();
  void judge_expectation();
  void judge_names();
  void assemble();

  [[nodiscard]] bool given(Field field) const { return has(given_, field); }
  [[nodiscard]] Place key_place(Field field) const { return key_places_[static_cast<std::size_t>(field)]; }
  [[nodiscard]] Place value_place(Field field) const { return value_places_[static_cast<std::size_t>(field)]; }
  // A problem at `place` of the member `field`.
  void add(Field field, Place place, std::string message);

  ValueReader& in_;
  std::vector<std::string_view> argument_names_;  // of all kernels, each once
  std::vector<Argument> arguments_;               // one an argument name

  const OpRow* row_ = nullptr;
  FieldSet given_ = 0;
  std::array<Place, kFieldCount> key_places_;    // of members given
  std::array<Place, kFieldCount> value_places_;  // of members given
  Operation operation_;
  End end_;
  std::optional<NameId> buffer_;
  std::vector<Ref> from_;
  ValueReader::RefShape from_shape_ = ValueReader::RefShape::none;
  std::optional<Ref> to_;
  bool kernel_known_ = false;
  bool bytes_good_ = false;
  bool args_good_ = true;  // also if there are none
  std::optional<ExpectationText> expect_;
  Check check_;
  Annotations annotations_;
  bool annotated_ = false;  // check_ or annotations_ hold something
};

}  // namespace taintgraph::traces::internal
