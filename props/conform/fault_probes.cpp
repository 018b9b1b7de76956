// Probes of kernels that fault: which code, where it surfaces, whether it stays, what ends it.
#include "props/conform/probe.hpp"

namespace taintgraph::props {
namespace {

using gpu::Call;
using gpu::FaultKind;

template <FaultKind kind, FaultKind... others>
void faulting_kernel(ProbeRun& on) {
  on.open_context();
  const gpu::CUstream stream = on.stream();
  const gpu::CUfunction function = on.rig.function_that_meets(kind);
  const gpu::CUdeviceptr memory = on.allocate();
  on.rig.expect(kind);
  on.passes(Call::cuLaunchKernel, on.launch(function, stream, memory));
  on.sees(Call::cuStreamSynchronize, on.cu.cuStreamSynchronize(stream), {kind, others...});
  on.lingers({kind, others...}, stream);
  on.recovers({kind, others...});
}

// A call that waits for nothing meets the error of work that has run by then.
void surfaces_without_a_wait(ProbeRun& on) {
  constexpr FaultKind kKind = FaultKind::illegal_address;
  on.open_context();
  const gpu::CUstream stream = on.stream();
  const gpu::CUfunction function = on.rig.function_that_meets(kKind);
  on.passes(Call::cuLaunchKernel, on.launch(function, stream));
  on.rig.let_time_pass();
  gpu::CUdeviceptr memory = 0;
  on.passes(Call::cuMemAlloc, on.cu.cuMemAlloc(&memory, 64), {kKind});
  on.sees(Call::cuStreamSynchronize, on.cu.cuStreamSynchronize(stream), {kKind});
}

// A wait for a stream that the faulted work is not on may or may not be told.
void surfaces_at_another_stream(ProbeRun& on) {
  constexpr FaultKind kKind = FaultKind::launch_failed;
  on.open_context();
  const gpu::CUstream stream = on.stream();
  const gpu::CUstream other = on.stream();
  const gpu::CUfunction function = on.rig.function_that_meets(kKind);
  on.passes(Call::cuLaunchKernel, on.launch(function, stream));
  on.passes(Call::cuStreamSynchronize, on.cu.cuStreamSynchronize(other), {kKind});
  on.sees(Call::cuCtxSynchronize, on.cu.cuCtxSynchronize(), {kKind});
}

// Teardown after a fault: whatever it is told, it must come to an end.
void teardown_after_a_fault(ProbeRun& on) {
  constexpr FaultKind kKind = FaultKind::launch_failed;
  const gpu::CUcontext context = on.open_context();
  const gpu::CUstream stream = on.stream();
  const gpu::CUevent event = on.event();
  const gpu::CUdeviceptr memory = on.allocate();
  const gpu::CUfunction function = on.rig.function_that_meets(kKind);
  on.passes(Call::cuLaunchKernel, on.launch(function, stream));
  on.sees(Call::cuStreamSynchronize, on.cu.cuStreamSynchronize(stream), {kKind});
  on.passes(Call::cuMemFree, on.cu.cuMemFree(memory), {kKind});
  on.passes(Call::cuEventDestroy, on.cu.cuEventDestroy(event), {kKind});
  on.passes(Call::cuStreamDestroy, on.cu.cuStreamDestroy(stream), {kKind});
  on.passes(Call::cuCtxDestroy, on.cu.cuCtxDestroy(context), {kKind});
}

constexpr Probe kFaultProbes[] = {
    {"out-of-bounds", "a kernel that writes where nothing is", faulting_kernel<FaultKind::illegal_address>},
    {"trap", "a kernel that traps", faulting_kernel<FaultKind::launch_failed>},
    {"assert", "a kernel whose assertion fails", faulting_kernel<FaultKind::assert_>},
    {"misaligned-address", "a store that is not aligned", faulting_kernel<FaultKind::misaligned_address>},
    {"invalid-address-space", "a global atomic on local memory", faulting_kernel<FaultKind::invalid_address_space>},
    {"invalid-pc", "a call of what is no code",
     faulting_kernel<FaultKind::invalid_pc, FaultKind::illegal_instruction, FaultKind::illegal_address>},
    {"illegal-instruction", "a breakpoint without a debugger",
     faulting_kernel<FaultKind::illegal_instruction, FaultKind::launch_failed>},
    {"surfaces-without-a-wait", "at a call that waits for nothing", surfaces_without_a_wait},
    {"surfaces-at-another-stream", "at a wait for other work", surfaces_at_another_stream},
    {"teardown-after-a-fault", "everything can be given back", teardown_after_a_fault},
};

}  // namespace

std::span<const Probe> fault_probes() { return kFaultProbes; }

}  // namespace taintgraph::props
