#include "traces/interrupt.hpp"

#include <csignal>

namespace taintgraph::traces {
namespace {

// A signal handler can reach nothing else.
volatile std::sig_atomic_t interrupt_seen = 0;

struct sigaction previous_interrupt;
struct sigaction previous_terminate;

extern "C" void on_signal(int signal) {
  if (interrupt_seen) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  interrupt_seen = 1;
}

}  // namespace

// Calls that block are to come back (no SA_RESTART), or nobody would look at the flag.
InterruptGuard::InterruptGuard() {
  interrupt_seen = 0;
  struct sigaction action {};
  action.sa_handler = on_signal;
  (void)::sigaction(SIGINT, &action, &previous_interrupt);
  (void)::sigaction(SIGTERM, &action, &previous_terminate);
}

InterruptGuard::~InterruptGuard() {
  (void)::sigaction(SIGINT, &previous_interrupt, nullptr);
  (void)::sigaction(SIGTERM, &previous_terminate, nullptr);
}

bool InterruptGuard::interrupted() { return interrupt_seen != 0; }

}  // namespace taintgraph::traces
