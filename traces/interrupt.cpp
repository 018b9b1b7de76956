#include "traces/interrupt.hpp"

#include <csignal>

namespace taintgraph::traces {
namespace {

// A signal handler can reach nothing else.
volatile std::sig_atomic_t interrupt_seen = 0;

void (*previous_interrupt)(int) = SIG_DFL;
void (*previous_terminate)(int) = SIG_DFL;

extern "C" void on_signal(int signal) {
  if (interrupt_seen) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  interrupt_seen = 1;
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupt_seen = 0;
  previous_interrupt = std::signal(SIGINT, on_signal);
  previous_terminate = std::signal(SIGTERM, on_signal);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, previous_interrupt);
  std::signal(SIGTERM, previous_terminate);
}

bool InterruptGuard::interrupted() { return interrupt_seen != 0; }

}  // namespace taintgraph::traces
