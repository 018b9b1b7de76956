// Session: looking at the runtime's state without changing it.
#include <algorithm>
#include <utility>

#include "traces/internal/session_state.hpp"
#include "traces/session.hpp"

namespace taintgraph::traces {
namespace {

std::string text(const Ref& ref, const NameTable& names) {
  if (ref.whole) return names.text(ref.buffer);
  return names.text(ref.buffer) + " [" + std::to_string(ref.begin) + ", " + std::to_string(ref.end) + ")";
}

// An id of the trace against the ordinal of an operation: "#n", or the id that it was given.
bool names_operation(std::string_view id, std::uint64_t ordinal, std::string_view operation_id) {
  if (!id.empty() && id.front() == '#') return id.substr(1) == std::to_string(ordinal);
  return id == operation_id;
}

}  // namespace

void Session::State::check(const Check& wanted, StepResult& result) {
  const core::Runtime& runtime = *machine.runtime;
  const auto compare = [&](std::string_view what, const std::optional<std::uint64_t>& expected, std::uint64_t found) {
    if (!expected || *expected == found) return;
    result.failed_checks.push_back(std::string(what) + ": expected " + std::to_string(*expected) + ", found " +
                                   std::to_string(found));
  };
  compare("failures", wanted.failures, runtime.graph().size());
  compare("tags", wanted.tags, runtime.graph().tags());
  compare("pages", wanted.pages, runtime.pool().pages());
  compare("bytes_in_use", wanted.bytes_in_use, runtime.bytes_in_use());
  for (const Ref& ref : wanted.clean) check_clean(ref, result);
  for (const auto& [ref, root] : wanted.claimed) check_claimed(ref, root, result);
}

bool Session::State::check_bounds(const Ref& ref, const core::WeakBinding& binding, StepResult& result) {
  const core::Buffer* const buffer = machine.runtime->buffers().find(binding.buffer);
  if (buffer && binding.range.fits(buffer->size_bytes)) return true;
  result.failed_checks.push_back(text(ref, names) + ": expected bytes of a live buffer, found " +
                                 (buffer ? "a range beyond it" : "none of that name"));
  return false;
}

void Session::State::check_clean(const Ref& ref, StepResult& result) {
  const core::WeakBinding binding = bind(ref);
  if (!check_bounds(ref, binding, result)) return;
  const std::vector<core::Claim> claims = machine.runtime->claims(binding);
  if (claims.empty()) return;
  result.failed_checks.push_back(
      text(ref, names) + ": expected clean, found [" + std::to_string(claims.front().range.begin) + ", " +
      std::to_string(claims.front().range.end) + ") claimed by " + name_of_root(claims.front().failure));
}

// Every byte, by that one failure.
void Session::State::check_claimed(const Ref& ref, NameId root, StepResult& result) {
  const core::WeakBinding binding = bind(ref);
  if (!check_bounds(ref, binding, result)) return;
  const std::string& expected = names.text(root);
  std::uint64_t reached = binding.range.begin;
  for (const core::Claim& claim : machine.runtime->claims(binding)) {
    if (claim.range.begin != reached) break;
    const auto cause = static_cast<std::uint64_t>(machine.runtime->graph().correlation(claim.failure));
    if (!names_operation(expected, cause, id_of(cause))) {
      result.failed_checks.push_back(text(ref, names) + ": expected claimed by " + expected + ", found [" +
                                     std::to_string(claim.range.begin) + ", " + std::to_string(claim.range.end) +
                                     ") claimed by " + name_of_root(claim.failure));
      return;
    }
    reached = claim.range.end;
  }
  if (reached == binding.range.end) return;
  result.failed_checks.push_back(text(ref, names) + ": expected claimed by " + expected + ", found byte " +
                                 std::to_string(reached) + " trusted");
}

std::string_view Session::State::id_of(std::uint64_t operation) const {
  const auto found = operation_ids.find(operation);
  return found == operation_ids.end() ? std::string_view() : names.text(found->second);
}

std::string Session::State::name_of_root(core::FailureId failure) const {
  const auto cause = static_cast<std::uint64_t>(machine.runtime->graph().correlation(failure));
  const std::string_view id = id_of(cause);
  return id.empty() ? "#" + std::to_string(cause) : std::string(id);
}

namespace {

SnapshotRange range_of(const core::WeakBinding& binding, const internal::History& history, const NameTable& names) {
  const internal::History::BufferName buffer = history.buffer_name(binding.buffer);
  return {buffer.name == NameId::none ? std::string() : names.text(buffer.name), buffer.serial, binding.range.begin,
          binding.range.end};
}

SnapshotSkip skip_of(const core::SkipRecord& record, const internal::History& history, const NameTable& names) {
  SnapshotSkip skip;
  skip.operation = static_cast<std::uint64_t>(record.correlation);
  skip.operation_name = history.operation_name(skip.operation, names);
  skip.kernel = record.kernel;
  for (const core::ClaimedInput& input : record.inputs)
    skip.inputs.push_back({range_of(input.binding, history, names), input.failure.value()});
  for (const core::WeakBinding& output : record.outputs) skip.outputs.push_back(range_of(output, history, names));
  return skip;
}

SnapshotSuspect suspect_of(const core::Suspect& suspect, const internal::History& history, const NameTable& names) {
  const auto operation = static_cast<std::uint64_t>(suspect.correlation);
  return {operation, history.operation_name(operation, names), history.operation_text(operation),
          core::index(suspect.stream)};
}

}  // namespace

Snapshot Session::snapshot() const {
  const State& state = *state_;
  const core::Runtime& runtime = *state.machine.runtime;
  const core::ErrorGraph& graph = runtime.graph();
  Snapshot snapshot;
  snapshot.trace_name = state.trace_name;
  snapshot.operations = state.ordinal;
  for (const core::FailureId id : graph.failures()) {
    const core::Error& error = graph.error(id);
    SnapshotFailure failure;
    failure.id = id.value();
    failure.operation = static_cast<std::uint64_t>(graph.correlation(id));
    failure.operation_name = state.history.operation_name(failure.operation, state.names);
    failure.what = state.history.operation_text(failure.operation);
    failure.error = error.name;
    failure.call = error.call;
    failure.code = error.code;
    failure.detail = error.detail;
    failure.sticky = error.sticky;
    failure.poison = id == runtime.poison();
    failure.carriers = graph.tagged(id);
    for (const core::SkipRecord& record : graph.records(id))
      failure.skips.push_back(skip_of(record, state.history, state.names));
    failure.skips_total = graph.records_total(id);
    const core::Suspects suspects = graph.suspects(id);
    for (const core::Suspect& each : suspects.newest)
      failure.suspects.push_back(suspect_of(each, state.history, state.names));
    failure.suspects_dropped = suspects.dropped;
    snapshot.failures.push_back(std::move(failure));
  }
  runtime.buffers().for_each([&](const core::Buffer& each) {
    SnapshotBuffer buffer;
    const internal::History::BufferName name = state.history.buffer_name(each.id);
    buffer.name = name.name == NameId::none ? std::string() : state.names.text(name.name);
    buffer.serial = name.serial;
    buffer.size = each.size_bytes;
    buffer.unallocated = each.unallocated();
    buffer.reason = each.reason.value();
    if (!each.unallocated())
      for (const core::Claim& claim : runtime.claims({each.id, {0, each.size_bytes}}))
        buffer.claims.push_back({claim.failure.value(), claim.range.begin, claim.range.end});
    snapshot.buffers.push_back(std::move(buffer));
  });
  std::sort(snapshot.buffers.begin(), snapshot.buffers.end(),
            [](const SnapshotBuffer& a, const SnapshotBuffer& b) { return a.serial < b.serial; });
  return snapshot;
}

}  // namespace taintgraph::traces
