#include "props/drill_drawing.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "gpu/kernel_catalog.hpp"
#include "props/capture_drawing.hpp"
#include "props/operation_faults.hpp"
#include "props/profile.hpp"
#include "props/program_draft.hpp"

namespace taintgraph::props {
namespace {

using traces::NameId;
using traces::Operation;
using traces::OpKind;
using traces::Ref;

constexpr std::uint64_t kSkippedBytes = 4;  // of each buffer that skips pass through
constexpr std::uint64_t kFewestPieces = 60;
constexpr std::uint64_t kMostPieces = 420;
constexpr std::uint64_t kAThousand = 1000;
constexpr std::uint64_t kAThousandOneIn = 5;
constexpr std::uint64_t kHalfBlock = 64;  // core cuts its claims into blocks, which come to hold 64 or 128 of them

class Drill : ProgramDraft {
 public:
  Drill(Random& random, std::uint64_t operations) : ProgramDraft(random, operations) {}

  traces::Program draw() {
    switch (random_.below(3)) {
      case 0:
        shred();
        break;
      case 1:
        skip_and_skip();
        break;
      default:
        replay_and_replay();
        break;
    }
    return std::move(program_);
  }

 private:
  // ---- one buffer, in shreds

  // Pieces of one failure at a regular distance, and perhaps those of a second between them. What follows cuts, joins
  // and clears them, mostly where a block of core's begins or ends.
  void shred() {
    piece_ = random_.between(1, 3);
    period_ = piece_ + random_.between(1, 2);
    pieces_ = random_.between(kFewestPieces, kMostPieces);
    if (random_.one_in(kAThousandOneIn)) pieces_ = kAThousand + random_.below(kHalfBlock);
    alloc(0, pieces_ * period_);
    fail(stripes(0, pieces_, 0, piece_));
    if (random_.one_in(3)) {
      const std::uint64_t first = random_.below(pieces_);
      fail(stripes(first, random_.between(first, pieces_), piece_, period_));
    }
    while (more()) cut_or_join();
    add(OpKind::free).buffer = buffer_name(0);
  }

  [[nodiscard]] Operation stripes(std::uint64_t first, std::uint64_t end, std::uint64_t from, std::uint64_t to) const {
    Operation launch = launch_of("fill");
    launch.writes.reserve(static_cast<std::size_t>(end - first));
    for (std::uint64_t i = first; i < end; ++i) launch.writes.push_back(range(0, i * period_ + from, i * period_ + to));
    return launch;
  }

  void cut_or_join() {
    const Ref bytes = draw_shred();
    switch (random_.below(9)) {
      case 0:
        return fail(write(bytes));
      case 1:
        return fail(launch_of("iota", {}, {bytes}));
      case 2:
      case 3:
        return put(write(bytes));
      case 4: {
        Operation& trust = add(OpKind::trust);
        trust.writes = {bytes};
        return;
      }
      case 5:
      case 6: {
        // Skipped where its source is claimed: the claim grows by what it was to write, often from where it ends.
        const std::uint64_t piece = draw_piece();
        const Ref source = range(0, piece * period_, piece * period_ + piece_);
        Ref target = draw_shred();
        if (random_.one_in(2)) target = range(0, source.end, std::max(source.end, target.end));
        if (target.begin == target.end) return;
        return put(launch_of("noop", {source}, {target}));
      }
      case 7:
        if (random_.one_in(12)) add(OpKind::relocate).buffer = buffer_name(0);
        [[fallthrough]];
      default:
        return read(bytes);
    }
  }

  // Often the first or last of a block.
  std::uint64_t draw_piece() {
    if (random_.one_in(2)) return random_.below(pieces_);
    const std::uint64_t block = random_.between(0, pieces_ / kHalfBlock);
    const std::uint64_t near = kHalfBlock * block + random_.below(3);
    return std::min(near == 0 ? 0 : near - 1, pieces_ - 1);
  }

  Ref draw_shred() {
    const auto draw_point = [this] {
      const std::uint64_t piece = draw_piece();  // one draw a statement, or a compiler chooses their order
      return piece * period_ + random_.between(0, period_);
    };
    std::uint64_t begin = draw_point();
    std::uint64_t end = random_.one_in(2) ? begin + random_.between(1, 2 * period_) : draw_point();
    if (begin > end) std::swap(begin, end);
    end = std::min(std::max(end, begin + 1), pieces_ * period_);
    return range(0, std::min(begin, end - 1), end);
  }

  // ---- one failure, skip after skip

