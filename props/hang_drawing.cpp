#include "props/hang_drawing.hpp"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/kernel_catalog.hpp"
#include "props/capture_drawing.hpp"
#include "props/profile.hpp"
#include "props/program_draft.hpp"

namespace taintgraph::props {
namespace {

using traces::NameId;
using traces::Operation;
using traces::OpKind;
using traces::Ref;

constexpr std::uint64_t kBuffers = 2;
constexpr std::uint64_t kShortWait = 4'000;  // nanoseconds: some pieces of work take less, some more
// More bytes than are staged at once, and more operands than a table of as many takes.
constexpr std::uint64_t kLongBytes = 1'100;
constexpr std::uint64_t kManyOperands = 70;

class Hang : ProgramDraft {
 public:
  Hang(Random& random, std::uint64_t operations) : ProgramDraft(random, operations) {}

  traces::Program draw() {
    while (more()) round();
    program_.operations.resize(static_cast<std::size_t>(length_));
    return std::move(program_);
  }

 private:
  void round() {
    held_up_ = draw_stream();
    for (std::uint64_t slot = 0; slot < kBuffers; ++slot) renew(slot);
    if (random_.one_in(2)) be_slow();
    hang();
    for (std::uint64_t behind = random_.between(1, 4); behind > 0; --behind) stand_behind();
    wait_in_vain();
    if (random_.one_in(8)) return;  // the next round goes on beside it
    lose();
    sync(held_up_, std::nullopt);  // what hung is gone with its context
  }

  void renew(std::uint64_t slot) {
    if (!program_.operations.empty()) add(OpKind::free).buffer = buffer_name(slot);
    Operation& alloc = add(OpKind::alloc);
    alloc.buffer = buffer_name(slot);
    alloc.size = random_.one_in(4) ? kLongBytes : random_.between(1, 32);
  }

  // Given up on or not, a wait without a deadline comes to its end.
  void be_slow() {
    for (std::uint64_t pieces = random_.between(1, 4); pieces > 0; --pieces) launch("noop", {draw_buffer()}, {});
    sync(held_up_, draw_short_wait());
    sync(held_up_, std::nullopt);
  }

  void hang() {
    if (!random_.one_in(3)) return launch("spin", {}, {draw_buffer()});
    const NameId made = graph_name(random_.below(kMaxGraphs));
    add(OpKind::destroy).graph = made;
    add(OpKind::capture_begin).stream = held_up_;
    if (random_.one_in(2)) launch("noop", {draw_buffer()}, {});
    launch("spin", {}, {draw_buffer()});
    Operation& end = add(OpKind::capture_end);
    end.stream = held_up_;
    end.graph = made;
    Operation& replay = add(OpKind::replay);
    replay.graph = made;
    replay.stream = held_up_;
  }

  // On its stream, or after it by bytes or by order.
  void stand_behind() {
    const std::uint32_t stream = random_.one_in(2) ? held_up_ : draw_stream();
    switch (random_.below(7)) {
      case 0: {
        Operation& write = add(OpKind::write);
        write.stream = stream;
        write.writes = {draw_buffer()};
        return;
      }
      case 1: {
        // One draw a statement, or a compiler chooses their order.
        const std::size_t operands = random_.one_in(3) ? kManyOperands : 1;
        const Ref from = draw_buffer();
        const Ref to = draw_buffer();
        launch("noop", std::vector<Ref>(operands, from), {to});
        program_.operations.back().stream = stream;
        return;
      }
      case 2: {
        Operation& read = add(OpKind::read);
        read.stream = stream;
        read.reads = {draw_buffer()};
        return;
      }
      case 3: {
        Operation& wait = add(OpKind::wait);
        wait.stream = draw_stream();
        wait.on = held_up_;
        return;
      }
      case 4:
        add(OpKind::capture_begin).stream = stream;
        return;
      case 5:
        add(OpKind::relocate).buffer = draw_buffer().buffer;
        return;
      default:
        return sync(stream, draw_short_wait());
    }
  }

  void wait_in_vain() {
    switch (random_.below(3)) {
      case 0:
        add(OpKind::sync);  // for all streams
        return;
      case 1:
        return sync(held_up_, draw_short_wait());
      default:
        return sync(held_up_, std::nullopt);
    }
  }

  // The only way out. Where the other stream is held up too there is none, and the reset is rejected.
  void lose() {
    launch("device_assert", {}, {});
    const std::uint32_t other = (held_up_ + 1) % program_.header.device.streams;
    program_.operations.back().stream = other;
    sync(other, std::nullopt);
    add(OpKind::reset);
  }

  // ---- operations

  std::uint64_t draw_short_wait() { return random_.one_in(4) ? 0 : random_.below(kShortWait); }
  Ref draw_buffer() { return {.buffer = buffer_name(random_.below(kBuffers))}; }

  // On the stream that is to hang.
  void launch(std::string_view kernel, std::vector<Ref> reads, std::vector<Ref> writes) {
    Operation& operation = add(OpKind::launch);
    operation.kernel = gpu::kernel_index(kernel);
    operation.stream = held_up_;
    operation.reads = std::move(reads);
    operation.writes = std::move(writes);
  }

  void sync(std::uint32_t stream, std::optional<std::uint64_t> deadline) {
    Operation& operation = add(OpKind::sync);
    operation.has_stream = true;
    operation.stream = stream;
    operation.deadline = deadline;
  }

  std::uint32_t held_up_ = 0;
};

}  // namespace

traces::Program draw_hang(Random& random, std::uint64_t operations) { return Hang(random, operations).draw(); }

}  // namespace taintgraph::props
