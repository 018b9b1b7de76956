// The errors of one context: those that its work ran into and nobody has been told of yet, and the one that poisoned
// it.
//
// An error is *latent* from the moment the work that caused it ran. It surfaces at a call that waits for that work, at
// the latest; at other calls it may surface earlier, but never within the operation that queued the work, since that
// operation has been told that all is well. A sticky error, once it has surfaced, is the answer to every later call.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/driver_types.hpp"
#include "sim/work.hpp"

namespace taintgraph::sim {

struct LatentFault {
  CUresult code = CUDA_SUCCESS;
  std::uint32_t slot = 0;
  std::uint64_t ordinal = 0;    // of the work that caused it; 0: of no work, any wait of a later operation meets it
  std::uint64_t operation = 0;  // of the fault plan, when it was caused
  std::uint64_t quiet_until_call = 0;
};

class ContextFaults {
 public:
  [[nodiscard]] CUresult sticky() const { return sticky_; }
  [[nodiscard]] bool clean() const { return sticky_ == CUDA_SUCCESS && latent_.empty(); }

  // An error has become known. Has no lasting effect unless it is sticky.
  void surfaced(CUresult code);

  void add(const LatentFault& fault) { latent_.push_back(fault); }

  // What a call of `operation` that waits for `past` is told.
  [[nodiscard]] CUresult surface_waited(const VectorClock& past, std::uint64_t operation);
  // What a call that waits for nothing is told, the `call`-th of the run and made by `operation`.
  [[nodiscard]] CUresult surface_passing(std::uint64_t call, std::uint64_t operation);

  // Whether there is work in `past` that faulted: what comes after it can never run.
  [[nodiscard]] bool holds(const VectorClock& past) const;

 private:
  CUresult surface(std::size_t index);

  CUresult sticky_ = CUDA_SUCCESS;
  std::vector<LatentFault> latent_;  // oldest first
};

}  // namespace taintgraph::sim
