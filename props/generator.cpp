#include "props/generator.hpp"

#include <numeric>
#include <string>
#include <utility>

#include "props/aimed_drawing.hpp"
#include "props/capture_drawing.hpp"
#include "props/disorder_drawing.hpp"
#include "props/drill_drawing.hpp"
#include "props/fault_drawing.hpp"
#include "props/hang_drawing.hpp"
#include "props/launch_drawing.hpp"
#include "props/loss_drawing.hpp"
#include "props/profile.hpp"
#include "props/removal.hpp"
#include "props/slots.hpp"

namespace taintgraph::props {
namespace {

using traces::Operation;
using traces::OpKind;
using traces::Ref;

constexpr std::uint64_t kAimedOneIn = 4;           // programs
constexpr std::uint64_t kDrillOneIn = 8;           // of the others
constexpr std::uint64_t kDisorderOneIn = 12;       // of what is left
constexpr std::uint64_t kHangOneIn = 24;           // of what is left
constexpr std::uint64_t kReplaceLostPercent = 60;  // of operations, while a reset's lost buffers are around

// One program in the making.
class Draft {
 public:
  Draft(Random& random, const Profile& profile, std::uint64_t operations)
      : random_(random),
        profile_(profile),
        kinds_sum_(std::accumulate(profile.operations.begin(), profile.operations.end(), std::uint64_t{0})),
        slots_(profile),
        captures_(profile),
        losses_(profile, operations),
        faults_(profile.faults) {}

  // A few buffers to begin with; programs that must first find some spend half their length on it.
  void open(std::vector<Operation>& operations) {
    const std::uint64_t count = random_.between(1, profile_.slots);
    for (std::uint64_t i = 0; i < count; ++i) {
      Operation& operation = operations.emplace_back();
      draw(OpKind::alloc, operation);
      finish(operation);
    }
  }

  // Makes a fresh operation the next one.
  void draw_next(Operation& operation) {
    if (half_done_) return look_at_half_done(operation);
    if (realloc_size_) {
      draw_realloc(operation);
    } else {
      draw(draw_kind(), operation);
    }
    finish(operation);
  }

 private:
  // Where every name is taken, a reservation would be rejected, which is worth a try now and then only. Buffers that a
  // reset has emptied are replaced before long, or nothing would ever run again.
  OpKind draw_kind() {
    const auto kind = static_cast<OpKind>(random_.weighted(profile_.operations, kinds_sum_));
    if (slots_.lost_one() && random_.below(100) < kReplaceLostPercent) return OpKind::free;
    if (kind == OpKind::alloc && slots_.all_live() && !random_.one_in(16)) return OpKind::free;
    return losses_.redirect(random_, captures_.redirect(random_, kind));
  }

  void finish(Operation& operation) {
    if (!losses_.strike(random_, operation)) faults_.strike(random_, operation);
    if (operation.fault) captures_.struck(operation);
    const bool half_done = operation.fault && operation.fault->bytes_done > 0 && !operation.writes.empty();
    if (half_done && random_.one_in(2)) half_done_ = operation.writes.front();
  }

  // Declared good, and then read as it was left: new bytes first, old ones behind them (B5).
  void look_at_half_done(Operation& operation) {
    if (!std::exchange(trusted_, !trusted_)) {
      operation.kind = OpKind::trust;
      operation.writes = {*half_done_};
      return;
    }
    operation.kind = OpKind::read;
    operation.stream = draw_running_stream();
    operation.reads = {*std::exchange(half_done_, std::nullopt)};
  }

  void draw(OpKind kind, Operation& operation) {
    operation.kind = kind;
    switch (kind) {
      case OpKind::alloc:
        draw_alloc(operation);
        break;
      case OpKind::free:
        draw_free(operation);
        break;
      case OpKind::write:
        draw_write(operation);
        break;
      case OpKind::launch:
        operation.stream = captures_.stream_to_record(random_, draw_stream());
        if (const std::optional<Shape> ill = draw_ill_kernel()) {
          draw_ill_launch(random_, *ill, slots_, operation);
        } else {
          draw_launch(random_, profile_, slots_, operation);
        }
        break;
      case OpKind::copy:
        operation.stream = captures_.stream_to_record(random_, draw_stream());
        draw_copy(random_, slots_, operation);
        break;
      case OpKind::read:
        draw_read(operation);
        break;
      case OpKind::sync:
        operation.has_stream = !random_.one_in(3);
        if (operation.has_stream) operation.stream = draw_running_stream();
        if (random_.below(100) < profile_.hangs.deadline_percent) operation.deadline = draw_deadline();
        break;
      case OpKind::wait:
        operation.stream = draw_running_stream();
        operation.on = captures_.stream_to_run(random_, draw_any_stream());
        break;
      case OpKind::trust:
        operation.writes.push_back(slots_.draw_ref(random_, slots_.draw_source(random_)));
        break;
      case OpKind::cleanup:
        operation.cleanup = random_.one_in(3) ? traces::CleanupMode::periodic : traces::CleanupMode::explicit_;
        break;
      case OpKind::relocate:
        operation.buffer = static_cast<traces::NameId>(slots_.draw_source(random_));
        break;
      case OpKind::capture_begin:
        captures_.draw_begin(random_, operation);
        break;
      case OpKind::capture_end:
        captures_.draw_end(random_, operation);
        break;
      case OpKind::replay:
        captures_.draw_replay(random_, operation);
        break;
      case OpKind::destroy:
        captures_.draw_destroy(random_, operation);
        break;
      case OpKind::reset:
        draw_reset();
        break;
      case OpKind::check:  // says nothing that the checker does not look at after every operation
        break;
    }
  }

