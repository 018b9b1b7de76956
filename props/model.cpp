#include "props/model.hpp"

#include <algorithm>
#include <stdexcept>

namespace taintgraph::props {

using traces::OpKind;
using traces::Outcome;

namespace {

bool contains(const std::vector<std::uint64_t>& ordinals, std::uint64_t one) {
  return std::find(ordinals.begin(), ordinals.end(), one) != ordinals.end();
}

// In rising order.
void keep_each_once(std::vector<std::uint64_t>& ordinals) {
  if (ordinals.size() < 2) return;
  std::sort(ordinals.begin(), ordinals.end());
  ordinals.erase(std::unique(ordinals.begin(), ordinals.end()), ordinals.end());
}

}  // namespace

Model::Model(const traces::Header& header, const traces::NameTable& names) : device_(header.device), names_(names) {}

Prediction Model::predict(const traces::Operation& operation, std::uint64_t ordinal,
                          std::span<const sim::FiredFault> fired) {
  Step step{operation, ordinal, {}};
  const bool spared = fired.empty() && !operation.fault;
  if (!spared) {
    const bool documented = device_.surfacing == traces::Surfacing::documented;
    state_.may_owe = state_.may_owe || reference::may_owe(fired);
    step.verdict = reference::judge(operation, fired, documented, state_.may_owe, capturing(operation.stream));
    if (reference::invalidates_every_capture(fired)) {
      for (auto& [stream, window] : state_.windows) {
        const bool ends = operation.kind == OpKind::capture_end && operation.stream == stream;
        if (!ends || reference::invalidates_what_it_ends(fired)) window.invalidated = true;
      }
    }
  }
  open_ = may_be_open(step);
  if (open_) {
    question_.before = state_;
    question_.operation = operation;
    question_.ordinal = ordinal;
    question_.verdict = step.verdict;
  }
  Prediction prediction = answer(step);
  note_choices(step, prediction);
  return prediction;
}

// Only to save copying the whole state before operations that can have but one answer.
bool Model::may_be_open(const Step& step) const {
  const OpKind kind = step.operation.kind;
  const bool may_fail = step.verdict.may_fail || may_lack_room(step.operation);
  const bool may_recover = kind == OpKind::reset && state_.recovery_open;
  const bool may_wait_for_itself = kind == OpKind::write && step.verdict.leaves_behind;
  const bool may_meet_faults = kind != OpKind::free && kind != OpKind::trust && kind != OpKind::check;
  const bool may_surface = may_meet_faults && !state_.pending.empty();
  const bool may_give_up = step.operation.deadline || state_.order.hangs();
  return may_fail || may_recover || may_wait_for_itself || may_surface || may_give_up;
}

Prediction Model::otherwise() {
  // The last question whose other answer was not tried yet is answered so; those after it may be others then.
  Choices& choices = question_.choices;
  while (choices.back()) choices.pop_back();
  choices.back() = true;
  state_ = question_.before;
  Step step{question_.operation, question_.ordinal, question_.verdict};
  step.choices = choices;
  Prediction prediction = answer(step);
  note_choices(step, prediction);
  return prediction;
}

bool Model::ask(Step& step) {
  if (step.asked == step.choices.size()) step.choices.push_back(false);
  return step.choices[step.asked++];
}

void Model::note_choices(const Step& step, const Prediction& prediction) {
  if (prediction.outcome_open && !open_) throw std::logic_error("the model has an answer that it did not expect");
  open_ = prediction.outcome_open;
  if (open_) question_.choices = step.choices;
}

Prediction Model::answer(Step& step) {
  Prediction prediction = dispatch(step);
  settle(step, prediction);
  return prediction;
}

Prediction Model::dispatch(Step& step) {
  switch (step.operation.kind) {
    case OpKind::alloc:
      return alloc(step);
    case OpKind::free:
      return free(step);
    case OpKind::write:
      return write(step);
    case OpKind::launch:
      return launch(step);
    case OpKind::copy:
      return copy(step);
    case OpKind::read:
      return read(step);
    case OpKind::sync:
      return sync(step);
    case OpKind::wait:
      return wait(step);
    case OpKind::trust:
      return trust(step);
    case OpKind::cleanup:
      return cleanup(step);
    case OpKind::relocate:
      return relocate(step);
    case OpKind::capture_begin:
      return capture_begin(step);
    case OpKind::capture_end:
      return capture_end(step);
    case OpKind::replay:
      return replay(step);
    case OpKind::destroy:
      return destroy(step);
    case OpKind::reset:
      return reset(step);
    case OpKind::check:
      return check(step);
  }
  return {};
}

// Ends what nothing holds and forgets what nothing carries, then counts. Names errors first: an operation may fail
// with a failure that nothing carries, and it is reported all the same.
void Model::settle(Step& step, Prediction& prediction) {
  // Work that was submitted in part may fault though the operation failed of something else.
  const bool behind_a_failure = step.verdict.leaves_behind && prediction.outcome == Outcome::failed;
  if ((step.verdict.planned_behind || behind_a_failure) && !step.left_behind && state_.poison == 0) {
    if (!step.verdict.planned_behind) step.verdict.leaves_behind->doubtful = true;
    leave_behind(step);
  }
  if (state_.poison == 0) {
    for (reference::AsyncFault& fault : step.verdict.more_behind) {
      fault.doubtful = fault.doubtful || prediction.outcome != Outcome::ok;  // a call that fails by itself causes none
      leave_behind(std::move(fault));
    }
  }
  if (!prediction.roots.empty() && prediction.error.empty()) {
    prediction.error = state_.failures.at(prediction.roots.front()).cause.error;
  }
  if (step.operation.kind == OpKind::read && prediction.outcome != Outcome::failed) tell(prediction);
  blame(prediction);
  if (!state_.memory.all_have_handles()) {
    find_held(held_);
    state_.memory.sweep(held_);
  }
  prediction.tags = count_carried(carried_);
  prediction.failures = carried_.size();
  state_.failures.prune(carried_);
  count_bytes(step.operation, prediction);
  prediction.outcome_open = std::find(step.choices.begin(), step.choices.end(), false) != step.choices.end();
}

void Model::find_held(std::vector<Ordinal>& buffers) const {
  buffers.clear();
  for (const auto& [stream, window] : state_.windows) reference::add_held(window.recorded, buffers);
  for (const auto& [name, graph] : state_.graphs) reference::add_held(graph, buffers);
  keep_each_once(buffers);
}

std::uint64_t Model::count_carried(std::vector<Ordinal>& failures) const {
  failures.clear();
  state_.memory.add_carried(failures);
  const std::uint64_t tags = failures.size();
  if (state_.poison != 0) failures.push_back(state_.poison);
  keep_each_once(failures);
  return tags;
}

std::uint64_t Model::failures() const {
  std::vector<Ordinal> carried;
  count_carried(carried);
  return carried.size();
}

std::uint64_t Model::tags() const {
  std::vector<Ordinal> carried;
  return count_carried(carried);
}

// What a report holds besides names (R2).
void Model::tell(Prediction& prediction) const {
  for (const Ordinal root : prediction.roots) {
    Told told;
    for (const reference::Buffer& buffer : state_.memory.buffers())
      told.carriers += reference::carries(buffer, root) ? 1 : 0;
    const reference::Failure& failure = state_.failures.at(root);
    told.dropped_records = failure.skips_total - failure.skips.size();
    prediction.told.push_back(told);
  }
}

// What each byte is after the operation: in memory or not, and whose of what the operation is about (B1).
void Model::count_bytes(const traces::Operation& operation, Prediction& prediction) const {
  for (const reference::Buffer& buffer : state_.memory.buffers())
    prediction.bytes_in_use += buffer.reason == 0 ? buffer.size : 0;
  const std::optional<traces::Ref> subject = traces::subject_of(operation);
  const auto range = subject ? state_.memory.resolve(*subject) : std::nullopt;
  if (!range || range->empty()) return;
  const reference::Buffer& buffer = state_.memory.at(range->buffer);
  if (buffer.reason != 0) return prediction.claims.push_back({*range, buffer.reason});  // as a whole
  const std::span<const reference::Claim> met = buffer.claims.meeting(range->begin, range->end);
  prediction.claims.reserve(met.size());
  for (const reference::Claim& claim : met) {
    const reference::Range part{range->buffer, std::max(claim.begin, range->begin), std::min(claim.end, range->end)};
    prediction.claims.push_back({part, claim.failure});
  }
}

std::vector<Model::LiveBuffer> Model::live_buffers() const {
  std::vector<Ordinal> recorded;
  find_held(recorded);
  std::vector<LiveBuffer> live;
  for (const reference::Buffer& buffer : state_.memory.buffers()) {
    if (!buffer.has_handle) continue;
    live.push_back({names_.text(buffer.name), buffer.size, buffer.reason != 0, contains(recorded, buffer.ordinal)});
  }
  return live;
}

std::vector<std::string_view> Model::live_graphs() const {
  std::vector<std::string_view> live;
  for (const auto& [name, graph] : state_.graphs) live.push_back(names_.text(name));
  return live;
}

std::optional<std::vector<std::uint64_t>> Model::claims(const traces::Ref& ref) const {
  const std::optional<reference::Range> range = state_.memory.resolve(ref);
  if (!range) return std::nullopt;
  const reference::Buffer& buffer = state_.memory.at(range->buffer);
  std::vector<std::uint64_t> claims(range->size(), buffer.reason);
  for (const reference::Claim& claim : buffer.claims.within(range->begin, range->end)) {
    for (std::uint64_t i = claim.begin; i < claim.end; ++i) claims[i - range->begin] = claim.failure;
  }
  return claims;
}

}  // namespace taintgraph::props
