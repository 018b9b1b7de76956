#include "props/shrink_command.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "props/campaign.hpp"
#include "props/exit_status.hpp"
#include "props/expectation_judge.hpp"
#include "props/failure_folder.hpp"
#include "props/failure_report.hpp"
#include "props/shrink.hpp"
#include "props/signature.hpp"
#include "traces/comparison.hpp"
#include "traces/interrupt.hpp"
#include "traces/path_option.hpp"
#include "traces/reader.hpp"
#include "traces/writer.hpp"

namespace taintgraph::props {
namespace {

using traces::NameId;
using traces::Program;

constexpr std::uint64_t kMemoryBytes = std::uint64_t{2} << 30;  // of a child; a trace needs far less

CampaignOptions campaign_options() {
  CampaignOptions options;
  options.limits.memory_bytes = kMemoryBytes;
  options.interrupted = traces::InterruptGuard::interrupted;
  return options;
}

// The operation that "#7" names, by an id of its own: numbers change as operations go.
void name_by_id(Program& program, NameId& name) {
  const std::string text = program.names.text(name);
  if (text.empty() || text.front() != '#') return;
  const std::size_t ordinal = std::stoull(text.substr(1));
  traces::Operation& operation = program.operations.at(ordinal - 1);
  std::string id = "op" + text.substr(1);
  while (operation.id == NameId::none && program.names.find(id)) id += "'";
  if (operation.id == NameId::none) operation.id = program.names.intern(id);
  name = operation.id;
}

void name_by_id(Program& program, traces::Annotations& annotations) {
  if (annotations.expect) {
    for (auto* names : {&annotations.expect->roots, &annotations.expect->via}) {
      if (!*names) continue;
      for (NameId& name : **names) name_by_id(program, name);
    }
  }
  if (!annotations.check) return;
  for (auto& [ref, root] : annotations.check->claimed) name_by_id(program, root);
}

// Without what is expected anywhere but at `kept` (an index; none if beyond the end), which is all that could hide the
// failure looked for behind another one of its kind.
Program expecting_only(Program program, std::size_t kept) {
  program.end.reset();  // the fingerprint of another run
  // Numbers are counted in the whole program, so names are settled before anything goes.
  if (kept < program.operations.size() && program.operations[kept].annotations) {
    traces::Annotations annotations = *program.operations[kept].annotations;
    name_by_id(program, annotations);
    program.operations[kept].annotations = std::make_shared<const traces::Annotations>(std::move(annotations));
  }
  std::vector<traces::Operation> operations;
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    traces::Operation& operation = program.operations[i];
    if (i != kept && operation.kind == traces::OpKind::check) continue;
    if (i != kept && operation.expect() != nullptr) {
      traces::Annotations annotations = *operation.annotations;
      annotations.expect.reset();
      operation.annotations = std::make_shared<const traces::Annotations>(std::move(annotations));
    }
    operations.push_back(std::move(operation));
  }
  program.operations = std::move(operations);
  return program;
}

std::string first_value(std::string_view hex) { return std::string(hex.substr(0, 2)); }

// Of bytes that are not what was expected, the first: "expected/found", in hex or, of a fill, in decimal first. Empty
// if none is shown.
std::string first_wrong_byte(const Disagreement& failure) {
  const std::string_view found = failure.found;
  if (failure.property == "expect fill") {
    const std::string wanted = traces::hex_text({static_cast<std::uint8_t>(std::stoul(failure.expected))});
    for (std::size_t at = 0; at + 1 < found.size() && found[at] != '.'; at += 2)
      if (found.substr(at, 2) != wanted) return wanted + "/" + first_value(found.substr(at));
    return {};
  }
  const std::string_view expected = failure.expected;
  const std::size_t shown = std::min(expected.size(), found.size());
  for (std::size_t at = 0; at + 1 < shown && found[at] != '.'; at += 2)
    if (found.substr(at, 2) != expected.substr(at, 2))
      return first_value(expected.substr(at)) + "/" + first_value(found.substr(at));
  return {};
}

class TraceShrinking {
 public:
  TraceShrinking(std::string output, std::ostream& out, std::ostream& err, const Judge& judge)
      : output_(std::move(output)),
        out_(out),
        err_(err),
        by_model_(campaign_options(), judge),
        by_expectations_(campaign_options(), judge_expectations) {}

