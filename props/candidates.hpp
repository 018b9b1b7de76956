// The programs one step simpler than a given one, made one at a time: for searches that bring their own strategy, such
// as RapidCheck's. The shrinker itself (shrink.hpp) takes the same steps in an order of its own.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "traces/program.hpp"

namespace taintgraph::props {

class Candidates {
 public:
  explicit Candidates(traces::Program program);

  // The next one, boldest first: chunks of operations left out, from half the program down to one; then a simpler
  // device; then simpler sizes; then each operation simplified. Nothing once all were given.
  [[nodiscard]] std::optional<traces::Program> next();

 private:
  enum class Stage : std::uint8_t { chunks, whole, operations, done };

  [[nodiscard]] std::optional<traces::Program> next_without_chunk();
  void fill_with_whole();
  void fill_with_operation();

  traces::Program program_;
  Stage stage_ = Stage::chunks;
  std::size_t chunk_;
  std::size_t chunk_end_;
  std::size_t operation_ = 0;            // the next one to be simplified
  std::vector<traces::Program> queued_;  // of the present stage, last first
};

}  // namespace taintgraph::props
