#include "props/disorder_drawing.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/kernel_catalog.hpp"
#include "props/capture_drawing.hpp"
#include "props/operation_faults.hpp"
#include "props/profile.hpp"
#include "props/program_draft.hpp"
#include "props/removal.hpp"

namespace taintgraph::props {
namespace {

using gpu::Call;
using gpu::FaultKind;
using gpu::FaultWhen;
using traces::NameId;
using traces::Operation;
using traces::OpKind;
using traces::Ref;

constexpr std::uint64_t kMostBuffers = 3;
constexpr std::uint64_t kMostBytes = 4;
constexpr std::uint64_t kQuiet = 90;  // driver calls: to the end of a round, mostly
constexpr std::uint64_t kSoon = 9;

// What puts work in order, and what the backend does around every call.
constexpr Call kOrdering[] = {Call::cuEventRecord, Call::cuStreamWaitEvent,   Call::cuEventRecord,
                              Call::cuEventCreate, Call::cuStreamSynchronize, Call::cuStreamWaitEvent,
                              Call::cuEventQuery,  Call::cuStreamSynchronize};
constexpr Call kContext[] = {Call::cuCtxSetCurrent, Call::cuCtxGetCurrent};
// What begins a capture and ends or undoes it.
constexpr Call kCapture[] = {Call::cuStreamBeginCapture, Call::cuStreamIsCapturing, Call::cuStreamEndCapture,
                             Call::cuGraphInstantiate,   Call::cuGraphDestroy,      Call::cuGraphExecDestroy};
constexpr Call kWork[] = {Call::cuLaunchKernel,    Call::cuGraphLaunch,     Call::cuMemcpyHtoDAsync,
                          Call::cuMemcpyDtoDAsync, Call::cuMemcpyDtoHAsync, Call::cuMemAlloc};

class Disorder : ProgramDraft {
 public:
  Disorder(Random& random, std::uint64_t operations) : ProgramDraft(random, operations) {
    program_.header.device.streams = static_cast<std::uint32_t>(random.between(2, 4));
    if (random.one_in(3)) program_.header.device.surfacing = traces::Surfacing::documented;
  }

  traces::Program draw() {
    while (more()) round();
    if (program_.operations.size() <= length_) return std::move(program_);
    program_.operations.resize(static_cast<std::size_t>(length_));
    return without_idle_faults(std::move(program_));
  }

 private:
  // Short, and mostly with a device that is whole: only the last few operations before a loss matter.
  void round() {
    buffers_ = random_.between(2, kMostBuffers);
    for (std::uint64_t slot = 0; slot < buffers_; ++slot) renew(slot);
    for (std::uint64_t before = random_.between(0, 3); before > 0; --before) step();
    if (random_.one_in(2)) keep_quiet();
    for (std::uint64_t steps = random_.between(2, 6); steps > 0; --steps) {
      step();
      if (random_.one_in(2)) strike();
      if (random_.one_in(4)) {
        lose_the_order();
      } else if (random_.one_in(2)) {
        plan(random_.one_in(3) ? 2 : 1);
      }
    }
    for (std::uint64_t after = random_.between(1, 4); after > 0; --after) step();
    if (capturing_ && !random_.one_in(4)) record_or_replay();
    capturing_.reset();
    constexpr std::uint64_t kToTheEnd = 4;  // operations: nothing recovers from a trap
    const bool last = program_.operations.size() + kToTheEnd >= length_;
    if (last || random_.one_in(3)) launch(last && random_.one_in(4) ? "trap" : "device_assert");
    add(OpKind::sync);
    add(OpKind::reset);
  }

  void renew(std::uint64_t slot) {
    if (!program_.operations.empty()) add(OpKind::free).buffer = buffer_name(slot);
    Operation& alloc = add(OpKind::alloc);
    alloc.buffer = buffer_name(slot);
    alloc.size = random_.between(2, kMostBytes);
  }

