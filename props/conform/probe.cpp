#include "props/conform/probe.hpp"

#include "gpu/launch_packet.hpp"

namespace taintgraph::props {
namespace {

using gpu::Call;
using gpu::FaultKind;

std::string codes_of(std::initializer_list<FaultKind> kinds, std::string codes = {}) {
  for (const FaultKind kind : kinds) codes += (codes.empty() ? "" : "|") + std::to_string(gpu::row(kind).code);
  return codes;
}

// Up to the next `separator`; takes it off `text`.
std::string_view take_until(std::string_view& text, char separator) {
  const std::string_view piece = text.substr(0, text.find(separator));
  text.remove_prefix(piece.size() == text.size() ? piece.size() : piece.size() + 1);
  return piece;
}

}  // namespace

bool is_allowed(std::string_view seen, std::string_view expected) {
  while (!expected.empty()) {
    std::string_view wanted = take_until(expected, ' ');
    std::string_view found = take_until(seen, ' ');
    if (take_until(wanted, '=') != take_until(found, '=')) return false;
    bool any = false;
    while (!wanted.empty()) any = take_until(wanted, '|') == found || any;
    if (!any) return false;
  }
  return seen.empty();
}

void ProbeRun::write(std::string_view what, std::string_view seen, std::string_view expected) {
  const auto append = [what](std::string& line, std::string_view code) {
    line.append(line.empty() ? "" : " ").append(what).append("=").append(code);
  };
  append(written_.seen, seen);
  if (!expected.empty()) append(written_.expected, expected);
}

void ProbeRun::sees(Call call, int code, std::initializer_list<FaultKind> kinds) {
  write(gpu::to_string(call), std::to_string(code), codes_of(kinds));
}

void ProbeRun::passes(Call call, int code, std::initializer_list<FaultKind> kinds) {
  write(gpu::to_string(call), std::to_string(code), codes_of(kinds, "0"));
}

void ProbeRun::holds(std::string_view what, bool it_does) { write(what, it_does ? "1" : "0", "1"); }

void ProbeRun::needs(Call call, int code) {
  if (code == 0) return;
  write("setup:" + std::string(gpu::to_string(call)), std::to_string(code), {});
  throw Stopped();
}

void ProbeRun::lingers(std::initializer_list<FaultKind> kinds, gpu::CUstream stream) {
  const auto later = [&](Call call, int code) {
    if (gpu::row(*kinds.begin()).sticky) {
      sees(call, code, kinds);
    } else {
      passes(call, code);
    }
  };
  gpu::CUdeviceptr memory = 0;
  gpu::CUevent event = nullptr;
  later(Call::cuMemAlloc, cu.cuMemAlloc(&memory, 64));
  later(Call::cuEventCreate, cu.cuEventCreate(&event, gpu::kEventDisableTiming));
  later(Call::cuStreamQuery, cu.cuStreamQuery(stream));
  later(Call::cuStreamSynchronize, cu.cuStreamSynchronize(stream));
  later(Call::cuCtxSynchronize, cu.cuCtxSynchronize());
}

void ProbeRun::recovers(std::initializer_list<FaultKind> kinds) {
  gpu::CUcontext context = nullptr;
  needs(Call::cuCtxGetCurrent, cu.cuCtxGetCurrent(&context));
  (void)cu.cuCtxDestroy(context);  // it is gone, whatever is said
  const int created = cu.cuCtxCreate(&context, 0, rig.device());
  if (gpu::row(*kinds.begin()).recovery == gpu::FaultRecovery::process) {
    sees(Call::cuCtxCreate, created, kinds);
    return;
  }
  passes(Call::cuCtxCreate, created);
  gpu::CUdeviceptr memory = 0;
  passes(Call::cuMemAlloc, cu.cuMemAlloc(&memory, 64));
}

gpu::CUcontext ProbeRun::open_context() {
  gpu::CUcontext context = nullptr;
  needs(Call::cuInit, cu.cuInit(0));
  gpu::CUdevice device = 0;
  needs(Call::cuDeviceGet, cu.cuDeviceGet(&device, rig.device()));
  needs(Call::cuCtxCreate, cu.cuCtxCreate(&context, 0, device));
  return context;
}

gpu::CUstream ProbeRun::stream() {
  gpu::CUstream made = nullptr;
  needs(Call::cuStreamCreate, cu.cuStreamCreate(&made, gpu::kStreamNonBlocking));
  return made;
}

gpu::CUevent ProbeRun::event() {
  gpu::CUevent made = nullptr;
  needs(Call::cuEventCreate, cu.cuEventCreate(&made, gpu::kEventDisableTiming));
  return made;
}

gpu::CUdeviceptr ProbeRun::allocate(std::size_t size_bytes) {
  gpu::CUdeviceptr address = 0;
  needs(Call::cuMemAlloc, cu.cuMemAlloc(&address, size_bytes));
  return address;
}

gpu::CUresult ProbeRun::launch(gpu::CUfunction function, gpu::CUstream on, gpu::CUdeviceptr memory,
                               unsigned block_threads, unsigned grid_blocks, unsigned shared_bytes) {
  gpu::PackedOperands operands;
  operands.inlined[0] = {memory, 8};
  void* parameters[] = {&operands, nullptr};
  return cu.cuLaunchKernel(function, grid_blocks, 1, 1, block_threads, 1, 1, shared_bytes, on, parameters, nullptr);
}

Observation run_probe(void (*body)(ProbeRun&), Rig& rig) {
  ProbeRun run(rig);
  try {
    body(run);
  } catch (const ProbeRun::Stopped&) {
    // the step that stopped it is written
  } catch (const std::runtime_error& error) {
    std::string what = error.what();
    for (char& each : what)
      if (each == ' ' || each == '\n' || each == '=') each = '_';
    run.write("setup", what, {});
  }
  return run.take();
}

}  // namespace taintgraph::props
