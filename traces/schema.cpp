#include "traces/schema.hpp"

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "gpu/fault_table.hpp"
#include "gpu/kernel_info.hpp"
#include "traces/fault_target.hpp"
#include "traces/internal/format_words.hpp"
#include "traces/internal/op_table.hpp"
#include "traces/internal/spelling.hpp"
#include "traces/internal/value_reader.hpp"

namespace taintgraph::traces {
namespace {

using Json = nlohmann::ordered_json;
using internal::Field;
using internal::FieldSet;
using internal::OpRow;

Json defined(std::string_view name) { return {{"$ref", "#/$defs/" + std::string(name)}}; }
Json text() { return {{"type", "string"}}; }
Json list_of(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }
Json constant(std::string_view word) { return {{"const", word}}; }

Json whole_number(std::uint64_t min, std::uint64_t max) {
  return {{"type", "integer"}, {"minimum", min}, {"maximum", max}};
}
Json whole_number() { return whole_number(0, ~std::uint64_t{0}); }

template <class Value, std::size_t count>
Json one_of(const std::array<internal::Spelling<Value>, count>& words) {
  Json names = Json::array();
  for (const auto& spelling : words) names.push_back(spelling.word);
  return {{"enum", names}};
}

// An object of these members, and any whose name begins with "x-".
Json object_of(Json properties, Json required = Json::array()) {
  Json object = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) object["required"] = std::move(required);
  object["patternProperties"] = {{"^x-", true}};
  object["additionalProperties"] = false;
  return object;
}

// Exactly these elements, in this order.
Json tuple(Json elements) {
  const std::size_t count = elements.size();
  return {{"type", "array"}, {"prefixItems", std::move(elements)}, {"minItems", count}, {"maxItems", count}};
}

Json kernel_names() {
  Json names = Json::array();
  for (const gpu::KernelInfo& kernel : gpu::kernel_catalog()) names.push_back(kernel.name);
  return {{"enum", names}};
}

template <class Wanted>
Json fault_names(Wanted wanted) {
  Json names = Json::array();
  for (const gpu::FaultRow& row : gpu::fault_table()) {
    if (wanted(row)) names.push_back(row.name);
  }
  return {{"enum", names}};
}

Json call_names() {
  Json names = Json::array();
  for (std::size_t i = 1; i < gpu::kCallCount; ++i) names.push_back(gpu::to_string(static_cast<gpu::Call>(i)));
  return {{"enum", names}};
}

Json class_names() {
  Json names = Json::array();
  for (int i = 0; i < static_cast<int>(sim::CallClass::other); ++i) {
    names.push_back(sim::to_string(static_cast<sim::CallClass>(i)));
  }
  return {{"enum", names}};
}

// The members of every fault, and the rule that only a sticky kind can be asynchronous.
Json fault_members(Json kind) {
  return {{"kind", std::move(kind)},
          {"when", one_of(internal::kWhenWords)},
          {"bytes_done", defined("number")},
          {"surface", object_of({{"after_calls", defined("number")}}, {"after_calls"})}};
}

Json with_async_rule(Json object) {
  object["if"] = {{"properties", {{"when", {{"const", "async"}}}}}, {"required", {"when"}}};
  object["then"] = {{"properties", {{"kind", fault_names([](const gpu::FaultRow& row) { return row.sticky; })}}}};
  return object;
}

// The rule that a driver's call and a compiler's answer with errors of their own.
Json with_library_rule(Json object) {
  const auto rule = [](std::string_view calls, gpu::Call one_of_them) -> Json {
    const Json kinds = fault_names([&](const gpu::FaultRow& row) { return may_strike(one_of_them, row.kind); });
    return {{"if", {{"properties", {{"call", {{"pattern", calls}}}}}, {"required", {"call"}}}},
            {"then", {{"properties", {{"kind", kinds}}}}}};
  };
  object["allOf"] = {rule("^cu", gpu::Call::cuInit), rule("^nvrtc", gpu::Call::nvrtcVersion)};
  return object;
}

Json planned_fault() {
  Json members = {{"id", defined("name")},     {"call", call_names()},        {"class", class_names()},
                  {"kernel", kernel_names()},  {"stream", defined("stream")}, {"op", defined("name")},
                  {"skip", defined("number")}, {"count", defined("number")},  {"mode", one_of(internal::kModeWords)}};
  members["one_in"] = whole_number(1, ~std::uint64_t{0});
  members.update(fault_members(defined("fault_kind")));
  return with_library_rule(with_async_rule(object_of(std::move(members), {"kind"})));
}

Json call_fault() {
  Json members = {{"call", call_names()}, {"nth", whole_number(1, ~std::uint64_t{0})}};
  members.update(fault_members(defined("fault_kind")));
  return with_library_rule(with_async_rule(object_of(std::move(members), {"call", "kind"})));
}

Json header() {
  const Json device = object_of({{"memory", defined("number")},
                                 {"streams", whole_number(1, internal::kMaxStreams)},
                                 {"alignment", whole_number(1, internal::kMaxAlignmentBytes)},
                                 {"pool", one_of(internal::kPoolWords)},
                                 {"allocator", one_of(internal::kAllocatorWords)},
                                 {"page", whole_number(1, ~std::uint64_t{0})},
                                 {"init", one_of(internal::kInitWords)},
                                 {"surfacing", one_of(internal::kSurfacingWords)}});
  return object_of({{"format", constant(internal::kFormatName)},
                    {"version", {{"const", internal::kFormatVersion}}},
                    {"name", text()},
                    {"note", text()},
                    {"seed", defined("number")},
                    {"device", device},
                    {"faults", list_of(defined("planned_fault"))},
                    {"requires", {{"type", "array"}, {"maxItems", 0}}},
                    {"ops", list_of(defined("operation"))}},
                   {"format", "version"});
}

Json expectation() {
  return object_of({{"outcome", one_of(internal::kOutcomeWords)},
                    {"bytes", defined("hex")},
                    {"fill", defined("byte")},
                    {"roots", list_of(defined("name"))},
                    {"via", list_of(defined("name"))},
                    {"error", fault_names([](const gpu::FaultRow&) { return true; })}});
}

Json field(Field field) {
  switch (field) {
    case Field::id:
      return {{"allOf", {defined("name"), {{"pattern", "^[^#]"}}}}};
    case Field::buffer:
    case Field::graph:
      return defined("name");
    case Field::size:
    case Field::deadline:
    case Field::failures:
    case Field::tags:
    case Field::pages:
    case Field::bytes_in_use:
    case Field::operations:
      return defined("number");
    case Field::to:
      return defined("ref");
    case Field::from:
      return {{"anyOf", {defined("ref"), list_of(defined("ref"))}}};
    case Field::reads:
    case Field::writes:
    case Field::clean:
      return list_of(defined("ref"));
    case Field::fill:
      return defined("byte");
    case Field::bytes:
      return defined("hex");
    case Field::kernel:
      return kernel_names();
    case Field::args:
      return {{"type", "object"}};
    case Field::stream:
    case Field::on:
      return defined("stream");
    case Field::mode:
      return one_of(internal::kCleanupWords);
    case Field::claimed:
      return list_of(tuple({defined("ref"), defined("name")}));
    case Field::fault:
      return defined("fault");
    case Field::expect:
      return defined("expectation");
    case Field::fired:
      return list_of(defined("call_fault"));
    case Field::schedule:
      return list_of(defined("stream"));
    case Field::fingerprint:
      return {{"type", "string"}, {"pattern", "^[0-9a-fA-F]{16}$"}};
    default:
      return text();
  }
}

// For each kernel: which argument it takes.
Json kernel_arguments() {
  Json rules = Json::array();
  for (const gpu::KernelInfo& kernel : gpu::kernel_catalog()) {
    Json then;
    if (kernel.scalar.empty()) {
      then = {{"properties", {{"args", object_of(Json::object())}}}};
    } else {
      const std::string scalar(kernel.scalar);
      then = {{"properties", {{"args", object_of({{scalar, whole_number(0, kernel.scalar_max)}}, {scalar})}}},
              {"required", {"args"}}};
    }
    rules.push_back({{"if", {{"properties", {{"kernel", constant(kernel.name)}}}}}, {"then", then}});
  }
  return rules;
}

Json operation(const OpRow& op) {
  Json properties = Json::object();
  Json required = Json::array();
  for (std::size_t i = 0; i < internal::kFieldCount; ++i) {
    const auto each = static_cast<Field>(i);
    const std::string name(internal::name_of(each));
    if (internal::has(op.allowed, each)) properties[name] = each == Field::op ? constant(op.name) : field(each);
    if (internal::has(op.required, each)) required.push_back(name);
  }
  if (op.kind == OpKind::copy) properties["from"] = defined("ref");
  if (op.kind == OpKind::launch) properties["fault"] = defined("launch_fault");
  Json schema = object_of(std::move(properties), std::move(required));
  if (op.kind == OpKind::write) schema["oneOf"] = {{{"required", {"fill"}}}, {{"required", {"bytes"}}}};
  if (op.kind == OpKind::launch) schema["allOf"] = kernel_arguments();
  return schema;
}

Json operations() {
  Json all = Json::array();
  for (const OpRow& op : internal::op_table()) all.push_back(operation(op));
  return {{"oneOf", all}};
}

// A fault of an operation: its kind alone, or an object.
Json fault_of(std::string_view kinds) {
  return {{"anyOf", {defined(kinds), with_async_rule(object_of(fault_members(defined(kinds)), {"kind"}))}}};
}

// What may strike an operation of this kind.
Json kinds_on(OpKind operation) {
  return fault_names([=](const gpu::FaultRow& row) { return row.injectable && may_stand_on(operation, row.kind); });
}

Json definitions() {
  const Json range = tuple({defined("name"), defined("number"), defined("number")});
  return {{"name", {{"type", "string"}, {"minLength", 1}, {"maxLength", internal::kMaxNameBytes}}},
          {"number", whole_number()},
          {"byte", whole_number(0, 255)},
          {"stream", whole_number(0, 0xFFFFFFFF)},
          {"hex", {{"type", "string"}, {"pattern", "^([0-9a-fA-F]{2})*$"}}},
          {"ref", {{"anyOf", {defined("name"), range}}}},
          {"fault_kind", kinds_on(OpKind::launch)},
          {"driver_fault_kind", kinds_on(OpKind::alloc)},
          {"launch_fault", fault_of("fault_kind")},
          {"fault", fault_of("driver_fault_kind")},
          {"planned_fault", planned_fault()},
          {"call_fault", call_fault()},
          {"expectation", expectation()},
          {"header", header()},
          {"operation", operations()}};
}

}  // namespace

std::string schema_text() {
  const Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                       {"title", "taintgraph trace"},
                       {"description", "A line of a trace in JSON Lines, or a trace as one document"},
                       {"anyOf", {defined("header"), defined("operation")}},
                       {"$defs", definitions()}};
  return schema.dump(2) + "\n";
}

}  // namespace taintgraph::traces
