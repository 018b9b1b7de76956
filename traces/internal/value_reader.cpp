#include "traces/internal/value_reader.hpp"

#include <limits>

#include "traces/internal/json_text.hpp"

namespace taintgraph::traces::internal {
namespace {

std::string range_text(std::uint64_t min, std::uint64_t max) {
  if (max == std::numeric_limits<std::uint64_t>::max()) {
    return "a whole number" + (min > 0 ? " of at least " + std::to_string(min) : std::string());
  }
  return "a whole number from " + std::to_string(min) + " to " + std::to_string(max);
}

// The n of "#n", if it is written as a number from 1 and without leading zeros.
std::optional<std::uint64_t> ordinal_of(std::string_view name) {
  std::uint64_t ordinal = 0;
  if (name.size() < 2 || name[1] == '0') return std::nullopt;
  for (const char c : name.substr(1)) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (ordinal > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) return std::nullopt;
    ordinal = ordinal * 10 + digit;
  }
  return ordinal;
}

}  // namespace

void ValueReader::wrong_type(std::string_view expected) {
  const ValueKind found = scanner_.peek();
  if (found == ValueKind::nothing) return;
  problems_.add(scanner_.place(),
                "wrong type: expected " + std::string(expected) + ", found " + std::string(describe(found)));
  scanner_.skip();
}

bool ValueReader::object() {
  if (scanner_.peek() == ValueKind::object) return true;
  wrong_type("an object");
  return false;
}

bool ValueReader::list() {
  if (scanner_.peek() == ValueKind::array) return true;
  wrong_type("a list");
  return false;
}

void ValueReader::number_problem(Place place, const Number& number, std::uint64_t min, std::uint64_t max) {
  std::string found;
  switch (number.kind) {
    case Number::Kind::whole:
      found = std::to_string(number.value);
      break;
    case Number::Kind::negative:
      found = "a negative number";
      break;
    case Number::Kind::fraction:
      found = "a number with a fraction or an exponent";
      break;
    case Number::Kind::too_large:
      found = "a number of 2^64 or more";
      break;
  }
  problems_.add(place, "expected " + range_text(min, max) + ", found " + found);
}

std::optional<std::uint64_t> ValueReader::integer(std::uint64_t min, std::uint64_t max) {
  if (scanner_.peek() != ValueKind::number) {
    wrong_type(range_text(min, max));
    return std::nullopt;
  }
  const Place start = scanner_.place();
  const Number number = scanner_.number();
  if (scanner_.failed()) return std::nullopt;
  if (number.kind == Number::Kind::whole && number.value >= min && number.value <= max) return number.value;
  number_problem(start, number, min, max);
  return std::nullopt;
}

std::optional<std::uint32_t> ValueReader::stream() {
  const auto value = integer(0, std::numeric_limits<std::uint32_t>::max());
  if (!value) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

std::optional<std::uint8_t> ValueReader::byte() {
  const auto value = integer(0, 255);
  if (!value) return std::nullopt;
  return static_cast<std::uint8_t>(*value);
}

std::optional<std::string_view> ValueReader::text(std::string_view what) {
  if (scanner_.peek() != ValueKind::string) {
    wrong_type(what);
    return std::nullopt;
  }
  const std::string_view value = scanner_.string();
  if (scanner_.failed()) return std::nullopt;
  return value;
}

std::optional<std::string_view> ValueReader::name(std::string_view what) {
  const Place start = next_place();
  const auto value = text(what);
  if (!value) return std::nullopt;
  if (value->empty() || value->size() > kMaxNameBytes) {
    problems_.add(start, "expected " + std::string(what) + " of 1 to 256 bytes, found a string of " +
                             std::to_string(value->size()));
    return std::nullopt;
  }
  return value;
}

std::optional<std::vector<std::uint8_t>> ValueReader::hex() {
  const Place start = next_place();
  const auto digits = text("a string of hex digits, two a byte");
  if (!digits) return std::nullopt;
  if (digits->size() % 2 != 0) {
    problems_.add(start, "expected two hex digits a byte, found an odd number of digits (" +
                             std::to_string(digits->size()) + ")");
    return std::nullopt;
  }
  std::vector<std::uint8_t> bytes;
  bytes.reserve(digits->size() / 2);
  for (std::size_t i = 0; i < digits->size(); i += 2) {
    const int high = hex_value((*digits)[i]);
    const int low = hex_value((*digits)[i + 1]);
    if (high < 0 || low < 0) {
      problems_.add(start, "expected two hex digits a byte, found something else in byte " + std::to_string(i / 2));
      return std::nullopt;
    }
    bytes.push_back(static_cast<std::uint8_t>(high * 16 + low));
  }
  return bytes;
}

std::optional<NameId> ValueReader::buffer() {
  const auto given = name("a buffer's name");
  if (!given) return std::nullopt;
  return names_.intern(*given);
}

std::optional<NameId> ValueReader::graph() {
  const auto given = name("a graph's name");
  if (!given) return std::nullopt;
  return names_.intern(*given);
}

std::optional<NameId> ValueReader::own_id() {
  const Place start = next_place();
  const auto given = name("an id");
  if (!given) return std::nullopt;
  if (given->front() == '#') {
    problems_.add(start, "the id " + in_quotes(*given) +
                             " begins with '#', which is kept for operations without id; "
                             "expected another id");
    return std::nullopt;
  }
  const NameId id = names_.intern(*given);
  if (!ledger_.defines(id)) {
    problems_.add(start, "duplicate id " + in_quotes(*given) + "; expected one that no earlier operation has");
    return std::nullopt;
  }
  return id;
}

std::optional<NameId> ValueReader::operation_name() {
  const Place start = next_place();
  const auto given = name("an operation's id");
  if (!given) return std::nullopt;
  if (given->front() != '#') {
    const NameId id = names_.intern(*given);
    ledger_.uses_operation(id, start, problems_);
    return id;
  }
  const auto ordinal = ordinal_of(*given);
  if (!ordinal) {
    problems_.add(start, in_quotes(*given) + " names no operation; expected '#' and a number from 1");
    return std::nullopt;
  }
  ledger_.uses_ordinal(*ordinal, ordinal_, start, problems_);
  return names_.intern(*given);
}

std::optional<std::vector<NameId>> ValueReader::operation_names() {
  if (!list()) return std::nullopt;
  std::vector<NameId> ids;
  scanner_.enter();
  for (std::uint64_t i = 0; scanner_.next_element(); ++i) {
    const PathStep step(problems_, i);
    if (const auto id = operation_name()) ids.push_back(*id);
  }
  return ids;
}

std::vector<std::uint32_t> ValueReader::streams() {
  std::vector<std::uint32_t> streams;
  if (!list()) return streams;
  scanner_.enter();
  for (std::uint64_t i = 0; scanner_.next_element(); ++i) {
    const PathStep step(problems_, i);
    if (const auto one = stream()) streams.push_back(*one);
  }
  return streams;
}

}  // namespace taintgraph::traces::internal
