#include "props/campaign.hpp"

#include <algorithm>
#include <utility>

#include "props/packet.hpp"
#include "props/random.hpp"
#include "traces/writer.hpp"

namespace taintgraph::props {
namespace {

constexpr std::uint64_t kValidateOneIn = 100;  // cases: the structures' own validation costs many times the run

void put(Packer& packer, const std::optional<Disagreement>& disagreement) {
  packer.put(disagreement.has_value());
  if (!disagreement) return;
  packer.put(disagreement->property);
  packer.put(disagreement->step);
  packer.put(disagreement->kind);
  packer.put(disagreement->operation);
  packer.put(disagreement->expected);
  packer.put(disagreement->found);
}

void get(Unpacker& unpacker, std::optional<Disagreement>& disagreement) {
  bool present = false;
  unpacker.get(present);
  if (!present) return;
  disagreement.emplace();
  unpacker.get(disagreement->property);
  unpacker.get(disagreement->step);
  unpacker.get(disagreement->kind);
  unpacker.get(disagreement->operation);
  unpacker.get(disagreement->expected);
  unpacker.get(disagreement->found);
}

// The line that says most about a crash: the last that is not empty, or the first that says ERROR or CHECK.
std::string telling_line(const std::string& text) {
  std::string last;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    if (line.find("ERROR") != std::string::npos || line.find("CHECK") != std::string::npos ||
        line.find("runtime error") != std::string::npos) {
      return line;
    }
    if (!line.empty()) last = line;
    begin = end + 1;
  }
  return last;
}

// A child that died, as a disagreement at the operation that it was executing.
Verdict verdict_of(const Death& death, const traces::Program& program, std::uint64_t step) {
  Verdict verdict;
  verdict.hung = death.how == Death::How::by_stalling;
  Disagreement& disagreement = verdict.disagreement.emplace();
  disagreement.property = verdict.hung ? "hang" : "crash";
  disagreement.step = step;
  if (step > 0 && step <= program.operations.size()) {
    const traces::Operation& operation = program.operations[static_cast<std::size_t>(step - 1)];
    disagreement.kind = operation.kind;
    disagreement.operation = traces::operation_line(operation, program.names);
  }
  disagreement.expected = "the program goes on";
  disagreement.found = death.text();
  if (const std::string line = telling_line(death.stderr_tail); !line.empty()) disagreement.found += ": " + line;
  return verdict;
}

}  // namespace

void Totals::add(std::uint64_t case_number, const CheckedRun& run) {
  ++cases;
  operations += run.operations;
  faults += run.faults;
  fingerprint += mix(case_number, run.fingerprint);
  features.add(run.features);
  cells.add(run.cells);
}

void Totals::add(const Totals& other) {
  cases += other.cases;
  operations += other.operations;
  faults += other.faults;
  fingerprint += other.fingerprint;
  features.add(other.features);
  cells.add(other.cells);
}

Campaign::Campaign(CampaignOptions options, Judge judge) : options_(std::move(options)), judge_(std::move(judge)) {}

tl::expected<std::string, Death> Campaign::isolated(const std::function<std::string()>& work) {
  return run_isolated(work, progress_, options_.stall_limit);
}

traces::Program Campaign::program(std::uint64_t case_number) const {
  traces::Program drawn = generate(options_.seed, case_number, options_.generator);
  if (options_.form) options_.form(drawn);
  return drawn;
}

// Totals are kept in shared memory by nobody: a child that dies takes its batch's with it, and the cases before the one
// that died are run again.
BatchResult Campaign::run(std::uint64_t first, std::uint64_t count) {
  progress_.set_case(first);
  const auto output = isolated([&] { return run_in_child(first, count); });
  BatchResult result;
  if (!output) {
    const std::uint64_t died = progress_.case_number();
    const std::uint64_t step = progress_.step();
    if (died > first) result.totals = run(first, died - first).totals;
    result.failed = died;
    result.verdict = verdict_of(output.error(), program(died), step);
    return result;
  }
  Unpacker unpacker(*output);
  bool failed = false;
  std::uint64_t failed_case = 0;
  unpacker.get(result.totals);
  unpacker.get(failed);
  unpacker.get(failed_case);
  unpacker.get(result.verdict.fingerprint);
  get(unpacker, result.verdict.disagreement);
  if (failed) result.failed = failed_case;
  return result;
}

std::string Campaign::run_in_child(std::uint64_t first, std::uint64_t count) {
  Totals totals;
  CheckedRun run;
  std::uint64_t case_number = first;
  CheckOptions options;
  options.before_step = [this](std::uint64_t ordinal) { progress_.set_step(ordinal); };
  for (; case_number < first + count; ++case_number) {
    if (options_.stopped && options_.stopped()) break;
    progress_.set_case(case_number);
    options.validate = validates(case_number);
    run = judge_(program(case_number), options);
    totals.add(case_number, run);
    if (run.disagreement) break;
  }
  Packer packer;
  packer.put(totals);
  packer.put(run.disagreement.has_value());
  packer.put(case_number);
  packer.put(run.fingerprint);
  put(packer, run.disagreement);
  return packer.take();
}

bool Campaign::validates(std::uint64_t case_number) { return case_number % kValidateOneIn == 0; }

Verdict Campaign::check_alone(const traces::Program& program, bool validate) {
  progress_.set_case(0);
  const auto work = [&] {
    CheckOptions options;
    options.validate = validate;
    options.before_step = [this](std::uint64_t ordinal) { progress_.set_step(ordinal); };
    const CheckedRun run = judge_(program, options);
    Packer packer;
    packer.put(run.fingerprint);
    put(packer, run.disagreement);
    return packer.take();
  };
  const auto output = isolated(work);
  if (!output) return verdict_of(output.error(), program, progress_.step());
  Verdict verdict;
  Unpacker unpacker(*output);
  unpacker.get(verdict.fingerprint);
  get(unpacker, verdict.disagreement);
  return verdict;
}

}  // namespace taintgraph::props
