// Draws the faults of a case as its profile's weather has it: which operation fails, of what, and how far it got.
#pragma once

#include <cstdint>
#include <optional>

#include "props/profile.hpp"
#include "props/random.hpp"
#include "traces/operation.hpp"
#include "traces/program.hpp"

namespace taintgraph::props {

class FaultDrawing {
 public:
  explicit FaultDrawing(const FaultWeather& weather) : weather_(weather) {}

  // Gives the operation a fault, or not. Called once for each operation, in order.
  void strike(Random& random, traces::Operation& operation);

 private:
  [[nodiscard]] std::uint32_t rate();

  FaultWeather weather_;
  std::uint64_t drawn_ = 0;
};

// Puts `count` faults into the header's plan, each for one driver call of one operation, which is given an id for the
// purpose. They reach what an operation's own fault cannot: events, loading, memory given back.
void plan_faults(Random& random, std::uint32_t count, traces::Program& program);

}  // namespace taintgraph::props
