// Decides what a device is free to decide: whether work is done by the time somebody asks, and which of two pieces of
// work that nothing orders comes first. Stands in for virtual time, for whoever wants to see every order there is.
//
// With it, work runs as late as it may: when something waits for it, or when the answer to a question about an event is
// that it is done. Who asks about a stream is taken to wait for it: all of it is done after a pause (Driver::clock()).
// Where the order makes no difference (work that shares no byte another piece writes) nothing is asked, so each answer
// given leads to a run of its own. Host memory is the exception that nobody sees: that a copy may as well run at once
// is covered by a finding if the host touched the copy's memory between its call and its turn.
#pragma once

#include <cstddef>

namespace taintgraph::sim {

class DeviceOrder {
 public:
  virtual ~DeviceOrder() = default;
  // Which of `alternatives`, at least two, comes about: a number below it. The same run asks the same questions as long
  // as it gets the same answers.
  [[nodiscard]] virtual std::size_t choose(std::size_t alternatives) = 0;
};

}  // namespace taintgraph::sim
