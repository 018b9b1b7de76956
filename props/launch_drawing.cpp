#include "props/launch_drawing.hpp"

#include <algorithm>
#include <array>

#include "gpu/kernel_catalog.hpp"

namespace taintgraph::props {
namespace {

using traces::Operation;
using traces::Ref;

constexpr std::array<const char*, kShapeCount> kKernelNames = {
    "fill",   "iota", "copy", "add",           "scale",         "gather", "reduce",
    "matmul", "noop", "trap", "out_of_bounds", "device_assert", "spin"};
constexpr std::uint64_t kMisfitOneIn = 24;  // a launch whose parts do not fit
constexpr std::uint64_t kMaxMatrix = 5;
constexpr std::uint64_t kNarrowest = 17;  // of a wide launch: more ranges than a kernel's parameters have room for
constexpr std::uint64_t kWidest = 300;    // more claims than one block of them holds

using KernelIndices = std::array<std::uint16_t, kShapeCount>;

KernelIndices look_up_kernels() {
  KernelIndices result{};
  for (std::size_t i = 0; i < kShapeCount; ++i) {
    result[i] = gpu::kernel_index(kKernelNames[i]);
  }
  return result;
}

std::uint16_t kernel_index(Shape shape) {
  static const KernelIndices indices = look_up_kernels();
  return indices[static_cast<std::size_t>(shape)];
}

bool meets(const Slots& slots, const Ref& ref, const std::vector<Ref>& others) {
  return std::any_of(others.begin(), others.end(), [&](const Ref& other) { return slots.overlap(ref, other); });
}

// Written ranges that share no byte with each other; overlapping draws are left out.
void draw_apart_writes(Random& random, Slots& slots, Operation& operation) {
  const std::uint64_t wanted = random.one_in(3) ? random.between(2, 4) : 1;
  operation.writes.reserve(static_cast<std::size_t>(wanted));
  for (std::uint64_t i = 0; i < wanted; ++i) {
    const SlotIndex slot = slots.draw(random, true);
    const Ref ref = slots.draw_ref(random, slot);
    if (!meets(slots, ref, operation.writes)) operation.writes.push_back(ref);
  }
}

// A range to write and `count` ranges of its length to read; what would overlap is read in place instead.
void draw_matched(Random& random, Slots& slots, Operation& operation, std::uint64_t count) {
  const SlotIndex first_source = slots.draw_source(random);
  const SlotIndex to = random.one_in(6) ? first_source : slots.draw_other(random, first_source);
  Ref written = slots.draw_ref(random, to);
  std::uint64_t length = slots.length(written);
  operation.reads.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t i = 0; i < count; ++i) {
    const SlotIndex from = i == 0 ? first_source : slots.draw_source(random);
    if (slots.size(from) < length) {  // shorten what is written rather than miss
      length = slots.size(from);
      written = slots.draw_ref_of(random, to, std::min(length, slots.size(to)));
      length = slots.length(written);
      for (Ref& earlier : operation.reads) {
        earlier = slots.draw_ref_of(random, static_cast<SlotIndex>(earlier.buffer), length);
      }
    }
    operation.reads.push_back(slots.draw_ref_of(random, from, length));
  }
  for (Ref& read : operation.reads) {
    if (slots.overlap(read, written)) read = written;  // in place, by the same index
  }
  operation.writes.push_back(written);
}

void draw_gather(Random& random, Slots& slots, Operation& operation) {
  draw_matched(random, slots, operation, 1);  // the indices
  const SlotIndex source = slots.draw_other(random, static_cast<SlotIndex>(operation.writes[0].buffer));
  Ref ref = slots.draw_ref(random, source);
  // No index into no bytes: what that means is nobody's to say.
  if (slots.length(ref) == 0) ref = {.buffer = static_cast<traces::NameId>(source)};
  operation.reads.insert(operation.reads.begin(), ref);
}

void draw_reduce(Random& random, Slots& slots, Operation& operation) {
  const SlotIndex first = slots.draw_source(random);
  const SlotIndex to = slots.draw_other(random, first);
  Ref written = slots.draw_ref(random, to);
  // `reduce` needs a byte to put its sum in.
  if (slots.length(written) == 0 && slots.size(to) > 0) written = {.buffer = static_cast<traces::NameId>(to)};
  const std::uint64_t count = random.between(1, 4);
  operation.reads.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t i = 0; i < count; ++i) {
    const Ref read = slots.draw_ref(random, i == 0 ? first : slots.draw_source(random));
    if (i == 0 || !slots.overlap(read, written)) operation.reads.push_back(read);
  }
  operation.writes.push_back(written);
}

void draw_matmul(Random& random, Slots& slots, Operation& operation) {
  const SlotIndex a = slots.draw_source(random);
  const SlotIndex to = slots.draw_other(random, a);
  const SlotIndex b = slots.draw_source(random);
  const std::uint64_t room = std::min({slots.size(a), slots.size(to), slots.size(b)});
  std::uint64_t n = random.between(1, kMaxMatrix);
  while (n > 0 && n * n > room) --n;
  operation.scalar = n;
  for (const SlotIndex from : {a, b}) operation.reads.push_back(slots.draw_ref_of(random, from, n * n));
  operation.writes.push_back(slots.draw_ref_of(random, to, n * n));
}

