#include "props/aimed_drawing.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu/kernel_catalog.hpp"
#include "props/capture_drawing.hpp"
#include "props/fault_cells.hpp"
#include "props/profile.hpp"
#include "props/program_draft.hpp"
#include "traces/fault_target.hpp"

namespace taintgraph::props {
namespace {

using gpu::Call;
using gpu::FaultKind;
using gpu::FaultWhen;
using traces::Operation;
using traces::OpKind;

// The streams' parts, so that what one waits for is not what another hides.
constexpr std::uint32_t kWorking = 0;
constexpr std::uint32_t kWaitedFor = 1;
constexpr std::uint32_t kFaulted = 2;
constexpr std::uint32_t kCapturing = 3;

constexpr traces::NameId kX{0};
constexpr traces::NameId kY{1};
constexpr traces::NameId kPassing{2};  // allocated and freed again
constexpr traces::NameId kGraph{kMaxSlots};
constexpr std::uint64_t kBufferBytes = 16;
constexpr std::uint64_t kSceneOperations = 6;
constexpr std::uint64_t kLongestShot = 6;     // operations, by which a program may grow too long
constexpr std::uint64_t kForever = 100'000;   // driver calls: until something waits
constexpr std::size_t kTooManyOperands = 17;  // for a kernel's parameters: they go into a table

class Aim : ProgramDraft {
 public:
  Aim(Random& random, std::uint64_t operations) : ProgramDraft(random, operations, kSceneOperations + kLongestShot) {
    traces::Header& header = program_.header;
    header.device.streams = 4;
    header.device.pool = traces::PoolKind::exclusive;  // a buffer a page: what is freed can be given back
    if (random.one_in(3)) header.device.allocator = traces::Allocator::stream_ordered;
    if (random.one_in(4)) header.device.surfacing = traces::Surfacing::documented;
  }

  traces::Program draw() {
    if (random_.one_in(6)) {
      while (program_.operations.size() < length_) shoot_reset();
      return std::move(program_);
    }
    set_scene();
    // Sticky faults last: after one that has surfaced nothing more is to be seen.
    const std::uint64_t latest = length_ - length_ / 8;
    const std::uint64_t passing = random_.between(std::min(length_ / 2 + kLongestShot, latest), latest);
    while (program_.operations.size() < passing) shoot(draw_target(false));
    while (program_.operations.size() < length_) shoot(draw_target(true));
    return std::move(program_);
  }

 private:
  void set_scene() {
    const auto context = static_cast<ContextState>(random_.below(3));
    capturing_ = random_.one_in(2);
    if (context == ContextState::renewed) {
      noop(kWorking).fault = sim::Fault{.kind = FaultKind::assert_, .when = FaultWhen::before};
      add(OpKind::reset);
    }
    for (const traces::NameId buffer : {kX, kY}) alloc(buffer);
    if (capturing_) begin(kCapturing);
    if (context == ContextState::pending) {
      noop(kFaulted).fault = sim::Fault{
          .kind = FaultKind::assert_, .when = FaultWhen::async, .bytes_done = 0, .surface_after_calls = kForever};
    }
  }

  CallAndKind draw_target(bool sticky) {
    const std::span<const CallAndKind> all = sticky ? sticky_pairs_in_reach() : passing_pairs_in_reach();
    // What only some devices call would come up too seldom otherwise.
    const bool in_order = program_.header.device.allocator == traces::Allocator::stream_ordered && random_.one_in(4);
    CallAndKind target = random_.pick(all);
    while (!makes(target.call) || (in_order && !reserves_in_order(target.call))) target = random_.pick(all);
    return target;
  }

  static bool reserves_in_order(Call call) { return call == Call::cuMemAllocAsync || call == Call::cuMemFreeAsync; }
  // A device reserves its memory in one of two ways.
  [[nodiscard]] bool makes(Call call) const {
    const bool in_order = program_.header.device.allocator == traces::Allocator::stream_ordered;
    if (reserves_in_order(call)) return in_order;
    return !in_order || (call != Call::cuMemAlloc && call != Call::cuMemFree);
  }

