#include "props/campaign.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "props/packet.hpp"
#include "props/random.hpp"
#include "props/signature.hpp"
#include "traces/writer.hpp"

namespace taintgraph::props {
namespace {

constexpr std::uint64_t kTwiceOneIn = 20;  // a second run costs as much as the first
constexpr std::uint64_t kTwiceSalt = 0x74776963;

void put(Packer& packer, const std::optional<Disagreement>& disagreement) {
  packer.put(disagreement.has_value());
  if (disagreement) put(packer, *disagreement);
}

void get(Unpacker& unpacker, std::optional<Disagreement>& disagreement) {
  bool present = false;
  unpacker.get(present);
  if (present) get(unpacker, disagreement.emplace());
}

// The line that says most about a crash: the last that is not empty, or the first that says ERROR or CHECK.
std::string telling_line(const std::string& text) {
  std::string last;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    if (line.find("ERROR") != std::string::npos || line.find("CHECK") != std::string::npos ||
        line.find("runtime error") != std::string::npos) {
      return line;
    }
    if (!line.empty()) last = line;
    begin = end + 1;
  }
  return last;
}

const char* property_of(Death::How how) {
  if (how == Death::How::by_stalling) return kHangProperty;
  return how == Death::How::by_memory ? kMemoryProperty : kCrashProperty;
}

// A child that died, as a disagreement at the operation that it was executing.
Disagreement disagreement_of(const Death& death, const traces::Program& program, std::uint64_t step) {
  Disagreement disagreement;
  disagreement.property = property_of(death.how);
  disagreement.step = step;
  if (step > 0 && step <= program.operations.size()) {
    const traces::Operation& operation = program.operations[static_cast<std::size_t>(step - 1)];
    disagreement.kind = operation.kind;
    disagreement.operation = traces::operation_line(operation, program.names);
  }
  disagreement.expected = "the program goes on";
  disagreement.found = death.text();
  if (const std::string line = telling_line(death.stderr_tail); !line.empty()) disagreement.found += ": " + line;
  return disagreement;
}

CheckedRun judged(const Judge& judge, const std::function<traces::Program()>& make, const Scrutiny& scrutiny,
                  SharedProgress& progress) {
  CheckOptions options;
  options.before_step = [&progress](std::uint64_t ordinal) { progress.set_step(ordinal); };
  return scrutiny.twice ? judge_twice(judge, make, options) : judge(make(), options);
}

}  // namespace

Campaign::Campaign(CampaignOptions options, Judge judge) : options_(std::move(options)), judge_(std::move(judge)) {}

tl::expected<std::string, Death> Campaign::isolated(const std::function<std::string()>& work,
                                                    std::optional<std::chrono::milliseconds> stall) {
  ChildLimits limits = options_.limits;
  if (stall && limits.stall.count() > 0) {
    limits.one_case = limits.one_case * stall->count() / limits.stall.count();
    limits.stall = *stall;
  }
  auto output = run_isolated(work, progress_, limits, options_.interrupted);
  if (!output) require_started(output.error());
  return output;
}

traces::Program Campaign::program(std::uint64_t case_number) const {
  if (options_.source) return options_.source(case_number);
  traces::Program drawn = generate(options_.seed, case_number, options_.generator);
  if (options_.form) options_.form(drawn);
  return drawn;
}

// Spread by hashing, so that no way to deal the cases gives one shard all the costly ones.
Scrutiny Campaign::scrutiny_of(std::uint64_t case_number) const {
  return {.twice = options_.twice && mix(case_number, kTwiceSalt) % kTwiceOneIn == 0};
}

bool Campaign::goes_on(const Disagreement& disagreement) const {
  return options_.goes_on && options_.goes_on(signature_of(disagreement));
}

std::string Campaign::run_batch(const CaseDeal& deal, const Batch& batch, SharedProgress& progress) const {
  Totals totals;
  FailureGroups failures;
  bool stopped = false;
  std::uint64_t position = batch.begin;
  for (; position < batch.end && !stopped; ++position) {
    const std::uint64_t case_number = deal.number(position);
    progress.set_case(case_number);
    const CheckedRun run = judged(
        judge_, [&] { return program(case_number); }, scrutiny_of(case_number), progress);
    totals.add(case_number, run);
    if (!run.disagreement) continue;
    failures.add(case_number, *run.disagreement);
    stopped = !goes_on(*run.disagreement);
  }
  Packer packer;
  packer.put(position);
  packer.put(stopped);
  packer.put(totals);
  failures.put(packer);
  return packer.take();
}

BatchResult Campaign::result_of(std::string_view output, const Batch& batch) const {
  BatchResult result;
  result.run.begin = batch.begin;
  Unpacker unpacker(output);
  unpacker.get(result.run.end);
  unpacker.get(result.stopped);
  unpacker.get(result.totals);
  result.failures.get(unpacker);
  if (!unpacker.ok()) throw std::runtime_error("a child process returned half a result");
  return result;
}

BatchResult Campaign::result_of(const Death& death, std::uint64_t case_number, std::uint64_t step,
                                std::uint64_t position) const {
  require_started(death);
  const Disagreement disagreement = disagreement_of(death, program(case_number), step);
  BatchResult result;
  result.run = {position, position + 1};
  result.totals.cases = 1;
  result.failures.add(case_number, disagreement);
  result.stopped = !goes_on(disagreement);
  return result;
}

Verdict Campaign::check_alone(const traces::Program& program, const Scrutiny& scrutiny,
                              std::optional<std::chrono::milliseconds> stall) {
  progress_.set_case(0);
  const auto work = [&] {
    const CheckedRun run = judged(
        judge_, [&] { return program; }, scrutiny, progress_);
    Packer packer;
    packer.put(run.fingerprint);
    put(packer, run.disagreement);
    return packer.take();
  };
  const auto output = isolated(work, stall);
  Verdict verdict;
  if (!output && output.error().how == Death::How::interrupted) return verdict;
  if (!output) {
    verdict.disagreement = disagreement_of(output.error(), program, progress_.step());
    return verdict;
  }
  Unpacker unpacker(*output);
  unpacker.get(verdict.fingerprint);
  get(unpacker, verdict.disagreement);
  return verdict;
}

}  // namespace taintgraph::props
