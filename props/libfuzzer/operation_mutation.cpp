#include "props/libfuzzer/operation_mutation.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "gpu/fault_table.hpp"
#include "gpu/kernel_info.hpp"
#include "props/libfuzzer/fault_mutation.hpp"
#include "props/removal.hpp"

namespace taintgraph::props {
namespace {

using traces::NameId;
using traces::Operation;
using traces::OpKind;
using traces::Program;
using traces::Ref;

constexpr std::uint64_t kStrayStreamOneIn = 24;  // one that the device does not have
constexpr std::uint64_t kMaxDrawnSize = 256;     // of a buffer; drawn programs bring larger ones
constexpr std::uint64_t kMaxDeadline = 20'000;   // virtual nanoseconds: some operations' work
constexpr std::size_t kMaxRefs = 8;              // that a list is grown to; drawn programs bring longer ones

enum class Respect : std::uint8_t { stream, names, size, content, kernel, range, refs, fault };
constexpr std::array<std::uint16_t, 8> kRespectWeights = {4, 3, 3, 2, 2, 8, 2, 6};

class OperationMutation {
 public:
  OperationMutation(Random& random, Program& program, std::size_t index)
      : random_(random), program_(program), operation_(program.operations[index]) {}

  void apply() {
    // Not every operation has every respect; the draw falls to one that it has.
    auto respect = random_.weighted(kRespectWeights);
    for (std::size_t tried = 0; tried < kRespectWeights.size(); ++tried) {
      if (mutate(static_cast<Respect>(respect))) break;
      respect = (respect + 1) % kRespectWeights.size();
    }
    mend();
  }

 private:
  // False if the operation has nothing of the kind.
  bool mutate(Respect respect) {
    switch (respect) {
      case Respect::stream:
        return mutate_stream();
      case Respect::names:
        return mutate_names();
      case Respect::size:
        return mutate_size();
      case Respect::content:
        return mutate_content();
      case Respect::kernel:
        return mutate_kernel();
      case Respect::range:
        return mutate_range();
      case Respect::refs:
        return mutate_refs();
      case Respect::fault:
        return mutate_fault(random_, operation_);
    }
    return false;
  }

  bool mutate_stream() {
    switch (operation_.kind) {
      case OpKind::wait:
        (random_.one_in(2) ? operation_.stream : operation_.on) = draw_stream();
        return true;
      case OpKind::sync:
        operation_.has_stream = !random_.one_in(3);
        operation_.stream = operation_.has_stream ? draw_stream() : 0;
        return true;
      case OpKind::write:
      case OpKind::launch:
      case OpKind::copy:
      case OpKind::read:
      case OpKind::capture_begin:
      case OpKind::capture_end:
      case OpKind::replay:
        operation_.stream = draw_stream();
        return true;
      default:
        return false;
    }
  }

  std::uint32_t draw_stream() {
    const std::uint32_t streams = program_.header.device.streams;
    return random_.one_in(kStrayStreamOneIn) ? streams : static_cast<std::uint32_t>(random_.below(streams));
  }

  bool mutate_names() {
    if (operation_.graph != NameId::none) {
      const std::vector<NameId> graphs = graphs_of(program_);
      operation_.graph = random_.pick<NameId>(graphs);
      return true;
    }
    if (operation_.buffer != NameId::none) {
      operation_.buffer = draw_buffer();
      return true;
    }
    Ref* ref = draw_ref();
    if (ref != nullptr) ref->buffer = draw_buffer();
    return ref != nullptr;
  }

  // Requires: the program mentions a buffer.
  NameId draw_buffer() {
    const std::vector<NameId> buffers = buffers_of(program_);
    return random_.pick<NameId>(buffers);
  }

  bool mutate_size() {
    if (operation_.kind != OpKind::alloc) return false;
    operation_.size = random_.one_in(2) ? nudged(operation_.size) : random_.between(0, kMaxDrawnSize);
    return true;
  }

  bool mutate_content() {
    if (operation_.kind == OpKind::cleanup) {
      operation_.cleanup = operation_.cleanup == traces::CleanupMode::explicit_ ? traces::CleanupMode::periodic
                                                                                : traces::CleanupMode::explicit_;
      return true;
    }
    if (operation_.kind == OpKind::sync) {
      operation_.deadline.reset();
      if (!random_.one_in(3)) operation_.deadline = random_.below(kMaxDeadline);
      return true;
    }
    if (operation_.kind != OpKind::write) return false;
    if (!operation_.has_bytes || operation_.bytes.empty()) {
      operation_.fill = static_cast<std::uint8_t>(random_.below(256));
    } else {
      operation_.bytes[static_cast<std::size_t>(random_.below(operation_.bytes.size()))] =
          static_cast<std::uint8_t>(random_.below(256));
    }
    return true;
  }