  std::optional<Shape> draw_ill_kernel() {
    const std::uint32_t spin_one_in = profile_.hangs.spin_one_in;
    if (spin_one_in != 0 && random_.one_in(spin_one_in)) return Shape::spin;
    return losses_.draw_faulting_kernel(random_);
  }

  // Too short for any work, about as long as some work takes, and longer than all work does that ends at all.
  std::uint64_t draw_deadline() {
    constexpr std::uint64_t kLongest[] = {0, 2'000, 20'000, 1'000'000'000};
    return random_.between(0, random_.pick<std::uint64_t>(kLongest));
  }

  std::uint32_t draw_any_stream() { return static_cast<std::uint32_t>(random_.below(profile_.device.streams)); }

  std::uint32_t draw_stream() {
    if (random_.one_in(profile_.stream_switch_one_in)) stream_ = draw_any_stream();
    return stream_;
  }

  std::uint32_t draw_running_stream() { return captures_.stream_to_run(random_, draw_stream()); }

  void draw_reset() {
    if (!losses_.recovered()) return;
    slots_.lose_all();
    captures_.forget();
  }

  void draw_alloc(Operation& operation) {
    const SlotIndex slot = slots_.draw(random_, false);
    operation.buffer = static_cast<traces::NameId>(slot);
    operation.size = slots_.draw_size(random_);
    if (!slots_.live(slot)) slots_.allocated(slot, operation.size);
  }

  // A free is often followed by a reservation of that very size: memory still in use must not be handed out then.
  void draw_free(Operation& operation) {
    const std::optional<SlotIndex> lost = slots_.lost_one();
    const SlotIndex slot = lost ? *lost : slots_.draw(random_, true);
    operation.buffer = static_cast<traces::NameId>(slot);
    if (slots_.live(slot) && (lost || random_.one_in(2))) realloc_size_ = slots_.size(slot);
    slots_.freed(slot);
  }

  void draw_realloc(Operation& operation) {
    operation.kind = OpKind::alloc;
    const SlotIndex slot = slots_.draw(random_, false);
    operation.buffer = static_cast<traces::NameId>(slot);
    operation.size = *std::exchange(realloc_size_, std::nullopt);
    if (!slots_.live(slot)) slots_.allocated(slot, operation.size);
  }

  void draw_write(Operation& operation) {
    operation.stream = draw_running_stream();
    const SlotIndex slot = slots_.draw(random_, true);
    const traces::Ref ref = slots_.draw_ref(random_, slot);
    operation.writes.push_back(ref);
    slots_.written(slot);
    operation.has_bytes = random_.one_in(4);
    if (!operation.has_bytes) {
      operation.fill = static_cast<std::uint8_t>(random_.below(256));
      return;
    }
    // Only a whole ref can be of another length than its bytes: with the length in the ref, the file itself is wrong.
    const std::uint64_t length = slots_.length(ref) + (ref.whole && random_.one_in(24) ? 1 : 0);
    operation.bytes.resize(static_cast<std::size_t>(length));
    for (std::uint8_t& byte : operation.bytes) byte = static_cast<std::uint8_t>(random_.below(256));
  }

  void draw_read(Operation& operation) {
    operation.stream = draw_running_stream();
    const std::uint64_t count = random_.one_in(3) ? random_.between(2, 4) : 1;
    operation.reads.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) {
      operation.reads.push_back(slots_.draw_ref(random_, slots_.draw_source(random_)));
    }
  }

  Random& random_;
  const Profile& profile_;
  std::uint64_t kinds_sum_;  // of the profile's weights
  Slots slots_;
  CaptureDrawing captures_;
  LossDrawing losses_;
  FaultDrawing faults_;
  std::uint32_t stream_ = 0;
  std::optional<std::uint64_t> realloc_size_;  // of a buffer just freed
  std::optional<Ref> half_done_;               // that a failed operation wrote a part of
  bool trusted_ = false;                       // it is declared good already
};

}  // namespace

traces::Program generate(Random& random, const GeneratorOptions& options) {
  const std::uint64_t length =
      random.between(options.operations - options.operations / 2, options.operations + options.operations / 2);
  if (random.one_in(kAimedOneIn)) return with_all_buffers_allocated(draw_aimed(random, length));
  if (random.one_in(kDrillOneIn)) return draw_drill(random, length);
  if (random.one_in(kDisorderOneIn)) return with_all_buffers_allocated(draw_disorder(random, length));
  if (random.one_in(kHangOneIn)) return with_all_buffers_allocated(draw_hang(random, length));
  const Profile profile = draw_profile(random);
  traces::Program program;
  program.header.seed = random.next();
  program.header.device = profile.device;
  program.names = drawn_names();
  program.operations.reserve(static_cast<std::size_t>(length) + kMaxSlots);
  Draft draft(random, profile, length);
  draft.open(program.operations);
  while (program.operations.size() < length) draft.draw_next(program.operations.emplace_back());
  plan_faults(random, profile.planned_faults, program);
  return with_all_buffers_allocated(std::move(program));
}

traces::Program generate(std::uint64_t seed, std::uint64_t case_number, const GeneratorOptions& options) {
  Random random(seed, case_number);
  return generate(random, options);
}

}  // namespace taintgraph::props
