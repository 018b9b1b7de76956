#include "props/json_field.hpp"

#include <algorithm>

namespace taintgraph::props {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostShown = 40;  // bytes of a value that is refused

std::string shown(const Json& value) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() <= kMostShown) return text;
  return "a larger value";
}

}  // namespace

Json parse_json(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const std::string_view before = text.substr(0, std::min(text.size(), error.byte > 0 ? error.byte - 1 : 0));
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
    throw BadJson("is no JSON from line " + std::to_string(line) + ", column " + std::to_string(column) + " on");
  }
}

void JsonField::refuse(const std::string& why) const { throw BadJson(path_.empty() ? why : path_ + ": " + why); }

JsonField JsonField::at(std::string_view key) const {
  if (!value_->is_object()) refuse("is " + shown(*value_) + "; expected an object");
  const std::string path = (path_.empty() ? "" : path_ + ".") + std::string(key);
  const auto found = value_->find(std::string(key));
  if (found == value_->end()) throw BadJson(path + ": is missing");
  return JsonField(*found, path);
}

std::vector<std::pair<std::string, JsonField>> JsonField::fields() const {
  if (!value_->is_object()) refuse("is " + shown(*value_) + "; expected an object");
  std::vector<std::pair<std::string, JsonField>> result;
  for (const auto& [key, value] : value_->items()) result.emplace_back(key, at(key));
  return result;
}

std::vector<JsonField> JsonField::items() const {
  if (!value_->is_array()) refuse("is " + shown(*value_) + "; expected a list");
  std::vector<JsonField> result;
  for (const Json& each : *value_) result.emplace_back(each, path_ + "[" + std::to_string(result.size()) + "]");
  return result;
}

bool JsonField::flag() const {
  if (!value_->is_boolean()) refuse("is " + shown(*value_) + "; expected true or false");
  return value_->get<bool>();
}

std::string JsonField::text() const {
  if (!value_->is_string()) refuse("is " + shown(*value_) + "; expected a text");
  return value_->get<std::string>();
}

std::vector<std::string> JsonField::texts() const {
  std::vector<std::string> result;
  for (const JsonField& each : items()) result.push_back(each.text());
  return result;
}

std::uint64_t JsonField::whole(std::uint64_t least, std::uint64_t most) const {
  // What is signed or floating was written with a sign, a point, an exponent or too many digits.
  const bool fits =
      value_->is_number_unsigned() && value_->get<std::uint64_t>() >= least && value_->get<std::uint64_t>() <= most;
  if (!fits) {
    refuse("is " + shown(*value_) + "; expected a whole number from " + std::to_string(least) + " to " +
           std::to_string(most));
  }
  return value_->get<std::uint64_t>();
}

}  // namespace taintgraph::props
