// A few child processes at work side by side, each on a piece of work of its own.
//
// It knows nothing of cases and their order; pieces are told apart by the tickets that they were started with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "props/isolation.hpp"

namespace taintgraph::props {

class WorkerPool {
 public:
  // What a child does, telling its progress.
  using Work = std::function<std::string(SharedProgress&)>;

  // A piece that is over, and where it stood at the end.
  struct Ended {
    std::uint64_t ticket = 0;
    Child::Outcome outcome;
    std::uint64_t case_number = 0;
    std::uint64_t step = 0;
  };

  // `workers`: how many at a time, at least one.
  WorkerPool(std::size_t workers, const ChildLimits& limits);

  [[nodiscard]] std::size_t workers() const { return slots_.size(); }
  [[nodiscard]] std::size_t busy() const;

  // Requires: not all workers are busy. `first_case` is what it is at until it says otherwise.
  void start(std::uint64_t ticket, std::uint64_t first_case, const Work& work);

  // Waits a moment; returns the pieces that are over, in no order.
  [[nodiscard]] std::vector<Ended> wait();

  // Ends the pieces whose ticket is `ticket` or above; nothing is heard of them again.
  void drop_from(std::uint64_t ticket);

 private:
  struct Slot {
    SharedProgress progress;
    std::uint64_t ticket = 0;
    std::unique_ptr<Child> child;  // null: idle
  };

  ChildLimits limits_;
  std::vector<std::unique_ptr<Slot>> slots_;
};

}  // namespace taintgraph::props
