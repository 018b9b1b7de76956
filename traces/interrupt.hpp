// Ctrl-C and a polite kill, as a question that long work asks between two steps.
#pragma once

namespace taintgraph::traces {

// While one exists, SIGINT and SIGTERM only set a flag; afterwards what they did before is put back. A second signal
// while the flag is set ends the program, in case it does not get around to asking. Signals are the process's, so is
// the flag: one at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] static bool interrupted();
};

}  // namespace taintgraph::traces