  bool mutate_kernel() {
    if (operation_.kind != OpKind::launch) return false;
    if (random_.one_in(2)) operation_.kernel = static_cast<std::uint16_t>(random_.below(gpu::kernel_catalog().size()));
    const gpu::KernelInfo& kernel = gpu::kernel_catalog()[operation_.kernel];
    const std::uint64_t small = std::min<std::uint64_t>(kernel.scalar_max, 255);
    operation_.scalar = kernel.scalar.empty() ? 0 : random_.between(0, small);
    return true;
  }

  bool mutate_range() {
    Ref* ref = draw_ref();
    if (ref == nullptr) return false;
    if (ref->whole || random_.one_in(3)) {
      *ref = {.buffer = ref->buffer, .whole = false, .begin = draw_point(), .end = draw_point()};
      if (ref->begin > ref->end && !random_.one_in(8)) std::swap(ref->begin, ref->end);
      return true;
    }
    if (random_.one_in(6)) {
      *ref = {.buffer = ref->buffer};
    } else {
      std::uint64_t& edge = random_.one_in(2) ? ref->begin : ref->end;
      edge = random_.one_in(2) ? draw_point() : nudged(edge);
    }
    return true;
  }

  // An edge of some range or buffer of the program, so that ranges meet, or any small number.
  std::uint64_t draw_point() {
    const Operation& other = random_.pick<Operation>(program_.operations);
    if (other.kind == OpKind::alloc) return random_.one_in(2) ? other.size : random_.between(0, other.size / 2);
    const std::vector<Ref>& refs = other.writes.empty() ? other.reads : other.writes;
    if (refs.empty() || refs.front().whole) return random_.between(0, 64);
    return random_.one_in(2) ? refs.front().begin : refs.front().end;
  }

  // One more or less, or the double or half.
  std::uint64_t nudged(std::uint64_t value) {
    switch (random_.below(4)) {
      case 0:
        return value + 1;
      case 1:
        return value == 0 ? 1 : value - 1;
      case 2:
        return std::min(2 * std::min(value, kMaxDrawnSize), kMaxDrawnSize);
      default:
        return value / 2;
    }
  }

  // Lists of refs one longer or one shorter. The lists of a launch may be empty, what a read reads may not.
  bool mutate_refs() {
    const bool launch = operation_.kind == OpKind::launch;
    if (!launch && operation_.kind != OpKind::read) return false;
    std::vector<Ref>& refs = launch && random_.one_in(2) ? operation_.writes : operation_.reads;
    const bool shorter = refs.size() >= kMaxRefs || random_.one_in(2);
    if (shorter && refs.size() > (launch ? 0U : 1U)) {
      refs.erase(refs.begin() + static_cast<std::ptrdiff_t>(random_.below(refs.size())));
    } else if (refs.size() < kMaxRefs) {
      const std::vector<NameId> buffers = buffers_of(program_);
      if (buffers.empty()) return false;
      Ref ref{.buffer = random_.pick<NameId>(buffers)};
      if (random_.one_in(2)) ref = {.buffer = ref.buffer, .whole = false, .begin = draw_point(), .end = draw_point()};
      refs.push_back(ref);
    }
    return true;
  }

  // Any of the operation's; null if it has none.
  Ref* draw_ref() {
    const std::size_t reads = operation_.reads.size();
    const std::size_t all = reads + operation_.writes.size();
    if (all == 0) return nullptr;
    const auto index = static_cast<std::size_t>(random_.below(all));
    return index < reads ? &operation_.reads[index] : &operation_.writes[index - reads];
  }

  // A range and the bytes written to it must be of one length, or the file is wrong.
  void mend() {
    if (operation_.kind != OpKind::write || !operation_.has_bytes) return;
    const Ref& to = operation_.writes.front();
    if (to.whole || to.begin > to.end) return;
    if (to.end - to.begin > kMaxDrawnSize) {
      operation_.has_bytes = false;
      operation_.bytes.clear();
    } else {
      operation_.bytes.resize(static_cast<std::size_t>(to.end - to.begin), operation_.fill);
    }
  }

  Random& random_;
  Program& program_;
  Operation& operation_;
};

}  // namespace

void mutate_operation(Random& random, Program& program, std::size_t index) {
  OperationMutation(random, program, index).apply();
}

}  // namespace taintgraph::props
