// The schema is tried with a small judge of the few keywords that it uses: on every line of the corpus, and on lines
// that the reader refuses too.

#include "traces/schema.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "traces/operation.hpp"
#include "traces/reader.hpp"

namespace taintgraph::traces {
namespace {

using Json = nlohmann::json;

class Judge {
 public:
  explicit Judge(Json root) : root_(std::move(root)) {}

  bool holds(const Json& value) const { return holds(root_, value); }
  const Json& root() const { return root_; }

 private:
  bool holds(const Json& schema, const Json& value) const {
    if (schema.is_boolean()) return schema.get<bool>();
    for (const auto& [keyword, rule] : schema.items()) {
      if (!keyword_holds(keyword, rule, schema, value)) return false;
    }
    return true;
  }

  std::size_t count(const Json& schemas, const Json& value) const {
    return static_cast<std::size_t>(
        std::count_if(schemas.begin(), schemas.end(), [&](const Json& one) { return holds(one, value); }));
  }

  bool keyword_holds(const std::string& keyword, const Json& rule, const Json& schema, const Json& value) const {
    if (keyword == "$ref") return holds(root_.at(Json::json_pointer(rule.get<std::string>().substr(1))), value);
    if (keyword == "anyOf") return count(rule, value) > 0;
    if (keyword == "oneOf") return count(rule, value) == 1;
    if (keyword == "allOf") return count(rule, value) == rule.size();
    if (keyword == "if") return !holds(rule, value) || holds(schema.at("then"), value);
    if (keyword == "const") return value == rule;
    if (keyword == "enum") return std::find(rule.begin(), rule.end(), value) != rule.end();
    if (keyword == "type") return is_of(rule.get<std::string>(), value);
    if (value.is_number()) return number_holds(keyword, rule, value);
    if (value.is_string()) return string_holds(keyword, rule, value.get<std::string>());
    if (value.is_array()) return array_holds(keyword, rule, value);
    if (value.is_object()) return object_holds(keyword, rule, schema, value);
    return true;
  }

  static bool is_of(const std::string& type, const Json& value) {
    if (type == "integer") return value.is_number_integer();
    if (type == "string") return value.is_string();
    if (type == "array") return value.is_array();
    EXPECT_EQ(type, "object");
    return value.is_object();
  }
  static bool number_holds(const std::string& keyword, const Json& rule, const Json& value) {
    if (keyword == "minimum") return value >= rule;
    if (keyword == "maximum") return value <= rule;
    return true;
  }
  static bool string_holds(const std::string& keyword, const Json& rule, const std::string& value) {
    if (keyword == "minLength") return value.size() >= rule;
    if (keyword == "maxLength") return value.size() <= rule;
    if (keyword == "pattern") return std::regex_search(value, std::regex(rule.get<std::string>()));
    return true;
  }
  bool array_holds(const std::string& keyword, const Json& rule, const Json& value) const {
    if (keyword == "minItems") return value.size() >= rule;
    if (keyword == "maxItems") return value.size() <= rule;
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (keyword == "items" && !holds(rule, value[i])) return false;
      if (keyword == "prefixItems" && i < rule.size() && !holds(rule[i], value[i])) return false;
    }
    return true;
  }
  bool object_holds(const std::string& keyword, const Json& rule, const Json& schema, const Json& value) const {
    if (keyword == "required") {
      return std::all_of(rule.begin(), rule.end(), [&](const Json& name) { return value.contains(name); });
    }
    for (const auto& [name, member] : value.items()) {
      if (keyword == "properties" && rule.contains(name) && !holds(rule[name], member)) return false;
      const bool known = schema.contains("properties") && schema["properties"].contains(name);
      if (keyword == "additionalProperties" && !known && name.substr(0, 2) != "x-") return false;
    }
    return true;
  }

