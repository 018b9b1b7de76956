// Session: what an operation gave, put in the trace's words.
#include <algorithm>
#include <utility>

#include "traces/internal/session_state.hpp"
#include "traces/session.hpp"

namespace taintgraph::traces {
namespace {

Outcome outcome_of(core::Outcome outcome) {
  switch (outcome) {
    case core::Outcome::failed:
      return Outcome::failed;
    case core::Outcome::skipped:
      return Outcome::skipped;
    case core::Outcome::unwritten:
      return Outcome::unwritten;
    case core::Outcome::poisoned:
      return Outcome::poisoned;
    case core::Outcome::rejected:
      return Outcome::rejected;
    case core::Outcome::timeout:
      return Outcome::timeout;
  }
  return Outcome::failed;
}

void keep_suspects(const core::Suspects& suspects, StepResult& result) {
  for (const core::Suspect& suspect : suspects.newest)
    result.suspects.push_back(static_cast<std::uint64_t>(suspect.correlation));
  result.suspects_dropped = suspects.dropped;
}

}  // namespace

// The device may be lost while the runtime undoes what the exception stopped, and then that is what counts (D1).
void Session::State::judge_loss(StepResult& result) const {
  const core::FailureId poison = machine.runtime->poison();
  if (!poison) return;
  const core::ErrorGraph& graph = machine.runtime->graph();
  result.roots = {static_cast<std::uint64_t>(graph.correlation(poison))};
  result.error = graph.error(poison).name;
  result.detail = graph.error(poison).detail;
  keep_suspects(graph.suspects(poison), result);
}

void Session::State::judge(const core::Status& status, StepResult& result) const {
  if (status) return;
  const core::OperationError& error = status.error();
  result.outcome = outcome_of(error.outcome);
  result.error = error.error.name;
  if (error.outcome == core::Outcome::failed || error.outcome == core::Outcome::rejected)
    result.detail = error.error.detail;
  result.roots.reserve(error.several.reports.size());
  for (const core::FailureReport& report : error.several.reports)
    result.roots.push_back(static_cast<std::uint64_t>(report.correlation));
  const auto blamed = std::find_if(error.several.reports.begin(), error.several.reports.end(),
                                   [](const core::FailureReport& each) { return !each.suspects.newest.empty(); });
  if (blamed != error.several.reports.end()) keep_suspects(blamed->suspects, result);
  if (result.outcome == Outcome::unwritten && !error.several.reports.empty())
    for (const core::SkipRecord& skip : error.several.reports.front().chain)
      result.via.push_back(static_cast<std::uint64_t>(skip.correlation));
}

// Who made a failure is asked twice, of the failure and of its id; only an id that was used twice could tell them
// apart.
void Session::State::keep_reports(const core::Several& several, StepResult& result) const {
  for (const core::FailureReport& report : several.reports) {
    const auto operation = static_cast<std::uint64_t>(report.correlation);
    if (lineage.operation_of(report.failure) != operation)
      result.findings.push_back("C3: failure " + std::to_string(report.failure.value()) + " of operation " +
                                std::to_string(operation) + " bears an id of operation " +
                                std::to_string(lineage.operation_of(report.failure)));
    result.reports.push_back({report.carriers, report.dropped_records});
  }
  if (result.via.empty()) return;
  for (const core::SkipRecord& skip : several.reports.front().chain) {
    ReportedHop& hop = result.hops.emplace_back();
    hop.kernel = skip.kernel;
    for (const core::ClaimedInput& input : skip.inputs)
      hop.inputs.push_back({lineage.operation_of(input.binding.buffer), input.binding.range.begin,
                            input.binding.range.end, lineage.operation_of(input.failure)});
  }
}

void Session::State::keep_claims(const Operation& operation, StepResult& result) {
  const core::Runtime& runtime = *machine.runtime;
  result.bytes_in_use = runtime.bytes_in_use();
  const std::optional<Ref> subject = subject_of(operation);
  if (!subject) return;
  const core::WeakBinding binding = bind(*subject);
  if (!binding.range.fits(named(subject->buffer).size)) return;
  claimed.clear();
  runtime.append_claims(binding, claimed);
  if (claimed.empty()) return;
  const std::uint64_t made_by = lineage.operation_of(binding.buffer);
  result.claims.reserve(claimed.size());
  for (const core::Claim& claim : claimed)
    result.claims.push_back({made_by, claim.range.begin, claim.range.end,
                             static_cast<std::uint64_t>(runtime.graph().correlation(claim.failure))});
}

void Session::State::audit_resources(const Operation& operation, bool idle_before, bool made_calls,
                                     StepResult& result) {
  if (options.keep_reports) lineage.end_operation(machine.runtime->graph().last_minted());
  const std::optional<sim::LiveObjects> live = machine.count_objects();
  if (!live) return;
  const internal::ResourceAudit::Happened happened{result.fired, made_calls, machine.hangs()};
  audit.check(*live, *machine.runtime, happened, result.findings);
  const bool reserves =
      operation.kind == OpKind::alloc || operation.kind == OpKind::relocate || operation.kind == OpKind::reset;
  const bool periodic = operation.kind == OpKind::cleanup && operation.cleanup == CleanupMode::periodic &&
                        result.outcome == Outcome::ok && !machine.runtime->poison();
  audit.check_idle(*machine.runtime, reserves, periodic, result.findings);
  const bool undisturbed = result.fired.empty() && !machine.runtime->poison() && result.outcome == Outcome::ok;
  if (idle_before && undisturbed && operation.kind == OpKind::cleanup)
    internal::ResourceAudit::check_cleaned(*machine.runtime, operation.cleanup == CleanupMode::explicit_,
                                           result.findings);
}

// Of a device whose runtime was closed without an error: nothing is the matter, and nothing is left to the context.
void Session::State::judge_teardown(const std::vector<core::Error>& errors, std::vector<std::string>& left) const {
  for (const core::Error& error : errors)
    left.push_back("teardown: " + std::string(error.name) + " from " + std::string(error.call));
  if (const auto with_context = machine.left_to_context(); with_context && errors.empty())
    audit.check_closed(*with_context, left);
}

void Session::State::reject(std::string_view error, StepResult& result) const {
  result.outcome = Outcome::rejected;
  result.error = error;
}

// A sync that is ok has waited: nothing else in a program shows whether it did. Streams beyond the program's are the
// backend's own.
void Session::State::check_waited(const Operation& operation, StepResult& result) const {
  for (const std::uint32_t busy : machine.busy_streams())
    if (operation.has_stream ? operation.stream == busy : busy < machine.device->stream_count())
      result.findings.push_back("sync returned while stream " + std::to_string(busy) + " still had work");
}

// Checks name failures by the ids of their operations. Only failures in the graph can be asked about, so what is kept
// is cut back to those whenever it has outgrown them.
void Session::State::remember_id(NameId id) {
  constexpr std::size_t kSlack = 256;
  const core::ErrorGraph& graph = machine.runtime->graph();
  if (operation_ids.size() > 2 * graph.size() + kSlack) {
    std::unordered_map<std::uint64_t, NameId> kept;
    for (const core::FailureId failure : graph.failures())
      if (const auto found = operation_ids.find(static_cast<std::uint64_t>(graph.correlation(failure)));
          found != operation_ids.end())
        kept.insert(*found);
    operation_ids = std::move(kept);
  }
  operation_ids[ordinal] = id;
}

std::uint64_t Session::State::most_fragments(const Operation& operation) {
  std::uint64_t most = 0;
  NameId last = NameId::none;
  for (const Ref& ref : operation.writes) {
    if (std::exchange(last, ref.buffer) == ref.buffer) continue;
    const core::Buffer* const buffer = machine.runtime->buffers().find(named(ref.buffer).id);
    if (!buffer || buffer->slice == core::SliceId::none) continue;
    most = std::max<std::uint64_t>(most, machine.runtime->pool().at(buffer->slice).taint.size());
  }
  return most;
}

void Session::State::note_state(const Operation& operation, StepResult& result) {
  const core::Runtime& runtime = *machine.runtime;
  result.failures = runtime.graph().size();
  result.tags = runtime.graph().tags();
  result.fragments = most_fragments(operation);
  result.fired = machine.plan.take_fired();
  if (options.keep_calls) {
    for (std::size_t i = 0; i < gpu::kCallCount; ++i) {
      const auto call = static_cast<gpu::Call>(i);
      if (const std::uint64_t times = machine.plan.made(call); times != 0) result.calls.push_back({call, times});
    }
  }
  result.schedule = machine.take_schedule();
  for (std::string& finding : machine.take_findings()) result.findings.push_back(std::move(finding));
  if (operation.kind == OpKind::sync && result.outcome == Outcome::ok) check_waited(operation, result);
  if (options.validate) runtime.validate();
  if (options.keep_reports) keep_claims(operation, result);
  const bool may_be_a_root = result.outcome == Outcome::failed || operation.kind == OpKind::alloc;
  if (operation.id != NameId::none && may_be_a_root) remember_id(operation.id);

  fingerprint.add(static_cast<std::uint64_t>(operation.kind));
  fingerprint.add(static_cast<std::uint64_t>(result.outcome));
  fingerprint.add(std::span<const std::uint64_t>(result.roots));
  fingerprint.add(std::span<const std::uint64_t>(result.via));
  fingerprint.add(std::span<const std::uint8_t>(result.bytes));
  fingerprint.add(result.failures);
  fingerprint.add(result.tags);
}

}  // namespace taintgraph::traces
