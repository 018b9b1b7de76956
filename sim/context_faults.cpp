#include "sim/context_faults.hpp"

namespace taintgraph::sim {

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

CUresult ContextFaults::surface_waited(const VectorClock& past) {
  if (sticky_ != CUDA_SUCCESS) return sticky_;
  for (std::size_t i = 0; i < latent_.size(); ++i) {
    if (latent_[i].ordinal == 0 || past[latent_[i].slot] >= latent_[i].ordinal) return surface(i);
  }
  return CUDA_SUCCESS;
}

CUresult ContextFaults::surface_passing(std::uint64_t call, std::uint64_t operation) {
  if (sticky_ != CUDA_SUCCESS) return sticky_;
  for (std::size_t i = 0; i < latent_.size(); ++i) {
    const LatentFault& fault = latent_[i];
    // Operation 0: the driver is used without operations, and every call is one of its own.
    const bool is_own_operation = operation != 0 && fault.operation == operation;
    if (!is_own_operation && call >= fault.quiet_until_call) return surface(i);
  }
  return CUDA_SUCCESS;
}

bool ContextFaults::bars(const WorkItem& item) const {
  for (const LatentFault& fault : latent_) {
    if (fault.ordinal != 0 && item.clock[fault.slot] >= fault.ordinal) return true;
  }
  return false;
}

}  // namespace taintgraph::sim
