// The refs of ValueReader: "A", ["A",begin,end], and lists of either. A list whose second element is a number is a ref.

#include "traces/internal/value_reader.hpp"

namespace taintgraph::traces::internal {
namespace {

constexpr std::string_view kRefForm = "a ref: \"A\" or [\"A\",begin,end]";

}  // namespace

std::optional<NameId> ValueReader::used_buffer() {
  const Place start = next_place();
  const auto name = buffer();
  if (name) ledger_.uses_buffer(*name, start, problems_);
  return name;
}

void ValueReader::pass_over_rest() {
  while (scanner_.next_element()) scanner_.skip();
}

// Behind the name of a ref that began at `start`, with its begin as the next value: reads up to the closing bracket.
bool ValueReader::rest_of_ref(Ref& ref, Place start) {
  ref.whole = false;
  std::optional<std::uint64_t> begin;
  std::optional<std::uint64_t> end;
  {
    const PathStep step(problems_, std::uint64_t{1});
    begin = integer();
  }
  if (!scanner_.next_element()) {
    if (!scanner_.failed()) problems_.add(start, "the end is missing; expected " + std::string(kRefForm));
    return false;
  }
  {
    const PathStep step(problems_, std::uint64_t{2});
    end = integer();
  }
  if (scanner_.next_element()) {
    problems_.add(scanner_.place(), "one value too many; expected " + std::string(kRefForm));
    scanner_.skip();
    pass_over_rest();
    return false;
  }
  if (!begin || !end || scanner_.failed()) return false;
  ref.begin = *begin;
  ref.end = *end;
  return true;
}

// ["A",begin,end] and nothing else.
std::optional<Ref> ValueReader::array_ref() {
  const Place start = scanner_.place();
  Ref ref;
  std::optional<NameId> name;
  scanner_.enter();
  if (scanner_.next_element()) {
    const PathStep step(problems_, std::uint64_t{0});
    name = used_buffer();
  } else {
    if (!scanner_.failed()) problems_.add(start, "the list is empty; expected " + std::string(kRefForm));
    return std::nullopt;
  }
  if (!name) {
    pass_over_rest();
    return std::nullopt;
  }
  if (!scanner_.next_element()) {
    if (!scanner_.failed()) problems_.add(start, "begin and end are missing; expected " + std::string(kRefForm));
    return std::nullopt;
  }
  if (!rest_of_ref(ref, start)) return std::nullopt;
  ref.buffer = *name;
  return ref;
}

std::optional<Ref> ValueReader::ref() {
  const ValueKind kind = scanner_.peek();
  if (kind == ValueKind::array) return array_ref();
  if (kind != ValueKind::string) {
    wrong_type(kRefForm);
    return std::nullopt;
  }
  const auto name = used_buffer();
  if (!name) return std::nullopt;
  return Ref{.buffer = *name};
}

ValueReader::RefShape ValueReader::refs(std::vector<Ref>& out) {
  const Place start = next_place();
  if (scanner_.peek() == ValueKind::string) {
    if (const auto one = ref()) out.push_back(*one);
    return RefShape::single;
  }
  if (scanner_.peek() != ValueKind::array) {
    wrong_type(std::string(kRefForm) + ", or a list of refs");
    return RefShape::none;
  }
  scanner_.enter();
  bool begins_with_name = false;
  for (std::uint64_t i = 0; scanner_.next_element(); ++i) {
    if (i == 1 && begins_with_name && scanner_.peek() == ValueKind::number) {
      Ref ranged{.buffer = out.empty() ? NameId::none : out.back().buffer};
      const bool named = !out.empty();
      out.clear();
      if (rest_of_ref(ranged, start) && named) out.push_back(ranged);
      return RefShape::single;
    }
    const PathStep step(problems_, i);
    begins_with_name = i == 0 && scanner_.peek() == ValueKind::string;
    if (const auto one = ref()) out.push_back(*one);
  }
  return scanner_.failed() ? RefShape::none : RefShape::list;
}

void ValueReader::ref_list(std::vector<Ref>& out) {
  if (scanner_.peek() != ValueKind::array) {
    wrong_type("a list of refs");
    return;
  }
  const Place start = scanner_.place();
  if (refs(out) == RefShape::single) {
    problems_.add(start, "wrong type: expected a list of refs, found one ref; write [[\"A\",begin,end]]");
  }
}

std::vector<std::pair<Ref, NameId>> ValueReader::claims() {
  std::vector<std::pair<Ref, NameId>> claims;
  if (!list()) return claims;
  scanner_.enter();
  for (std::uint64_t i = 0; scanner_.next_element(); ++i) {
    const PathStep step(problems_, i);
    if (!list()) continue;
    if (const auto claim = this->claim()) claims.push_back(*claim);
  }
  return claims;
}

// [ref, root]
std::optional<std::pair<Ref, NameId>> ValueReader::claim() {
  constexpr std::string_view form = "a pair [ref, root]";
  const Place start = scanner_.place();
  std::optional<Ref> claimed;
  std::optional<NameId> root;
  scanner_.enter();
  std::uint64_t values = 0;
  for (; scanner_.next_element(); ++values) {
    const PathStep step(problems_, values);
    if (values == 0) {
      claimed = ref();
    } else if (values == 1) {
      root = operation_name();
    } else {
      scanner_.skip();
    }
  }
  if (values != 2 && !scanner_.failed()) {
    problems_.add(start, "expected " + std::string(form) + ", found a list of " + std::to_string(values));
    return std::nullopt;
  }
  if (!claimed || !root) return std::nullopt;
  return std::pair{*claimed, *root};
}

}  // namespace taintgraph::traces::internal
