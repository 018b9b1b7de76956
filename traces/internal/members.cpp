#include "traces/internal/members.hpp"

#include "traces/internal/json_text.hpp"

namespace taintgraph::traces::internal {
namespace {

constexpr std::size_t kUnknown = ~std::size_t{0};

std::size_t find(std::span<const std::string_view> names, std::string_view name) {
  if (name.empty()) return kUnknown;
  for (std::size_t i = 0; i < names.size(); ++i) {
    // Length and first byte tell most names apart without a call to compare them.
    const std::string_view one = names[i];
    if (one.size() == name.size() && one.front() == name.front() && one == name) return i;
  }
  return kUnknown;
}

bool is_extension(std::string_view name) { return name.substr(0, 2) == "x-"; }

}  // namespace

Members::Members(ValueReader& in, std::span<const std::string_view> names, std::string* extensions)
    : in_(in), names_(names), extensions_(extensions), place_(in.scanner().place()) {
  in.scanner().enter();
}

std::optional<std::size_t> Members::next() {
  step_.reset();
  JsonScanner& scanner = in_.scanner();
  while (scanner.next_member()) {
    const std::size_t member = find(names_, scanner.key());
    if (member == kUnknown) {
      const std::string name = scanner.key();
      const PathStep step(in_.problems(), name);
      if (is_extension(name)) {
        keep(name);
      } else {
        unknown(name);
      }
      continue;
    }
    key_place_ = scanner.key_place();
    if (!has(member)) {
      seen_ |= std::uint32_t{1} << member;
      step_.emplace(in_.problems(), names_[member]);
      return member;
    }
    const PathStep step(in_.problems(), names_[member]);
    in_.problems().add(key_place_, "duplicate key " + in_quotes(names_[member]) + "; expected each field once");
    scanner.skip();
  }
  return std::nullopt;
}

void Members::keep(const std::string& name) {
  JsonScanner& scanner = in_.scanner();
  if (!others_) others_.emplace();
  if (!others_->insert(name).second) {
    in_.problems().add(scanner.key_place(), "duplicate key " + in_quotes(name) + "; expected each field once");
  }
  (void)scanner.peek();
  const std::size_t begin = scanner.unit_bytes();
  scanner.skip();
  if (extensions_ == nullptr || scanner.failed()) return;
  if (!extensions_->empty()) *extensions_ += ',';
  append_json_string(*extensions_, name);
  *extensions_ += ':';
  for (const char c : scanner.since(begin)) {
    if (c != '\n' && c != '\r') *extensions_ += c;  // only white space of a document can hold them
  }
}

void Members::unknown(const std::string& name) {
  // The fields of an operation are too many to list before it is known which operation it is.
  constexpr std::size_t most_listed = 16;
  std::string expected = "a field of the format";
  if (names_.size() <= most_listed) {
    WordList list;
    for (const std::string_view one : names_) list.add(one);
    expected = list.text();
  }
  in_.problems().add(in_.scanner().key_place(),
                     "unknown field " + in_quotes(name) + "; expected " + expected + ", or a name beginning with x-");
  in_.scanner().skip();
}

void Members::require(std::size_t member) {
  if (has(member) || in_.scanner().failed()) return;
  const PathStep step(in_.problems(), names_[member]);
  in_.problems().add(place_, "missing field " + in_quotes(names_[member]) + "; expected it in this object");
}

}  // namespace taintgraph::traces::internal
