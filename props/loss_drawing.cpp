#include "props/loss_drawing.hpp"

#include <span>

#include "props/operation_faults.hpp"

namespace taintgraph::props {
namespace {

using gpu::FaultKind;
using gpu::FaultWhen;
using traces::OpKind;

constexpr std::uint64_t kLongestLoss = 5;      // operations until a reset, so that most kinds are refused now and then
constexpr std::uint64_t kLongestSilence = 24;  // driver calls, a handful of operations
constexpr std::uint64_t kIdleOneIn = 3;        // of faults on what submits nothing: they can only poison at once
constexpr std::uint64_t kVainResetOneIn = 4;   // of operations once the device is lost for good

// Seldom drawn, and seldom good for anything but a rejection: they get their turn while the device is lost.
constexpr OpKind kSeldomRefused[] = {OpKind::replay,      OpKind::replay,        OpKind::copy, OpKind::relocate,
                                     OpKind::capture_end, OpKind::capture_begin, OpKind::wait};
constexpr std::uint64_t kSeldomRefusedOneIn = 4;

bool submits(OpKind kind) {
  return kind == OpKind::write || kind == OpKind::launch || kind == OpKind::copy || kind == OpKind::replay;
}

}  // namespace

bool LossDrawing::strike(Random& random, traces::Operation& operation) {
  ++drawn_;
  if (losses_.one_in == 0 || faults_for(operation.kind).empty() || !random.one_in(losses_.one_in)) return false;
  if (!submits(operation.kind) && !random.one_in(kIdleOneIn)) return false;
  sim::Fault fault{.kind = FaultKind::assert_, .when = {}, .bytes_done = 0, .surface_after_calls = {}};
  const std::span<const FaultKind> for_good = fatal_faults_for(operation.kind);
  const bool last = for_good_now(random) && !for_good.empty();
  if (last) fault.kind = random.pick(for_good);
  if (submits(operation.kind) && random.below(100) < losses_.async_percent) {
    fault.when = FaultWhen::async;
    if (random.below(100) < losses_.late_percent) fault.surface_after_calls = random.between(1, kLongestSilence);
  } else {
    fault.when = random.one_in(4) ? FaultWhen::after : FaultWhen::before;
  }
  operation.fault = fault;
  lost(random, last);
  return true;
}

std::optional<Shape> LossDrawing::draw_faulting_kernel(Random& random) {
  if (losses_.kernel_one_in == 0 || !random.one_in(losses_.kernel_one_in)) return std::nullopt;
  const bool last = for_good_now(random);
  lost(random, last);
  if (!last) return Shape::device_assert;
  return random.one_in(2) ? Shape::trap : Shape::out_of_bounds;
}

OpKind LossDrawing::redirect(Random& random, OpKind kind) {
  if (!reset_in_) return kind;
  if (random.one_in(kSeldomRefusedOneIn)) return random.pick<OpKind>(kSeldomRefused);
  if (lost_for_good_) return random.one_in(kVainResetOneIn) ? OpKind::reset : kind;
  if (*reset_in_ == 0) return OpKind::reset;
  --*reset_in_;
  return *reset_in_ == 0 && !random.one_in(3) ? OpKind::sync : kind;
}

bool LossDrawing::recovered() {
  if (!reset_in_ || lost_for_good_) return false;
  reset_in_.reset();
  return true;
}

bool LossDrawing::for_good_now(Random& random) const {
  return losses_.for_good_one_in != 0 && drawn_ >= first_for_good_ && random.one_in(losses_.for_good_one_in);
}

void LossDrawing::lost(Random& random, bool for_good) {
  if (!reset_in_) reset_in_ = random.between(1, kLongestLoss);
  lost_for_good_ = lost_for_good_ || for_good;
}

}  // namespace taintgraph::props
