// Builds one line of JSON, member by member, with the commas where they belong. It knows nothing of traces.
#pragma once

#include <charconv>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "traces/internal/json_text.hpp"

namespace taintgraph::traces::internal {

class JsonLine {
 public:
  void open_object() { open('{'); }
  void close_object() { close('}'); }
  void open_list() { open('['); }
  void close_list() { close(']'); }

  // The name of the next member, whose value must follow. Requires: `name` needs no escaping.
  void key(std::string_view name) {
    comma();
    text_ += '"';
    text_ += name;
    text_ += "\":";
    comma_due_ = false;
  }
  void string(std::string_view value) {
    comma();
    append_json_string(text_, value);
  }
  void integer(std::uint64_t value) {
    comma();
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    text_.append(digits, end);
  }
  void hex(std::span<const std::uint8_t> bytes) {
    comma();
    text_ += '"';
    append_hex(text_, bytes);
    text_ += '"';
  }
  // Members that are JSON text already; may be empty.
  void members(std::string_view json) {
    if (json.empty()) return;
    comma();
    text_ += json;
  }

  void member(std::string_view name, std::string_view value) {
    key(name);
    string(value);
  }
  void member(std::string_view name, std::uint64_t value) {
    key(name);
    integer(value);
  }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  void comma() {
    if (comma_due_) text_ += ',';
    comma_due_ = true;
  }
  void open(char bracket) {
    comma();
    text_ += bracket;
    comma_due_ = false;
  }
  void close(char bracket) {
    text_ += bracket;
    comma_due_ = true;
  }

  std::string text_;
  bool comma_due_ = false;
};

}  // namespace taintgraph::traces::internal