  void keep_quiet() {
    launch("noop");
    program_.operations.back().fault = async_loss();
  }

  void step() {
    switch (random_.below(20)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return launch("noop");
      case 4:
      case 5: {
        constexpr std::string_view kIll[] = {"device_assert", "device_assert", "spin"};
        return launch(random_.pick<std::string_view>(kIll));
      }
      case 6:
      case 7: {
        Operation& write = on_a_stream(OpKind::write);
        write.writes = {draw_bytes()};
        return;
      }
      case 8:
      case 9: {
        Operation& read = on_a_stream(OpKind::read);
        read.reads = {draw_bytes()};
        if (random_.one_in(2)) read.reads.push_back(draw_bytes());
        return;
      }
      case 10: {
        Operation& relocate = on_a_stream(OpKind::relocate);
        relocate.buffer = draw_buffer();
        return;
      }
      case 11:
      case 12: {
        Operation& wait = on_a_stream(OpKind::wait);
        wait.on = draw_stream();
        return;
      }
      case 13: {
        Operation& copy = on_a_stream(OpKind::copy);
        copy.reads = {{.buffer = buffer_name(0), .whole = false, .begin = 0, .end = 1}};
        copy.writes = {{.buffer = buffer_name(1), .whole = false, .begin = 0, .end = 1}};
        return;
      }
      case 14:
      case 15:
        return record_or_replay();
      case 16:
        add(OpKind::trust).writes = {draw_bytes()};
        if (random_.one_in(3)) add(OpKind::cleanup);
        return;
      default: {
        Operation& sync = on_a_stream(OpKind::sync);
        sync.has_stream = !random_.one_in(4);
        if (!sync.has_stream) sync.stream = 0;
        if (random_.one_in(5)) sync.deadline = random_.between(0, random_.one_in(2) ? 2'000 : 50'000);
        return;
      }
    }
  }

  void record_or_replay() {
    if (capturing_) {
      Operation& end = add(OpKind::capture_end);
      end.stream = *std::exchange(capturing_, std::nullopt);
      end.graph = graph_name(0);
      return;
    }
    if (random_.one_in(2)) {
      on_a_stream(OpKind::replay).graph = graph_name(0);
      return;
    }
    add(OpKind::destroy).graph = graph_name(0);
    const std::uint32_t stream = on_a_stream(OpKind::capture_begin).stream;
    if (random_.one_in(3)) return leave_in_doubt();
    capturing_ = stream;
  }

  // It began though it says that it did not, and what would know says nothing.
  void leave_in_doubt() {
    program_.operations.back().fault = sim::Fault{
        .kind = FaultKind::invalid_value, .when = FaultWhen::after, .bytes_done = 0, .surface_after_calls = {}};
    refuse_to_say();
    if (random_.one_in(3)) return;
    step();
    if (random_.one_in(2)) return refuse_to_say();
    constexpr Call kEnding[] = {Call::cuStreamEndCapture, Call::cuGraphDestroy};
    sim::PlannedFault planned = plan_for(random_.pick<Call>(kEnding));
    planned.fault.kind = random_.pick(passing_faults_of(*planned.call));
    program_.header.faults.push_back(std::move(planned));
  }

  void refuse_to_say() {
    sim::PlannedFault planned = plan_for(Call::cuStreamIsCapturing);
    planned.count = random_.between(1, 4);
    planned.fault.kind = FaultKind::invalid_value;
    program_.header.faults.push_back(std::move(planned));
  }

  // ---- faults

  // The last operation's own, if it has none.
  void strike() {
    Operation& operation = program_.operations.back();
    if (operation.fault) return;
    const std::span<const FaultKind> kinds = faults_for(operation.kind);
    if (kinds.empty()) return;
    if (random_.one_in(3)) {
      operation.fault = async_loss();
      return;
    }
    sim::Fault fault{.kind = random_.pick(kinds), .when = {}, .bytes_done = 0, .surface_after_calls = {}};
    if (fault.kind != FaultKind::host_exception && random_.one_in(2)) fault.when = FaultWhen::after;
    operation.fault = fault;
  }

