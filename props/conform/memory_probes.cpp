// Probes of memory, contexts and copies.
#include <thread>

#include "props/conform/probe.hpp"

namespace taintgraph::props {
namespace {

using gpu::Call;
using enum gpu::FaultKind;

void zero_bytes(ProbeRun& on) {
  on.open_context();
  gpu::CUdeviceptr address = 0;
  on.sees(Call::cuMemAlloc, on.cu.cuMemAlloc(&address, 0), {invalid_value});
  on.lingers({invalid_value}, on.stream());
}

void too_many_bytes(ProbeRun& on) {
  on.open_context();
  gpu::CUdeviceptr address = 0;
  on.sees(Call::cuMemAlloc, on.cu.cuMemAlloc(&address, std::size_t{1} << 50), {out_of_memory});
  on.lingers({out_of_memory}, on.stream());
}

void too_many_bytes_in_stream_order(ProbeRun& on) {
  on.open_context();
  const gpu::CUstream stream = on.stream();
  gpu::CUdeviceptr address = 0;
  on.sees(Call::cuMemAllocAsync, on.cu.cuMemAllocAsync(&address, std::size_t{1} << 50, stream), {out_of_memory});
  on.lingers({out_of_memory}, stream);
}

void freed_twice(ProbeRun& on) {
  on.open_context();
  const gpu::CUdeviceptr address = on.allocate();
  on.passes(Call::cuMemFree, on.cu.cuMemFree(address));
  on.sees(Call::cuMemFree, on.cu.cuMemFree(address), {invalid_value});
  on.lingers({invalid_value}, on.stream());
}

void copy_to_freed_memory(ProbeRun& on) {
  on.open_context();
  const gpu::CUstream stream = on.stream();
  const gpu::CUdeviceptr from = on.allocate();
  const gpu::CUdeviceptr freed = on.allocate();
  on.needs(Call::cuMemFree, on.cu.cuMemFree(freed));
  on.sees(Call::cuMemcpyDtoDAsync, on.cu.cuMemcpyDtoDAsync(freed, from, 64, stream), {invalid_value});
  on.lingers({invalid_value}, stream);
}

void copy_past_the_end(ProbeRun& on) {
  on.open_context();
  const gpu::CUstream stream = on.stream();
  constexpr std::size_t kBytes = std::size_t{4} << 20;  // an allocation of its own, beside which nothing lies
  const gpu::CUdeviceptr from = on.allocate(kBytes);
  const gpu::CUdeviceptr to = on.allocate(kBytes / 2);
  on.sees(Call::cuMemcpyDtoDAsync, on.cu.cuMemcpyDtoDAsync(to, from, kBytes, stream), {invalid_value});
  on.lingers({invalid_value}, stream);
}

void no_current_context(ProbeRun& on) {
  const gpu::CUcontext context = on.open_context();
  gpu::CUdeviceptr address = 0;
  on.needs(Call::cuCtxSetCurrent, on.cu.cuCtxSetCurrent(nullptr));
  on.sees(Call::cuMemAlloc, on.cu.cuMemAlloc(&address, 64), {invalid_context});
  on.passes(Call::cuCtxSetCurrent, on.cu.cuCtxSetCurrent(context));
  on.passes(Call::cuMemAlloc, on.cu.cuMemAlloc(&address, 64));
}

void context_of_another_thread(ProbeRun& on) {
  on.open_context();
  int alone = 0;
  std::thread([&] {
    gpu::CUdeviceptr address = 0;
    alone = on.cu.cuMemAlloc(&address, 64);
  }).join();
  on.sees(Call::cuMemAlloc, alone, {invalid_context});
}

void context_destroyed_under_a_thread(ProbeRun& on) {
  const gpu::CUcontext context = on.open_context();
  int destroyed = 0;
  int used = 0;
  gpu::CUdeviceptr address = 0;
  std::thread([&] { destroyed = on.cu.cuCtxDestroy(context); }).join();
  used = on.cu.cuMemAlloc(&address, 64);
  on.passes(Call::cuCtxDestroy, destroyed);
  on.sees(Call::cuMemAlloc, used, {context_is_destroyed, invalid_context});
}

void context_destroyed_twice(ProbeRun& on) {
  const gpu::CUcontext context = on.open_context();
  on.passes(Call::cuCtxDestroy, on.cu.cuCtxDestroy(context));
  on.sees(Call::cuCtxDestroy, on.cu.cuCtxDestroy(context), {invalid_context, context_is_destroyed});
}

void primary_context(ProbeRun& on) {
  on.needs(Call::cuInit, on.cu.cuInit(0));
  gpu::CUcontext first = nullptr;
  gpu::CUcontext second = nullptr;
  on.passes(Call::cuDevicePrimaryCtxRetain, on.cu.cuDevicePrimaryCtxRetain(&first, on.rig.device()));
  on.passes(Call::cuDevicePrimaryCtxRetain, on.cu.cuDevicePrimaryCtxRetain(&second, on.rig.device()));
  on.holds("one_context", first == second);
  on.sees(Call::cuCtxDestroy, on.cu.cuCtxDestroy(first), {invalid_context});
  on.passes(Call::cuDevicePrimaryCtxRelease, on.cu.cuDevicePrimaryCtxRelease(on.rig.device()));
  on.passes(Call::cuCtxSetCurrent, on.cu.cuCtxSetCurrent(first));
  gpu::CUdeviceptr address = 0;
  on.passes(Call::cuMemAlloc, on.cu.cuMemAlloc(&address, 64));
  on.passes(Call::cuDevicePrimaryCtxRelease, on.cu.cuDevicePrimaryCtxRelease(on.rig.device()));
}

constexpr Probe kMemoryProbes[] = {
    {"zero-bytes", "an allocation of nothing is refused", zero_bytes},
    {"too-many-bytes", "an allocation that cannot fit", too_many_bytes},
    {"too-many-bytes-in-stream-order", "the same from the stream's pool", too_many_bytes_in_stream_order},
    {"freed-twice", "memory freed twice", freed_twice},
    {"copy-to-freed-memory", "a copy to memory that is gone", copy_to_freed_memory},
    {"copy-past-the-end", "a copy that is longer than its allocation", copy_past_the_end},
    {"no-current-context", "a call without a context", no_current_context},
    {"context-of-another-thread", "the current context is the thread's", context_of_another_thread},
    {"context-destroyed-under-a-thread", "a context destroyed by another thread", context_destroyed_under_a_thread},
    {"context-destroyed-twice", "a context destroyed twice", context_destroyed_twice},
    {"primary-context", "the primary context is counted, and not to be destroyed", primary_context},
};

}  // namespace

std::span<const Probe> memory_probes() { return kMemoryProbes; }

}  // namespace taintgraph::props
