// Probes: small programs over a driver's tables, each of which shows one thing that the fault table says, or that the
// simulated driver takes for granted.
//
// A probe writes down what it saw, step by step, and beside it what the fault table lets it see. It decides nothing by
// what it saw, so that on every driver it takes the same steps.
#pragma once

#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "props/conform/rig.hpp"

namespace taintgraph::props {

// What one probe saw. Both are one line of steps "call=code"; an expected step may allow several codes: "call=1|701".
struct Observation {
  std::string seen;
  std::string expected;

  friend bool operator==(const Observation&, const Observation&) = default;
};

// Whether `seen` takes the steps of `expected`, each with a code that is allowed there.
[[nodiscard]] bool is_allowed(std::string_view seen, std::string_view expected);

// What a probe works with, and where it writes.
class ProbeRun {
 public:
  explicit ProbeRun(Rig& on) : rig(on), cu(on.driver()), nvrtc(on.compiler()) {}

  Rig& rig;
  const gpu::DriverApi& cu;
  const gpu::CompilerApi& nvrtc;

  // A step whose code is one of those of `kinds`.
  void sees(gpu::Call call, int code, std::initializer_list<gpu::FaultKind> kinds);
  // A step that succeeds, or, where the table leaves it open, fails with one of `kinds`.
  void passes(gpu::Call call, int code, std::initializer_list<gpu::FaultKind> kinds = {});
  // A step that is no call: 1 if it holds, which it is to.
  void holds(std::string_view what, bool it_does);

  // Later calls, which return an error of `kinds` again if and only if it is sticky. All kinds are alike in that.
  void lingers(std::initializer_list<gpu::FaultKind> kinds, gpu::CUstream stream);
  // A new context, which works unless only a new process would.
  void recovers(std::initializer_list<gpu::FaultKind> kinds);

  // Setup. Any error there ends the probe, as a step that nobody expects.
  gpu::CUcontext open_context();
  gpu::CUstream stream();
  gpu::CUevent event();
  gpu::CUdeviceptr allocate(std::size_t size_bytes = 256);
  void needs(gpu::Call call, int code);
  // Launches one thread of `function` with operands of which the first is 8 bytes at `memory`.
  gpu::CUresult launch(gpu::CUfunction function, gpu::CUstream on, gpu::CUdeviceptr memory = 0,
                       unsigned block_threads = 1, unsigned grid_blocks = 1, unsigned shared_bytes = 0);

  [[nodiscard]] Observation take() { return std::move(written_); }

 private:
  friend Observation run_probe(void (*body)(ProbeRun&), Rig& rig);
  class Stopped : public std::exception {};

  void write(std::string_view what, std::string_view seen, std::string_view expected);

  Observation written_;
};

struct Probe {
  std::string_view name;
  std::string_view shows;  // in a few words
  void (*body)(ProbeRun&);
};

[[nodiscard]] std::span<const Probe> memory_probes();
[[nodiscard]] std::span<const Probe> handle_probes();
[[nodiscard]] std::span<const Probe> code_probes();
[[nodiscard]] std::span<const Probe> capture_probes();
[[nodiscard]] std::span<const Probe> fault_probes();

// Runs one probe here, in this process.
[[nodiscard]] Observation run_probe(void (*body)(ProbeRun&), Rig& rig);

}  // namespace taintgraph::props