  int run(const Program& program) {
    Program subject = program;
    Campaign* campaign = &by_expectations_;
    std::optional<Disagreement> failure = campaign->check_alone(program, {}).disagreement;
    if (failure) {
      subject = expecting_only(program, failure->step - std::min<std::uint64_t>(failure->step, 1));
    } else {
      campaign = &by_model_;
      subject = expecting_only(program, program.operations.size());
      failure = campaign->check_alone(subject, {}).disagreement;
    }
    if (traces::InterruptGuard::interrupted()) return say("interrupted before anything was found", kInconclusive);
    if (!failure) return say("the trace does not fail: what it expects holds, and the model agrees", kUsage);
    tell(err_, *failure);
    const std::string signature = signature_of(*failure);
    const std::string manner = manner_of(subject, *failure, *campaign);
    const FailureTest test = [&](const Program& candidate) { return needed(candidate, signature, manner, *campaign); };
    const std::optional<std::size_t> first = test(subject);
    if (!first && traces::InterruptGuard::interrupted())
      return say("interrupted before anything was left out", kInconclusive);
    if (!first) return say("the failure does not come again", kNotDeterministic);
    ShrinkOptions options;
    options.interrupted = [] { return traces::InterruptGuard::interrupted(); };
    const Shrunk shrunk = shrink(subject, *first, test, options);
    err_ << "shrunk from " << program.operations.size() << " to " << shrunk.program.operations.size()
         << " operations in " << shrunk.runs << " runs" << (shrunk.finished ? "" : ", stopped early") << '\n';
    campaign->ignore_interruptions();
    const bool is_hang = failure->property == kHangProperty;
    const std::uint64_t steps = shrunk.program.operations.size() - (is_hang ? 1 : 0);
    const int written =
        write(campaign == &by_model_ ? expecting_text(shrunk.program, steps, *campaign) : trace_text(shrunk.program));
    if (written != kAllHeld) return written;
    return shrunk.finished ? kAllHeld : kInconclusive;
  }

 private:
  // What else than the signature makes two failed expectations the same mismatch: how many operations are named, or
  // which byte stands for which; garbage, which another seed makes another, stands for itself.
  std::string manner_of(const Program& program, const Disagreement& failure, Campaign& campaign) {
    if (failure.property == "expect roots" || failure.property == "expect via")
      return failure.found == "[]" ? "none"
                                   : std::to_string(std::count(failure.found.begin(), failure.found.end(), ','));
    if (failure.property != "expect bytes" && failure.property != "expect fill") return {};
    const std::string wrong = first_wrong_byte(failure);
    Program otherwise = program;
    otherwise.header.seed ^= 1;
    const auto again = campaign.check_alone(otherwise, {}).disagreement;
    return again && first_wrong_byte(*again) == wrong ? wrong : "garbage";
  }

  // How many operations the candidate takes to fail so. One that cannot be written as a trace does not count: what it
  // expects may name an operation that is gone.
  std::optional<std::size_t> needed(const Program& candidate, const std::string& signature, const std::string& manner,
                                    Campaign& campaign) {
    if (!traces::parse_program(trace_text(candidate))) return std::nullopt;
    const auto disagreement = campaign.check_alone(candidate, {}).disagreement;
    if (!disagreement || signature_of(*disagreement) != signature) return std::nullopt;
    if (manner_of(candidate, *disagreement, campaign) != manner) return std::nullopt;
    const std::size_t size = candidate.operations.size();
    if (disagreement->step == 0) return size;
    return static_cast<std::size_t>(std::min<std::uint64_t>(disagreement->step, size));
  }

  int write(const std::string& text) {
    if (output_.empty()) {
      out_ << text << std::flush;
      return kAllHeld;
    }
    if (const auto written = traces::write_file_whole(output_, text); !written) {
      return say(written.error(), kInternalError);
    }
    return kAllHeld;
  }

  int say(const std::string& what, int status) {
    err_ << "taintgraph shrink: " << what << '\n';
    return status;
  }

  std::string output_;
  std::ostream& out_;
  std::ostream& err_;
  traces::InterruptGuard guard_;
  Campaign by_model_;
  Campaign by_expectations_;
};

}  // namespace

int shrink_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  return shrink_command(argc, argv, out, err, check);
}

int shrink_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err, const Judge& judge) {
  std::string path;
  std::string output;
  CLI::App app("Find the smallest trace that fails in the same way as the one given.", "taintgraph shrink");
  app.set_help_flag("-h,--help", "print this and leave");
  app.add_option("TRACE", path, "a trace of which something does not hold; - reads standard input")->required();
  app.add_option("-o,--out", output, "write the result here instead of to standard output")
      ->check(traces::not_empty())
      ->type_name("FILE");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    out << app.help();
    return kAllHeld;
  } catch (const CLI::ParseError& error) {
    err << "taintgraph shrink: " << error.what() << "\n\n" << app.help();
    return kUsage;
  }
  const auto program = traces::load_program(path);
  if (!program) {
    for (const traces::Problem& problem : program.error()) err << to_string(problem, path) << '\n';
    return kUsage;
  }
  return TraceShrinking(output, out, err, judge).run(*program);
}

}  // namespace taintgraph::props
