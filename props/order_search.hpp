// Every order in which a device may do the work of one program, by running it again and again: first with the first
// answer to every question, then with the last question that has another answer left answered otherwise, and so on.
#pragma once

#include <cstddef>
#include <vector>

#include "props/determinism.hpp"
#include "sim/device_order.hpp"

namespace taintgraph::props {

class OrderSearch final : public sim::DeviceOrder {
 public:
  [[nodiscard]] std::size_t choose(std::size_t alternatives) override;

  // After a run: turns to the next order. False if there is none left.
  [[nodiscard]] bool next();

 private:
  struct Answer {
    std::size_t given = 0;
    std::size_t alternatives = 0;
  };
  std::vector<Answer> answers_;
  std::size_t asked_ = 0;  // questions of the run that goes on
};

// Judges a program in every order, until one fails: that run, or the last one, with the counts of all and the schedule
// that it took. Orders that differ only in what cannot make a difference are one (sim::DeviceOrder).
[[nodiscard]] CheckedRun judge_every_order(const Judge& judge, const traces::Program& program,
                                           const CheckOptions& options);

// A program with the schedules that its run took, operation by operation, so that a replay takes them too.
[[nodiscard]] traces::Program with_schedules(traces::Program program,
                                             const std::vector<std::vector<std::uint32_t>>& schedules);

}  // namespace taintgraph::props
