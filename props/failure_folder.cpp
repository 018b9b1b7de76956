#include "props/failure_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>
#include <utility>

#include "props/expectations.hpp"
#include "props/order_search.hpp"
#include "props/removal.hpp"
#include "traces/writer.hpp"

namespace taintgraph::props {
namespace {

using traces::Program;

Program first_operations(const Program& program, std::uint64_t count) {
  Program result = program;
  if (count < result.operations.size()) result.operations.resize(static_cast<std::size_t>(count));
  return result;
}

// The first character says whether the rest is a picture or the reason why there is none.
constexpr char kDrawn = '+';
constexpr char kNotDrawn = '-';

std::string drawn_text(const Program& program, const GraphRenderer& render, const Judge& judge) {
  CheckOptions options;
  options.keep_snapshot = true;
  const CheckedRun run = judge(program, options);
  if (!run.snapshot) return std::string(1, kNotDrawn) + "the program could not be run";
  auto picture = render(*run.snapshot);
  return picture ? kDrawn + *picture : kNotDrawn + picture.error();
}

}  // namespace

std::string trace_text(const Program& program) {
  std::ostringstream text;
  traces::write_program(text, without_idle_faults(with_all_buffers_allocated(program)));
  return text.str();
}

std::string expecting_text(const Program& program, std::uint64_t step, Campaign& campaign) {
  const auto with_first = [&](std::uint64_t count) {
    return campaign.isolated([&] {
      CheckOptions options;
      options.keep_predictions = true;
      const CheckedRun run = campaign.judge()(first_operations(program, count), options);
      return trace_text(with_schedules(with_expectations(program, run.predictions), run.schedules));
    });
  };
  if (auto text = with_first(step)) return *text;
  if (auto text = with_first(step > 0 ? step - 1 : 0)) return *text;
  return trace_text(program);
}

FailureFolder::FailureFolder(const std::string& parent, std::uint64_t seed, std::size_t number) {
  std::filesystem::path path = std::filesystem::path(parent) / std::to_string(seed);
  if (number > 1) path /= std::to_string(number);
  path_ = path.string();
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) error_ = path_ + ": " + error.message();
  for (const char* name : {"trace.jsonl", "shrunk.jsonl", "graph.svg", "run.json"}) {
    std::error_code ignored;  // what cannot be removed cannot be replaced either, and that is said
    std::filesystem::remove(path / name, ignored);
  }
}

tl::expected<void, std::string> FailureFolder::write_program(const std::string& name, const Program& program,
                                                             std::uint64_t step, Campaign& campaign) const {
  return traces::write_file_whole(path_ + "/" + name, expecting_text(program, step, campaign));
}

tl::expected<void, std::string> FailureFolder::write_graph(const Program& program, std::uint64_t step,
                                                           const GraphRenderer& render, Campaign& campaign) const {
  if (!render) return tl::make_unexpected(std::string("graph.svg: nothing here can draw"));
  const auto draw = [&](std::uint64_t count) {
    return campaign.isolated([&] { return drawn_text(first_operations(program, count), render, campaign.judge()); });
  };
  auto text = draw(step);
  if (!text && step > 0) text = draw(step - 1);
  if (!text) return tl::make_unexpected("graph.svg: " + text.error().text());
  if (text->empty() || text->front() != kDrawn) {
    return tl::make_unexpected("graph.svg: " + (text->empty() ? "no picture" : text->substr(1)));
  }
  return traces::write_file_whole(path_ + "/graph.svg", std::string_view(*text).substr(1));
}

tl::expected<void, std::string> FailureFolder::write_record(const FailureRecord& record) const {
  nlohmann::ordered_json json;
  json["seed"] = record.seed;
  json["case"] = record.case_number;
  json["ops_option"] = record.operations_option;
  json["signature"] = record.signature;
  json["failing_cases"] = record.failing_cases;
  json["first_case"] = record.first_case;
  json["property"] = record.disagreement.property;
  json["step"] = record.disagreement.step;
  json["operation"] = record.disagreement.operation;
  json["expected"] = record.disagreement.expected;
  json["found"] = record.disagreement.found;
  json["operations"] = record.operations;
  json["shrunk_operations"] = record.shrunk_operations;
  json["shrink_runs"] = record.shrink_runs;
  json["shrink_finished"] = record.shrink_finished;
  json["reproduce"] = record.command;
  const std::string text = json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  return traces::write_file_whole(path_ + "/run.json", text);
}

}  // namespace taintgraph::props
