#include "gpu/stream_waiter.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include "gpu/error_mapping.hpp"

namespace taintgraph::gpu {
namespace {

// About what asking costs: shorter pauses would only ask more often.
constexpr std::uint64_t kShortestPause = 2'000;
// A thread that is put to sleep for less wakes up later than it asked for.
constexpr std::uint64_t kShortestSleep = 50'000;
// A day. Nobody means to wait for longer, and a clock that is simulated is not to be run to its end by one wait.
constexpr std::uint64_t kLongestWait = 86'400'000'000'000;

std::uint64_t host_now(void*) {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

void host_pause(void*, std::uint64_t nanoseconds) {
  if (nanoseconds < kShortestSleep) {
    std::this_thread::yield();
  } else {
    std::this_thread::sleep_for(std::chrono::nanoseconds(nanoseconds));
  }
}

constexpr DeviceClock kHostClock{nullptr, &host_now, &host_pause};

}  // namespace

StreamWaiter::StreamWaiter(const DriverApi& driver, const DeviceClock& clock, std::uint64_t patience_nanoseconds)
    : driver_(driver),
      clock_(clock.now_nanoseconds != nullptr ? clock : kHostClock),
      patience_nanoseconds_(patience_nanoseconds) {}

core::Deadline StreamWaiter::deadline_in(std::optional<std::uint64_t> nanoseconds) const {
  constexpr std::uint64_t kLast = std::numeric_limits<std::uint64_t>::max() - 1;  // what every clock may reach
  const std::uint64_t begun = std::min(now(), kLast);
  const std::uint64_t length = std::min(nanoseconds.value_or(patience_nanoseconds_), kLongestWait);
  return {length > kLast - begun ? kLast : begun + length};
}

core::DeviceResult<void> StreamWaiter::wait(CUstream stream, core::Deadline deadline) const {
  const std::uint64_t begun = now();
  const std::uint64_t end = deadline.at_nanoseconds ? *deadline.at_nanoseconds : *deadline_in({}).at_nanoseconds;
  for (;;) {
    const CUresult code = driver_.cuStreamQuery(stream);
    if (code == CUDA_SUCCESS) break;
    if (code != CUDA_ERROR_NOT_READY) return checked(driver_, code, Call::cuStreamQuery);
    const std::uint64_t at = now();
    if (at >= end) return tl::unexpected(core::timed_out(to_string(Call::cuStreamQuery)));
    clock_.pause(clock_.self, std::min(end - at, std::max(kShortestPause, (at - begun) / 8)));
  }
  return checked(driver_, driver_.cuStreamSynchronize(stream), Call::cuStreamSynchronize);
}

}  // namespace taintgraph::gpu