  // Makes `target.call` fail once, and everything ready for the next.
  void shoot(const CallAndKind& target) {
    switch (target.call) {
      case Call::none:
        return strike(write(), target);
      case Call::cuStreamSynchronize:
        return strike(sync(), target);
      case Call::cuStreamWaitEvent:
      case Call::cuEventRecord:
        return plan(index_of(wait()), target);  // its own fault would strike both, and the wait that helps out
      case Call::cuEventCreate:
      case Call::cuEventQuery:
        return shoot_polling(target);
      case Call::cuMemAlloc:
      case Call::cuMemAllocAsync:
        strike(alloc(kPassing), target);
        return free(kPassing);
      case Call::cuMemFree:
      case Call::cuMemFreeAsync:
        alloc(kPassing);
        free(kPassing);
        return strike(add(OpKind::cleanup), target);
      case Call::cuMemcpyHtoDAsync:
        return strike(write(), target);
      case Call::cuMemcpyDtoHAsync:
        return strike(read(), target);
      case Call::cuMemcpyDtoDAsync:
        return strike(copy(), target);
      case Call::cuLaunchKernel:
        return strike(noop(kWorking), target);
      case Call::cuDeviceGetAttribute:
      case Call::nvrtcCompileProgram:
      case Call::cuModuleLoadData:
      case Call::cuModuleGetFunction:
      case Call::cuModuleUnload:
        return shoot_loading(target);
      case Call::cuStreamBeginCapture:
      case Call::cuStreamIsCapturing:
        return shoot_beginning(target);
      case Call::cuStreamEndCapture:
      case Call::cuGraphInstantiate:
      case Call::cuGraphDestroy:
        return shoot_ending(target);
      case Call::cuGraphLaunch:
      case Call::cuGraphExecDestroy:
        return shoot_graph(target);
      case Call::cuStreamCreate:
      case Call::cuMemAllocHost:
      case Call::cuMemFreeHost:
      case Call::cuStreamDestroy:
        return shoot_table(target);
      default:
        return;
    }
  }

  // Freed while in use: the runtime asks an event whether the use is over.
  void shoot_polling(const CallAndKind& target) {
    alloc(kPassing);
    Operation& use = add(OpKind::launch);
    use.stream = random_.one_in(2) ? kWorking : kWaitedFor;
    use.kernel = gpu::kernel_index("noop");
    use.writes = {{.buffer = kPassing}};
    free(kPassing);
    strike(add(OpKind::cleanup), target);
  }

  // A launch that fails to compile leaves its kernel unloaded, so the next one loads it again.
  void shoot_loading(const CallAndKind& target) {
    noop(kWorking).fault = sim::Fault{.kind = FaultKind::compile_error};
    const std::size_t launch = index_of(noop(kWorking));
    if (target.call == Call::cuModuleUnload) plan(launch, {Call::cuModuleGetFunction, FaultKind::not_found});
    plan(launch, target);
  }

  void shoot_beginning(const CallAndKind& target) {
    Operation& opening = begin(kWaitedFor);
    if (target.call == Call::cuStreamIsCapturing) {
      opening.fault = sim::Fault{.kind = FaultKind::invalid_value};
      plan(index_of(opening), target);
    } else {
      strike(opening, target);
    }
    end(kWaitedFor);  // in case it began all the same
    destroy();
  }

  void shoot_ending(const CallAndKind& target) {
    if (!capturing_) begin(kCapturing);
    noop(kCapturing);
    strike(end(kCapturing), target);
    destroy();
    if (capturing_) begin(kCapturing);
  }

  void shoot_graph(const CallAndKind& target) {
    begin(kWaitedFor);
    noop(kWaitedFor);
    end(kWaitedFor);
    Operation& replay = add(OpKind::replay);
    replay.graph = kGraph;
    if (target.call == Call::cuGraphLaunch) strike(replay, target);
    const std::size_t gone = destroy();
    if (target.call == Call::cuGraphExecDestroy) plan(gone, target);
  }

