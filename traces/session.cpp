#include "traces/session.hpp"

#include <algorithm>
#include <utility>

#include "gpu/kernel_catalog.hpp"
#include "traces/fault_target.hpp"
#include "traces/internal/session_state.hpp"

namespace taintgraph::traces {
namespace {

// So often a handle is dropped just before an operation, which has to notice.
constexpr std::uint64_t kOperationsADrop = 5;

// So often another library of the process is taken to have been at work in between.
constexpr std::uint64_t kOperationsAContext = 8;

// Refused before the runtime hears of it: names are the trace's own.
constexpr std::string_view kNameInUse = "name_in_use";

core::StreamIndex stream(std::uint32_t number) { return core::StreamIndex{number}; }

// Where an operation's host code stands, for faults planned by stream, kernel or class.
sim::CallSite site_of(const Operation& operation) {
  sim::CallSite site{gpu::Call::none, operation.stream, {}, std::nullopt};
  if (operation.kind == OpKind::launch) site.kernel = gpu::kernel_catalog()[operation.kernel].name;
  if (const gpu::Call call = main_call(operation.kind); call != gpu::Call::none) site.call_class = sim::class_of(call);
  return site;
}

}  // namespace

Session::Session(const Header& header, const NameTable& names, const SessionOptions& options)
    : state_(std::make_unique<State>(header, names, options)) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

std::uint64_t Session::fingerprint() const { return state_->fingerprint.value(); }
std::uint64_t Session::operations() const { return state_->ordinal; }
std::uint64_t Session::driver_calls() const { return state_->machine.plan.calls(); }

StepResult Session::execute(const Operation& operation) {
  State& state = *state_;
  ++state.ordinal;
  if (state.options.keep_history) state.history.remember(operation);
  if (state.ordinal == state.options.spared_from) state.machine.plan.sleep(true);
  if (state.ordinal % kOperationsAContext == 0) state.machine.unset_context();
  const bool idle = operation.kind == OpKind::cleanup && state.machine.is_idle();
  const std::uint64_t calls = state.machine.plan.calls();
  const std::string_view id = operation.id == NameId::none ? std::string_view() : state.names.text(operation.id);
  state.machine.begin_operation(state.ordinal, id);
  if (operation.fault) state.arm(operation);
  if (operation.annotations) state.machine.plan.strike(operation.annotations->fired);
  if (operation.annotations && operation.annotations->has_schedule)
    state.machine.force_schedule(operation.annotations->schedule,
                                 operation.deadline ? sim::Unscheduled::stays : sim::Unscheduled::runs_if_needed);

  const bool drops = state.options.validate && operation.kind != OpKind::check && state.ordinal % kOperationsADrop == 0;
  const core::BufferId dropped = drops ? state.drop_empty_buffer() : core::BufferId();
  const bool poisoned = static_cast<bool>(state.machine.runtime->poison());
  StepResult result;
  try {
    state.run(operation, result);
  } catch (const State::PlannedException::Thrown&) {
    // The claim that the torn-down scope left behind carries this operation's number, as a failure of its own would.
    result.outcome = Outcome::failed;
    result.roots = {state.ordinal};
    const core::Error torn = core::torn_down();
    result.error = torn.name;
    result.detail = torn.detail;
    if (!poisoned) state.judge_loss(result);
  }
  if (drops) state.expect_gone(dropped, result);
  state.note_state(operation, result);
  state.audit_resources(operation, idle, state.machine.plan.calls() != calls, result);
  return result;
}

std::vector<std::string> Session::finish() {
  State& state = *state_;
  std::vector<std::string> left;
  core::Runtime& runtime = *state.machine.runtime;
  state.machine.begin_operation(state.ordinal + 1, {});
  state.machine.plan.sleep(true);
  static_cast<void>(
      runtime.drop_recorded_work(core::Correlation{state.ordinal + 1}));  // a lost device is met again below
  for (State::Named& each : state.buffers) each.handle.drop();
  runtime.drain_dropped();
  const core::ErrorGraph& graph = runtime.graph();
  const std::size_t held = runtime.poison() ? 1 : 0;
  if (graph.size() != held)
    left.push_back("C2: everything is freed and the graph still holds " + std::to_string(graph.size() - held) +
                   " failure(s)");
  if (graph.tags() != 0)
    left.push_back("C2: everything is freed and " + std::to_string(graph.tags()) + " tag(s) are left");
  if (runtime.bytes_in_use() != 0)
    left.push_back("everything is freed and " + std::to_string(runtime.bytes_in_use()) + " byte(s) are in use");
  // A sticky error that surfaces only now, or had poisoned the device, is the program's doing and leaves nothing
  // behind; so is work that never ends.
  const auto closed = runtime.close();
  if (!closed && !closed.error().sticky && held == 0 && !core::is_timeout(closed.error()))
    left.push_back("teardown: " + std::string(closed.error().name) + " from " + std::string(closed.error().call));
  const bool abandons = state.machine.hangs();
  const bool in_order = closed && held == 0 && !abandons;
  if (in_order && runtime.pool().pages() != 0)
    left.push_back("leaked: " + std::to_string(runtime.pool().pages()) + " page(s) of a runtime that is closed");
  state.machine.runtime.reset();
  const std::vector<core::Error> errors = state.machine.device->close();
  if (in_order) state.judge_teardown(errors, left);
  state.machine.device.reset();
  for (std::string& finding : state.machine.take_findings()) left.push_back(std::move(finding));
  // Memory that outlives its context cannot be given back while it may be in use, and it is in use to the end.
  for (const std::string& object : state.machine.live_objects())
    if (!abandons || object.rfind("allocation", 0) != 0) left.push_back("leaked: " + object);
  return left;
}

// It takes no memory, makes no call and is gone before the program's next operation does anything.
core::BufferId Session::State::drop_empty_buffer() {
  const core::Allocation made = machine.runtime->alloc({});
  return made.handle.id();
}

void Session::State::expect_gone(core::BufferId dropped, StepResult& result) {
  core::Runtime& runtime = *machine.runtime;
  if (!runtime.buffers().find(dropped)) return;
  if (result.error != kNameInUse)
    result.findings.emplace_back("C4: an operation left a buffer whose handle was dropped before it");
  runtime.drain_dropped();
}

void Session::State::PlannedException::run() {
  if (plan_.host_code_throws(site_of(operation_))) throw Thrown{};
}

void Session::State::arm(const Operation& operation) {
  // An empty buffer moves without a copy: what can fail is the reservation.
  const bool reserves_only = operation.kind == OpKind::relocate && named(operation.buffer).size == 0;
  const OpKind struck = reserves_only ? OpKind::alloc : operation.kind;
  machine.plan.strike(calls_struck(struck, operation.fault->kind), *operation.fault);
}

void Session::State::run(const Operation& operation, StepResult& result) {
  core::Runtime& runtime = *machine.runtime;
  const core::Correlation correlation{ordinal};
  PlannedException host_code(machine.plan, operation);
  switch (operation.kind) {
    case OpKind::alloc:
      return alloc(operation, result);
    case OpKind::free:
      return judge(runtime.free(named(operation.buffer).handle), result);
    case OpKind::write:
      return judge(write(operation), result);
    case OpKind::launch:
      return judge(launch(operation), result);
    case OpKind::copy:
      return judge(runtime.copy({.from = bind(operation.reads.front()),
                                 .to = bind(operation.writes.front()),
                                 .stream = stream(operation.stream),
                                 .correlation = correlation,
                                 .host_code = &host_code}),
                   result);
    case OpKind::read:
      return read(operation, result);
    case OpKind::sync: {
      core::SyncRequest request{.stream = std::nullopt,
                                .deadline_nanoseconds = operation.deadline,
                                .correlation = correlation,
                                .host_code = &host_code};
      if (operation.has_stream) request.stream = stream(operation.stream);
      return judge(runtime.sync(request), result);
    }
    case OpKind::wait:
      return judge(runtime.wait({.stream = stream(operation.stream),
                                 .on = stream(operation.on),
                                 .correlation = correlation,
                                 .host_code = &host_code}),
                   result);
    case OpKind::trust:
      return judge(runtime.trust(bind(operation.writes.front())), result);
    case OpKind::cleanup:
      return judge(runtime.cleanup(operation.cleanup == CleanupMode::periodic ? core::CleanupMode::periodic
                                                                              : core::CleanupMode::immediate,
                                   correlation),
                   result);
    case OpKind::check:
      if (operation.annotations && operation.annotations->check) check(*operation.annotations->check, result);
      return;
    case OpKind::relocate:
      return relocate(operation, result);
    case OpKind::capture_begin:
      return judge(runtime.capture_begin(
                       {.stream = stream(operation.stream), .correlation = correlation, .host_code = &host_code}),
                   result);
    case OpKind::capture_end:
      return capture_end(operation, result);
    case OpKind::replay:
      return judge(runtime.replay({.graph = graphs[operation.graph],
                                   .stream = stream(operation.stream),
                                   .correlation = correlation,
                                   .host_code = &host_code}),
                   result);
    case OpKind::destroy:
      return judge(runtime.destroy(std::exchange(graphs[operation.graph], core::GraphId::none), correlation), result);
    case OpKind::reset:
      return reset(result);
  }
}

void Session::State::relocate(const Operation& operation, StepResult& result) {
  const Named& buffer = named(operation.buffer);
  const auto place = [&] {
    const core::Buffer* const found = machine.runtime->buffers().find(buffer.id);
    return found ? found->slice : core::SliceId::none;
  };
  const core::SliceId before = place();
  PlannedException host_code(machine.plan, operation);
  judge(machine.runtime->relocate({.buffer = buffer.id,
                                   .from_new_page = operation.fault.has_value(),
                                   .stream = stream(operation.stream),
                                   .correlation = core::Correlation{ordinal},
                                   .host_code = &host_code}),
        result);
  // Nothing else in a program shows whether memory moved.
  const bool moves = buffer.size != 0 || operation.fault;
  if (result.outcome == Outcome::ok && moves == (place() == before))
    result.findings.emplace_back(moves ? "relocate left a buffer where it was" : "relocate moved an empty buffer");
}

void Session::State::alloc(const Operation& operation, StepResult& result) {
  Named& buffer = named(operation.buffer);
  if (buffer.handle) return reject(kNameInUse, result);
  PlannedException host_code(machine.plan, operation);
  const core::Pool& pool = machine.runtime->pool();
  const bool has_room = options.validate && !operation.fault && operation.size != 0 &&
                        internal::ResourceAudit::has_room(pool, pool_kind, operation.size);
  const std::size_t pages = pool.pages();
  core::Allocation made = machine.runtime->alloc({.size_bytes = operation.size,
                                                  .from_new_page = operation.fault.has_value(),
                                                  .correlation = core::Correlation{ordinal},
                                                  .host_code = &host_code});
  buffer = {std::move(made.handle), {}, operation.size, ordinal};
  buffer.id = buffer.handle.id();
  if (options.keep_reports) lineage.made(buffer.id, ordinal);
  if (options.keep_history) history.remember(buffer.id, operation.buffer, ordinal);
  judge(made.status, result);
  if (has_room && pool.pages() > pages) result.findings.emplace_back("a page was reserved though free memory would do");
}

void Session::State::capture_end(const Operation& operation, StepResult& result) {
  core::GraphId& graph = graphs[operation.graph];
  if (graph != core::GraphId::none) return reject(kNameInUse, result);
  PlannedException host_code(machine.plan, operation);
  core::Captured captured = machine.runtime->capture_end(
      {.stream = stream(operation.stream), .correlation = core::Correlation{ordinal}, .host_code = &host_code});
  if (captured) {
    graph = *captured;
  } else {
    judge(tl::unexpected(std::move(captured.error())), result);
  }
}

void Session::State::reset(StepResult& result) {
  judge(machine.runtime->reset(), result);
  if (result.outcome == Outcome::ok) graphs.clear();  // they went with their context
}

// Host bytes that a read or write of the range takes. A range beyond its buffer and a buffer without memory may be of
// any length; both are refused before a byte is looked at.
std::uint64_t Session::State::room(const Ref& ref, const core::WeakBinding& bytes) {
  const core::Buffer* const buffer = machine.runtime->buffers().find(bytes.buffer);
  if (buffer == nullptr || buffer->unallocated() || !bytes.range.fits(named(ref.buffer).size)) return 0;
  return bytes.range.size();
}

core::Status Session::State::write(const Operation& operation) {
  PlannedException host_code(machine.plan, operation);
  const core::WeakBinding to = bind(operation.writes.front());
  std::span<const std::byte> bytes = std::as_bytes(std::span(operation.bytes));
  if (!operation.has_bytes) {
    payload.assign(room(operation.writes.front(), to), std::byte{operation.fill});
    // A buffer without memory takes no byte: as many as the range has are spoken of, and none need be there.
    const bool spoken_of = to.range.fits(named(operation.writes.front().buffer).size);
    bytes = {payload.data(), spoken_of ? to.range.size() : 0};
  }
  return machine.runtime->write({.to = to,
                                 .bytes = bytes,
                                 .stream = stream(operation.stream),
                                 .correlation = core::Correlation{ordinal},
                                 .host_code = &host_code});
}

core::Status Session::State::launch(const Operation& operation) {
  const gpu::KernelInfo& kernel = gpu::kernel_catalog()[operation.kernel];
  // Loading is done once for all launches; a fault that strikes there needs it done again. An earlier fault that
  // surfaces in that comes first: this one then has no turn. Nor has it on a poisoned device, which refuses the launch
  // and may have no context left to unload anything from.
  if (operation.fault && strikes_loading(operation.kind, operation.fault->kind) && !machine.runtime->poison()) {
    const bool asleep = machine.plan.asleep();
    machine.plan.sleep(true);  // no part of the program
    const auto forgotten = machine.device->forget_kernel(kernel.name);
    machine.plan.sleep(asleep);
    if (!forgotten && !forgotten.error().sticky)
      throw std::runtime_error("cannot unload a kernel: " + std::string(forgotten.error().name));
    if (!forgotten) machine.plan.strike({}, *operation.fault);
  }
  reads.clear();
  writes.clear();
  for (const Ref& ref : operation.reads) reads.push_back(bind(ref));
  for (const Ref& ref : operation.writes) writes.push_back(bind(ref));
  PlannedException host_code(machine.plan, operation);
  const std::span<const std::uint64_t> scalars(&operation.scalar, kernel.scalar.empty() ? 0 : 1);
  return machine.runtime->launch({.kernel = kernel.name,
                                  .reads = reads,
                                  .writes = writes,
                                  .scalars = scalars,
                                  .stream = stream(operation.stream),
                                  .correlation = core::Correlation{ordinal},
                                  .host_code = &host_code});
}

void Session::State::read(const Operation& operation, StepResult& result) {
  pieces.clear();
  std::uint64_t total = 0;
  for (const Ref& ref : operation.reads) {
    pieces.push_back({bind(ref), nullptr});
    total += room(ref, pieces.back().from);
  }
  payload.assign(total, std::byte{0});
  std::byte* to = payload.data();
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    pieces[i].to = to;
    to += room(operation.reads[i], pieces[i].from);
  }
  PlannedException host_code(machine.plan, operation);
  const core::Status status = machine.runtime->read({.pieces = pieces,
                                                     .stream = stream(operation.stream),
                                                     .correlation = core::Correlation{ordinal},
                                                     .host_code = &host_code});
  judge(status, result);
  if (!status && options.keep_reports && result.outcome != Outcome::failed)
    keep_reports(status.error().several, result);
  if (!status) return;
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(payload.data());
  result.bytes.assign(bytes, bytes + payload.size());
}

}  // namespace taintgraph::traces
