#include "sim/context_faults.hpp"

#include <algorithm>

namespace taintgraph::sim {
namespace {

// Operation 0: the driver is used without operations, and every call is one of its own.
bool is_own(const LatentFault& fault, std::uint64_t operation) {
  return operation != 0 && fault.operation == operation;
}

}  // namespace

void ContextFaults::surfaced(CUresult code) {
  const gpu::FaultRow* const row = gpu::row_of(code);
  if (row != nullptr && row->sticky && sticky_ == CUDA_SUCCESS) sticky_ = code;
}

CUresult ContextFaults::surface(std::size_t index) {
  const CUresult code = latent_[index].code;
  latent_.erase(latent_.begin() + static_cast<std::ptrdiff_t>(index));
  surfaced(code);
  return code;
}

CUresult ContextFaults::surface_waited(const VectorClock& past, std::uint64_t operation) {
  if (sticky_ != CUDA_SUCCESS) return sticky_;
  for (std::size_t i = 0; i < latent_.size(); ++i) {
    const LatentFault& fault = latent_[i];
    // A fault of no work was caused by a call that has answered that all is well, and so has its operation.
    const bool met = fault.ordinal == 0 ? !is_own(fault, operation) : past[fault.slot] >= fault.ordinal;
    if (met) return surface(i);
  }
  return CUDA_SUCCESS;
}

CUresult ContextFaults::surface_passing(std::uint64_t call, std::uint64_t operation) {
  if (sticky_ != CUDA_SUCCESS) return sticky_;
  for (std::size_t i = 0; i < latent_.size(); ++i) {
    const LatentFault& fault = latent_[i];
    if (!is_own(fault, operation) && call >= fault.quiet_until_call) return surface(i);
  }
  return CUDA_SUCCESS;
}

bool ContextFaults::holds(const VectorClock& past) const {
  return std::any_of(latent_.begin(), latent_.end(), [&past](const LatentFault& fault) {
    return fault.ordinal != 0 && past[fault.slot] >= fault.ordinal;
  });
}

}  // namespace taintgraph::sim