  // A recorded launch of many ranges has its table copied for it on a stream made for the purpose.
  void shoot_table(const CallAndKind& target) {
    if (!capturing_) begin(kCapturing);
    Operation& wide = noop(kCapturing);
    wide.writes.assign(kTooManyOperands, {.buffer = kX});
    plan(index_of(wide), target);
    end(kCapturing);
    destroy();
    if (capturing_) begin(kCapturing);
  }

  // The second reset is for a first that fails. What is given back in between may be of neither context.
  void shoot_reset() {
    const bool gives_back = random_.one_in(2);
    if (gives_back) alloc(kX);
    noop(kWorking).fault = sim::Fault{.kind = FaultKind::assert_, .when = FaultWhen::before};
    plan(index_of(add(OpKind::reset)), random_.pick(pairs_of_a_reset()));
    if (gives_back) {
      add(OpKind::free).buffer = kX;
      add(OpKind::cleanup);
    }
    add(OpKind::reset);
  }

  // By the operation's own fault where that strikes this call, else by the plan.
  void strike(Operation& operation, const CallAndKind& target) {
    const std::span<const Call> struck = traces::calls_struck(operation.kind, target.kind);
    if (struck.empty() || struck.front() != target.call) return plan(index_of(operation), target);
    operation.fault = draw_fault(target.kind);
  }

  void plan(std::size_t index, const CallAndKind& target) {
    sim::PlannedFault planned = plan_for(index, target.call);
    planned.persistent = random_.one_in(3);
    planned.fault = draw_fault(target.kind);
    program_.header.faults.push_back(std::move(planned));
  }

  sim::Fault draw_fault(FaultKind kind) {
    sim::Fault fault{.kind = kind, .when = {}, .bytes_done = 0, .surface_after_calls = {}};
    if (!gpu::row(kind).sticky) {
      if (kind != FaultKind::host_exception && random_.one_in(4)) fault.when = FaultWhen::after;
    } else if (random_.one_in(4)) {
      fault.when = FaultWhen::before;
    } else {
      fault.when = FaultWhen::async;
      fault.surface_after_calls = kForever;
    }
    return fault;
  }

  [[nodiscard]] std::size_t index_of(const Operation& operation) const {
    return static_cast<std::size_t>(&operation - program_.operations.data());
  }

  Operation& alloc(traces::NameId buffer) {
    Operation& operation = add(OpKind::alloc);
    operation.buffer = buffer;
    operation.size = kBufferBytes;
    return operation;
  }
  void free(traces::NameId buffer) { add(OpKind::free).buffer = buffer; }
  Operation& noop(std::uint32_t stream) {
    Operation& operation = add(OpKind::launch);
    operation.kernel = gpu::kernel_index("noop");
    operation.stream = stream;
    return operation;
  }
  Operation& write() {
    Operation& operation = add(OpKind::write);
    operation.writes = {{.buffer = kX}};
    operation.fill = static_cast<std::uint8_t>(random_.below(256));
    return operation;
  }
  // Of bytes that nothing claims, whatever was shot at before.
  Operation& read() {
    write();
    Operation& operation = add(OpKind::read);
    operation.reads = {{.buffer = kX}};
    return operation;
  }
  Operation& copy() {
    write();
    Operation& operation = add(OpKind::copy);
    operation.reads = {{.buffer = kX}};
    operation.writes = {{.buffer = kY}};
    return operation;
  }
  Operation& sync() {
    Operation& operation = add(OpKind::sync);
    operation.has_stream = true;
    return operation;
  }
  Operation& wait() {
    Operation& operation = add(OpKind::wait);
    operation.on = kWaitedFor;
    return operation;
  }
  Operation& begin(std::uint32_t stream) {
    Operation& operation = add(OpKind::capture_begin);
    operation.stream = stream;
    return operation;
  }
  Operation& end(std::uint32_t stream) {
    Operation& operation = add(OpKind::capture_end);
    operation.stream = stream;
    operation.graph = kGraph;
    return operation;
  }
  std::size_t destroy() {
    Operation& operation = add(OpKind::destroy);
    operation.graph = kGraph;
    return index_of(operation);
  }

  bool capturing_ = false;
};

}  // namespace

traces::Program draw_aimed(Random& random, std::uint64_t operations) { return Aim(random, operations).draw(); }

}  // namespace taintgraph::props
