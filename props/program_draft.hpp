// What programs drawn for one purpose have in common while they are in the making. Those of the drawing for all
// purposes are made by the generator itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "props/capture_drawing.hpp"
#include "props/profile.hpp"
#include "props/random.hpp"
#include "sim/fault_plan.hpp"
#include "traces/program.hpp"

namespace taintgraph::props {

class ProgramDraft {
 protected:
  // `operations`: how long it is to become; `beyond`: by how many it may become longer. A reference to an operation
  // holds as long as it does not.
  ProgramDraft(Random& random, std::uint64_t operations, std::uint64_t beyond = kMaxSlots)
      : random_(random), length_(operations) {
    program_.header.seed = random.next();
    program_.names = drawn_names();
    program_.operations.reserve(static_cast<std::size_t>(length_ + beyond));
  }

  [[nodiscard]] bool more() const { return program_.operations.size() < length_; }
  std::uint32_t draw_stream() { return static_cast<std::uint32_t>(random_.below(program_.header.device.streams)); }

  traces::Operation& add(traces::OpKind kind) {
    program_.operations.emplace_back().kind = kind;
    return program_.operations.back();
  }

  // A fault to be planned for a call of the operation at `index`, which gets a name for it if it has none.
  sim::PlannedFault plan_for(std::size_t index, gpu::Call call) {
    traces::Operation& operation = program_.operations[index];
    if (operation.id == traces::NameId::none) operation.id = program_.names.intern("f" + std::to_string(index));
    sim::PlannedFault planned;
    planned.id = "p" + std::to_string(program_.header.faults.size());
    planned.call = call;
    planned.operation = program_.names.text(operation.id);
    return planned;
  }

  Random& random_;
  std::uint64_t length_;
  traces::Program program_;
};

}  // namespace taintgraph::props
