// A value in a JSON document that may not be what this program once wrote: read by name, type and range.
//
// It knows the way to itself ("failures[0].cases") and names it in each complaint. Nothing is converted: a number with
// a sign, a point or more than 64 bits is no whole number, and null is no list; the library's own conversions let these
// pass. For documents of a few kilobytes; traces have a reader of their own (traces/reader.hpp).
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taintgraph::props {

// What is wrong with a document, and where, in words for whoever gave it.
class BadJson : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws BadJson with line and column if it is no JSON.
[[nodiscard]] nlohmann::ordered_json parse_json(std::string_view text);

// Requires: the document outlives it. Every reading throws BadJson if the value is not what is asked for.
class JsonField {
 public:
  explicit JsonField(const nlohmann::ordered_json& value, std::string path = {})
      : value_(&value), path_(std::move(path)) {}

  // Of an object.
  [[nodiscard]] JsonField at(std::string_view key) const;
  [[nodiscard]] std::vector<std::pair<std::string, JsonField>> fields() const;
  // Of a list.
  [[nodiscard]] std::vector<JsonField> items() const;

  [[nodiscard]] bool is_null() const { return value_->is_null(); }
  [[nodiscard]] bool flag() const;
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::vector<std::string> texts() const;
  // From `least` to `most`, both included.
  [[nodiscard]] std::uint64_t whole(std::uint64_t least = 0,
                                    std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) const;

  // Throws BadJson that names this value: "PATH: WHY".
  [[noreturn]] void refuse(const std::string& why) const;

 private:
  const nlohmann::ordered_json* value_;
  std::string path_;  // empty: the whole document
};

}  // namespace taintgraph::props
