#include "props/regressions.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "props/expectation_judge.hpp"
#include "traces/reader.hpp"

namespace taintgraph::props {
namespace {

struct NamedProgram {
  std::string path;
  traces::Program program;
};

tl::expected<std::vector<std::string>, std::string> traces_in(const std::string& folder) {
  std::error_code error;
  std::filesystem::directory_iterator at(folder, error);
  std::vector<std::string> paths;
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    if (at->path().extension() != ".jsonl") continue;
    std::error_code unknown;  // what cannot be looked at is none
    if (!at->is_regular_file(unknown)) return tl::make_unexpected(at->path().string() + ": is no regular file");
    paths.push_back(at->path().string());
  }
  if (error) return tl::make_unexpected(folder + ": " + error.message());
  std::sort(paths.begin(), paths.end());
  return paths;
}

tl::expected<std::vector<NamedProgram>, std::string> load(const std::string& folder) {
  const auto paths = traces_in(folder);
  if (!paths) return tl::make_unexpected(paths.error());
  std::vector<NamedProgram> programs;
  for (const std::string& path : *paths) {
    auto program = traces::load_program(path);
    if (!program) return tl::make_unexpected(traces::to_string(program.error().front(), path));
    programs.push_back({path, std::move(*program)});
  }
  return programs;
}

}  // namespace

tl::expected<RegressionRun, std::string> replay_regressions(const std::string& folder, Campaign& campaign,
                                                            const std::function<bool()>& interrupted) {
  const auto programs = load(folder);
  if (!programs) return tl::make_unexpected(programs.error());
  CampaignOptions options;
  options.limits = campaign.limits();
  Campaign expectations(options, judge_expectations);
  RegressionRun result;
  for (const NamedProgram& each : *programs) {
    if (interrupted()) break;
    ++result.traces;
    std::optional<Disagreement> disagreement = campaign.check_alone(each.program, {.twice = true}).disagreement;
    if (!disagreement) disagreement = expectations.check_alone(each.program, {}).disagreement;
    if (disagreement) result.failed.push_back({each.path, std::move(*disagreement)});
  }
  return result;
}

}  // namespace taintgraph::props