  void skip_and_skip() {
    const std::uint64_t buffers = random_.between(2, kMaxSlots);
    for (std::uint64_t i = 0; i < buffers; ++i) alloc(i, kSkippedBytes);
    fail(write({.buffer = buffer_name(0)}));
    while (more()) {
      if (random_.one_in(12)) {
        read({.buffer = buffer_name(random_.below(buffers))});
      } else if (random_.one_in(24)) {
        fail(write({.buffer = buffer_name(random_.below(buffers))}));
      } else {
        const Ref from = draw_part(buffers);  // before `to`, whatever order a compiler gives arguments
        const Ref to = draw_part(buffers);
        put(launch_of("noop", {from}, {to}));
      }
    }
    for (std::uint64_t i = 0; i < buffers; ++i) read({.buffer = buffer_name(i)});
  }

  // Mostly the whole; else so little that the next skip finds another range.
  Ref draw_part(std::uint64_t buffers) {
    const std::uint64_t slot = random_.below(buffers);
    if (!random_.one_in(4)) return {.buffer = buffer_name(slot)};
    const std::uint64_t begin = random_.below(kSkippedBytes);
    return range(slot, begin, random_.between(begin + 1, kSkippedBytes));
  }

  // ---- graphs that do little, over and over

  // What a graph writes orders it behind its last replay anyhow; many of these write nothing.
  void replay_and_replay() {
    const std::uint64_t buffers = random_.between(1, 3);
    for (std::uint64_t i = 0; i < buffers; ++i) alloc(i, kSkippedBytes);
    while (more()) {
      const NameId made = graph_name(random_.below(kMaxGraphs));
      const std::uint32_t stream = draw_stream();
      add(OpKind::capture_begin).stream = stream;
      for (std::uint64_t nodes = random_.between(1, 3); nodes > 0; --nodes) {
        Operation node = launch_of("noop", {draw_part(buffers)}, {});
        if (random_.one_in(4)) node.writes = {draw_part(buffers)};
        if (random_.one_in(4)) node.reads.clear();
        node.stream = stream;
        put(std::move(node));
      }
      Operation& end = add(OpKind::capture_end);
      end.stream = stream;
      end.graph = made;
      for (std::uint64_t replays = random_.between(1, 6); replays > 0; --replays) between_replays(made, buffers);
      if (more()) add(OpKind::destroy).graph = made;
    }
    // Who may be to blame for a lost device is who has not been waited for (D1), by way of the replays too.
    Operation trap = launch_of("trap");
    trap.stream = draw_stream();
    put(std::move(trap));
    add(OpKind::sync);
  }

  void between_replays(NameId made, std::uint64_t buffers) {
    if (random_.one_in(4)) put(write({.buffer = buffer_name(random_.below(buffers))}));
    if (random_.one_in(8)) fail(write({.buffer = buffer_name(random_.below(buffers))}));
    if (random_.one_in(3)) {
      Operation& sync = add(OpKind::sync);
      sync.has_stream = true;
      sync.stream = draw_stream();
    }
    Operation& replay = add(OpKind::replay);
    replay.graph = made;
    replay.stream = draw_stream();
    if (random_.one_in(6)) strike(replay);
  }

  // ---- operations

  static Ref range(std::uint64_t slot, std::uint64_t begin, std::uint64_t end) {
    return {.buffer = buffer_name(slot), .whole = false, .begin = begin, .end = end};
  }

  static Operation launch_of(std::string_view kernel, std::vector<Ref> reads = {}, std::vector<Ref> writes = {}) {
    Operation launch;
    launch.kind = OpKind::launch;
    launch.kernel = gpu::kernel_index(kernel);
    launch.reads = std::move(reads);
    launch.writes = std::move(writes);
    return launch;
  }

  Operation write(const Ref& bytes) {
    Operation operation;
    operation.kind = OpKind::write;
    operation.writes = {bytes};
    operation.fill = static_cast<std::uint8_t>(random_.below(256));
    return operation;
  }

  void put(Operation operation) { program_.operations.push_back(std::move(operation)); }
  void fail(Operation operation) {
    strike(operation);
    put(std::move(operation));
  }
  void strike(Operation& operation) {
    operation.fault = sim::Fault{
        .kind = random_.pick(faults_for(operation.kind)), .when = {}, .bytes_done = 0, .surface_after_calls = {}};
  }

  void alloc(std::uint64_t slot, std::uint64_t size_bytes) {
    Operation& operation = add(OpKind::alloc);
    operation.buffer = buffer_name(slot);
    operation.size = size_bytes;
  }
  void read(const Ref& bytes) {
    Operation& operation = add(OpKind::read);
    operation.stream = draw_stream();
    operation.reads = {bytes};
  }

  std::uint64_t piece_ = 1;   // bytes claimed of each
  std::uint64_t period_ = 2;  // bytes from the begin of a piece to that of the next
  std::uint64_t pieces_ = 0;
};

}  // namespace

traces::Program draw_drill(Random& random, std::uint64_t operations) { return Drill(random, operations).draw(); }

}  // namespace taintgraph::props