  [[nodiscard]] sim::Fault async_loss() {
    const std::uint64_t calls = random_.one_in(2) ? kQuiet : random_.between(1, kSoon);
    return {.kind = FaultKind::assert_, .when = FaultWhen::async, .bytes_done = 0, .surface_after_calls = calls};
  }

  // Of the last operation's calls, the first few or a later one.
  void plan(std::uint64_t count) {
    for (; count > 0; --count) {
      const Call call = draw_call(program_.operations.back().kind);
      sim::PlannedFault planned = plan_for(call);
      if (random_.one_in(3)) planned.skip = random_.between(1, 3);
      planned.persistent = random_.one_in(4);
      if (random_.one_in(8)) {
        planned.fault = async_loss();
        if (random_.one_in(2)) planned.fault = {.kind = FaultKind::assert_, .when = FaultWhen::before};
      } else {
        planned.fault.kind = random_.pick(passing_faults_of(call));
        if (random_.one_in(4)) planned.fault.when = FaultWhen::after;
      }
      program_.header.faults.push_back(std::move(planned));
    }
  }

  // Neither an event nor the wait instead of it, which asks first, puts the last operation behind what it should come
  // after.
  void lose_the_order() {
    constexpr Call kEvent[] = {Call::cuEventRecord, Call::cuStreamWaitEvent};
    constexpr Call kWait[] = {Call::cuStreamQuery, Call::cuStreamSynchronize};
    for (const Call call : {random_.pick<Call>(kEvent), random_.pick<Call>(kWait)}) {
      sim::PlannedFault planned = plan_for(call);
      planned.persistent = random_.one_in(4);
      planned.fault.kind = random_.pick(passing_faults_of(call));
      program_.header.faults.push_back(std::move(planned));
    }
  }

  // For the last operation.
  sim::PlannedFault plan_for(Call call) { return ProgramDraft::plan_for(program_.operations.size() - 1, call); }

  Call draw_call(OpKind kind) {
    const bool captures = kind == OpKind::capture_begin || kind == OpKind::capture_end;
    if (captures && !random_.one_in(3)) return random_.pick<Call>(kCapture);
    switch (random_.below(8)) {
      case 0:
        return random_.pick<Call>(kContext);
      case 1:
        return random_.pick<Call>(kWork);
      default:
        return random_.pick<Call>(kOrdering);
    }
  }

  // ---- operations

  NameId draw_buffer() { return buffer_name(random_.below(buffers_)); }
  Ref draw_bytes() { return draw_bytes_of(random_.below(buffers_)); }
  Ref draw_bytes_of(std::uint64_t slot) {
    if (!random_.one_in(3)) return {.buffer = buffer_name(slot)};
    const std::uint64_t begin = random_.below(2);
    return {.buffer = buffer_name(slot), .whole = false, .begin = begin, .end = begin + 1};
  }

  // Of some of the buffers, to some of them.
  void launch(std::string_view kernel) {
    Operation& operation = on_a_stream(OpKind::launch);
    operation.kernel = gpu::kernel_index(kernel);
    for (std::uint64_t slot = 0; slot < buffers_; ++slot) {
      if (random_.one_in(3)) operation.reads.push_back(draw_bytes_of(slot));
      if (random_.one_in(2)) operation.writes.push_back(draw_bytes_of(slot));
    }
  }

  Operation& on_a_stream(OpKind kind) {
    Operation& operation = add(kind);
    operation.stream = draw_stream();
    return operation;
  }

  std::uint64_t buffers_ = kMostBuffers;
  std::optional<std::uint32_t> capturing_;  // the stream that was to begin
};

}  // namespace

traces::Program draw_disorder(Random& random, std::uint64_t operations) { return Disorder(random, operations).draw(); }

}  // namespace taintgraph::props
