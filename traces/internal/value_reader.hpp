// Reads the values that members of a trace hold: integers, names, refs, lists of them, hex bytes. A value of another
// type, or out of its range, is one problem at the value's place, and is passed over, so that reading goes on behind
// it.
//
// Every function consumes exactly one value, unless the scanner fails.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "traces/internal/json_scanner.hpp"
#include "traces/internal/name_ledger.hpp"
#include "traces/internal/spelling.hpp"
#include "traces/internal/word_list.hpp"
#include "traces/name_table.hpp"

namespace taintgraph::traces::internal {

inline constexpr std::size_t kMaxNameBytes = 256;

class ValueReader {
 public:
  ValueReader(JsonScanner& scanner, ProblemList& problems, NameTable& names, NameLedger& ledger)
      : scanner_(scanner), problems_(problems), names_(names), ledger_(ledger) {}

  [[nodiscard]] JsonScanner& scanner() { return scanner_; }
  [[nodiscard]] ProblemList& problems() { return problems_; }
  [[nodiscard]] NameLedger& ledger() { return ledger_; }

  // Where the next value begins.
  [[nodiscard]] Place next_place() {
    (void)scanner_.peek();
    return scanner_.place();
  }

  [[nodiscard]] const NameTable& names() const { return names_; }

  // The ordinal of the operation being read, from 1.
  void set_ordinal(std::uint64_t ordinal) { ordinal_ = ordinal; }
  [[nodiscard]] std::uint64_t ordinal() const { return ordinal_; }

  // True if an object / a list is next; else a problem, and the value is passed over.
  [[nodiscard]] bool object();
  [[nodiscard]] bool list();

  // A whole number from `min` to `max`.
  [[nodiscard]] std::optional<std::uint64_t> integer(std::uint64_t min = 0, std::uint64_t max = ~std::uint64_t{0});
  [[nodiscard]] std::optional<std::uint32_t> stream();
  [[nodiscard]] std::optional<std::uint8_t> byte();
  // Good until the next call. `what` is for the message: "a string".
  [[nodiscard]] std::optional<std::string_view> text(std::string_view what = "a string");
  // A string of 1 to 256 bytes; good until the next call.
  [[nodiscard]] std::optional<std::string_view> name(std::string_view what);
  // One of a table's words.
  template <class Value, std::size_t count>
  [[nodiscard]] std::optional<Value> word(const std::array<Spelling<Value>, count>& words);
  // Two hex digits a byte.
  [[nodiscard]] std::optional<std::vector<std::uint8_t>> hex();

  // The name of a buffer, not yet counted as a use.
  [[nodiscard]] std::optional<NameId> buffer();
  [[nodiscard]] std::optional<NameId> graph();
  // The id that an operation gives itself.
  [[nodiscard]] std::optional<NameId> own_id();
  // An operation named by another: its id, or "#n".
  [[nodiscard]] std::optional<NameId> operation_name();
  [[nodiscard]] std::optional<std::vector<NameId>> operation_names();
  [[nodiscard]] std::vector<std::uint32_t> streams();

  enum class RefShape : std::uint8_t { none, single, list };
  // A ref or a list of refs, into `out`. Requires: `out` is empty.
  RefShape refs(std::vector<Ref>& out);
  [[nodiscard]] std::optional<Ref> ref();
  void ref_list(std::vector<Ref>& out);
  [[nodiscard]] std::vector<std::pair<Ref, NameId>> claims();

 private:
  // Passes over the next value, after adding "expected X, found Y" for it.
  void wrong_type(std::string_view expected);
  void number_problem(Place place, const Number& number, std::uint64_t min, std::uint64_t max);
  [[nodiscard]] std::optional<NameId> used_buffer();
  [[nodiscard]] std::optional<Ref> array_ref();
  [[nodiscard]] bool rest_of_ref(Ref& ref, Place start);
  [[nodiscard]] std::optional<std::pair<Ref, NameId>> claim();
  void pass_over_rest();

  JsonScanner& scanner_;
  ProblemList& problems_;
  NameTable& names_;
  NameLedger& ledger_;
  std::uint64_t ordinal_ = 0;
};

template <class Value, std::size_t count>
std::optional<Value> ValueReader::word(const std::array<Spelling<Value>, count>& words) {
  const Place start = next_place();
  WordList list;
  for (const Spelling<Value>& spelling : words) list.add(spelling.word);
  const auto given = text(list.text());
  if (!given) return std::nullopt;
  const auto value = value_of(words, *given);
  if (!value) problems_.add(start, "unknown value " + in_quotes(*given) + "; expected " + list.text());
  return value;
}

}  // namespace taintgraph::traces::internal