// Declares anything, overlaps too.
void draw_noop(Random& random, Slots& slots, Operation& operation) {
  const std::uint64_t reads = random.below(4);
  const std::uint64_t writes = random.below(4);
  operation.reads.reserve(static_cast<std::size_t>(reads));
  operation.writes.reserve(static_cast<std::size_t>(writes));
  for (std::uint64_t i = 0; i < reads; ++i) {
    operation.reads.push_back(slots.draw_ref(random, slots.draw_source(random)));
  }
  for (std::uint64_t i = 0; i < writes; ++i) {
    operation.writes.push_back(slots.draw_ref(random, slots.draw(random, true)));
  }
}

// Many reads: they stand in a table, which must last until the sum is taken and grows where it is too small.
void draw_wide_reduce(Random& random, Slots& slots, Operation& operation) {
  operation.kernel = kernel_index(Shape::reduce);
  const Ref written{.buffer = static_cast<traces::NameId>(slots.draw(random, true))};
  const std::uint64_t count = random.between(kNarrowest, 4 * kNarrowest);
  const SlotIndex first = slots.draw_other(random, static_cast<SlotIndex>(written.buffer));
  operation.reads.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t i = 0; i < count; ++i) {
    const SlotIndex from = random.one_in(4) ? slots.draw_source(random) : first;
    const Ref read = slots.draw_ref(random, from);
    if (!slots.overlap(read, written)) operation.reads.push_back(read);
  }
  operation.writes.push_back(written);
}

// Every other byte of a buffer, so that a failure leaves a claim on each.
void draw_stripes(Random& random, Slots& slots, Operation& operation) {
  operation.kernel = kernel_index(Shape::fill);
  operation.scalar = random.below(256);
  const SlotIndex slot = slots.draw(random, true);
  const std::uint64_t count = std::min(slots.size(slot) / 2, random.between(kNarrowest, kWidest));
  const std::uint64_t first = random.below(2);
  operation.writes.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t begin = first + 2 * i;
    operation.writes.push_back(
        {.buffer = static_cast<traces::NameId>(slot), .whole = false, .begin = begin, .end = begin + 1});
  }
}

// One wrong thing: a part too many or too few, a length off by one, an overlap.
void spoil(Random& random, Slots& slots, Operation& operation) {
  switch (random.below(4)) {
    case 0:
      operation.reads.push_back(slots.draw_ref(random, slots.draw(random, true)));
      break;
    case 1:
      if (!operation.reads.empty()) operation.reads.pop_back();
      break;
    case 2:
      if (!operation.writes.empty()) operation.writes.push_back(operation.writes[0]);
      break;
    default:
      if (!operation.writes.empty() && !operation.writes[0].whole) ++operation.writes[0].end;
      break;
  }
}

}  // namespace

const char* kernel_name(Shape shape) { return kKernelNames[static_cast<std::size_t>(shape)]; }

void draw_ill_launch(Random& random, Shape shape, Slots& slots, Operation& operation) {
  operation.kernel = kernel_index(shape);
  draw_noop(random, slots, operation);
}

void draw_launch(Random& random, const Profile& profile, Slots& slots, Operation& operation) {
  if (random.one_in(profile.wide_one_in)) {
    random.one_in(2) ? draw_wide_reduce(random, slots, operation) : draw_stripes(random, slots, operation);
    for (const Ref& ref : operation.writes) slots.written(static_cast<SlotIndex>(ref.buffer));
    return;
  }
  const auto shape = static_cast<Shape>(random.weighted(profile.shapes));
  operation.kernel = kernel_index(shape);
  switch (shape) {
    case Shape::fill:
      operation.scalar = random.below(256);
      draw_apart_writes(random, slots, operation);
      break;
    case Shape::iota:
      draw_apart_writes(random, slots, operation);
      break;
    case Shape::copy:
      draw_matched(random, slots, operation, 1);
      break;
    case Shape::add:
      draw_matched(random, slots, operation, random.between(1, 4));
      break;
    case Shape::scale:
      operation.scalar = random.below(256);
      draw_matched(random, slots, operation, 1);
      break;
    case Shape::gather:
      draw_gather(random, slots, operation);
      break;
    case Shape::reduce:
      draw_reduce(random, slots, operation);
      break;
    case Shape::matmul:
      draw_matmul(random, slots, operation);
      break;
    default:  // noop, and the faulting kernels
      draw_noop(random, slots, operation);
      break;
  }
  if (random.one_in(kMisfitOneIn)) spoil(random, slots, operation);
  for (const Ref& ref : operation.writes) slots.written(static_cast<SlotIndex>(ref.buffer));
}

void draw_copy(Random& random, Slots& slots, Operation& operation) {
  draw_matched(random, slots, operation, 1);
  Ref& to = operation.writes[0];
  if (random.one_in(kMisfitOneIn)) to = slots.draw_ref(random, static_cast<SlotIndex>(to.buffer));  // any length
  slots.written(static_cast<SlotIndex>(to.buffer));
}

}  // namespace taintgraph::props