  Json root_;
};

Judge schema() { return Judge(Json::parse(schema_text())); }

TEST(Schema, HoldsForTheCorpus) {
  const Judge judge = schema();
  std::size_t lines = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TAINTGRAPH_SCENARIOS)) {
    std::ifstream file(entry.path());
    Json document;
    for (std::string line; std::getline(file, line); ++lines) {
      const Json value = Json::parse(line);
      EXPECT_TRUE(judge.holds(value)) << entry.path() << "\n" << line;
      if (document.is_null()) {
        document = value;
      } else {
        document["ops"].push_back(value);
      }
    }
    EXPECT_TRUE(judge.holds(document)) << entry.path();
  }
  EXPECT_GT(lines, 400U);
}

TEST(Schema, RefusesWhatTheReaderRefuses) {
  const Judge judge = schema();
  const std::string good =
      R"({"op":"launch","kernel":"scale","reads":[["A",0,8]],"writes":["A"],"args":{"by":2},"fault":"compile_error"})";
  ASSERT_TRUE(judge.holds(Json::parse(good)));
  const std::vector<std::string> bad = {
      R"({"op":"launch","kernel":"scale","writes":["A"]})",
      R"({"op":"launch","kernel":"scale","writes":["A"],"args":{"by":256}})",
      R"({"op":"launch","kernel":"iota","writes":["A"],"args":{"by":2}})",
      R"({"op":"launch","kernel":"sort","writes":["A"]})",
      R"({"op":"launch","kernel":"noop","writes":"A"})",
      R"({"op":"alloc","buffer":"A"})",
      R"({"op":"alloc","buffer":"","size":1})",
      R"({"op":"alloc","buffer":"A","size":-1})",
      R"({"op":"alloc","buffer":"A","size":1,"to":"A"})",
      R"({"op":"write","to":"A"})",
      R"({"op":"write","to":"A","fill":1,"bytes":"00"})",
      R"({"op":"write","to":"A","fill":256})",
      R"({"op":"write","to":"A","bytes":"0"})",
      R"({"op":"read","from":["A",0]})",
      R"({"op":"copy","from":["A","B"],"to":"A"})",
      R"({"op":"free","buffer":"A","fault":"unknown"})",
      R"({"op":"sync","fault":"not_ready"})",
      R"({"op":"sync","fault":{"kind":"not_found","when":"async"}})",
      R"({"op":"sync","fault":"compile_error"})",
      R"({"op":"alloc","buffer":"B","size":1,"fault":{"kind":"compile_error"}})",
      R"({"op":"sync","id":"#1"})",
      R"({"op":"sync","expect":{"outcome":"fine"}})",
      R"({"op":"sync","schedule":[-1]})",
      R"({"op":"sink"})",
      R"({"op":"end","operations":0,"fingerprint":"0"})",
      R"({"format":"taintgraph-trace","version":2})",
      R"({"format":"taintgraph-trace","version":1,"device":{"streams":0}})",
      R"({"format":"taintgraph-trace","version":1,"requires":["more"]})",
      R"({"format":"taintgraph-trace","version":1,"faults":[{"call":"cuFly","kind":"unknown"}]})",
      R"({"format":"taintgraph-trace","version":1,"faults":[{"call":"cuMemAlloc","kind":"compile_error"}]})",
      R"({"format":"taintgraph-trace","version":1,"faults":[{"call":"nvrtcVersion","kind":"unknown"}]})",
  };
  for (const std::string& line : bad) {
    EXPECT_FALSE(judge.holds(Json::parse(line))) << line;
    const std::string before =
        line.find("format") == std::string::npos
            ? R"({"format":"taintgraph-trace","version":1,"ops":[{"op":"alloc","buffer":"A","size":8},)"
            : "";
    EXPECT_FALSE(parse_program(before + line + (before.empty() ? "" : "]}")).has_value()) << line;
  }
}

TEST(Schema, HasEveryOperation) {
  const Judge judge = schema();
  const Json& operations = judge.root()["$defs"]["operation"]["oneOf"];
  EXPECT_EQ(operations.size(), kOpKindCount + 1);  // and the closing line
  for (const Json& operation : operations) {
    const std::string name = operation["properties"]["op"]["const"];
    EXPECT_TRUE(name == "end" || op_from_string(name).has_value()) << name;
  }
}

}  // namespace
}  // namespace taintgraph::traces
