// Probes of compiling, loading and launching.
#include <string>
#include <vector>

#include "gpu/kernel_catalog.hpp"
#include "gpu/kernel_compiler.hpp"
#include "props/conform/probe.hpp"

namespace taintgraph::props {
namespace {

using gpu::Call;
using enum gpu::FaultKind;

void source_with_a_mistake(ProbeRun& on) {
  const char* const source = "extern \"C\" __global__ void broken() {\n  undeclared();\n}\n";
  gpu::nvrtcProgram program = nullptr;
  on.needs(Call::nvrtcCreateProgram, on.nvrtc.nvrtcCreateProgram(&program, source, "broken.cu", 0, nullptr, nullptr));
  on.sees(Call::nvrtcCompileProgram, on.nvrtc.nvrtcCompileProgram(program, 0, nullptr), {compile_error});
  std::size_t size = 0;
  on.passes(Call::nvrtcGetProgramLogSize, on.nvrtc.nvrtcGetProgramLogSize(program, &size));
  std::string log(size + 1, '\0');
  on.passes(Call::nvrtcGetProgramLog, on.nvrtc.nvrtcGetProgramLog(program, log.data()));
  on.holds("log_says_error", log.find("error") != std::string::npos);
  on.passes(Call::nvrtcDestroyProgram, on.nvrtc.nvrtcDestroyProgram(&program));
  on.holds("program_is_null", program == nullptr);
}

void truncated_binary(ProbeRun& on) {
  on.open_context();
  std::vector<char> image(4096, '\0');
  const std::string_view magic =
      "\x7f"
      "ELF";
  image.insert(image.begin(), magic.begin(), magic.end());
  gpu::CUmodule module = nullptr;
  on.sees(Call::cuModuleLoadData, on.cu.cuModuleLoadData(&module, image.data()), {invalid_image, no_binary_for_gpu});
  on.lingers({invalid_image}, on.stream());
}

void malformed_ptx(ProbeRun& on) {
  on.open_context();
  gpu::CUmodule module = nullptr;
  const char* const ptx = ".version 7.0\n.target sm_52\n.address_size 64\n.entry broken() { no such thing; }\n";
  on.sees(Call::cuModuleLoadData, on.cu.cuModuleLoadData(&module, ptx), {invalid_ptx});
  on.lingers({invalid_ptx}, on.stream());
}

void ptx_of_a_newer_gpu(ProbeRun& on) {
  on.open_context();
  gpu::CUmodule module = nullptr;
  const char* const ptx = ".version 7.0\n.target sm_999\n.address_size 64\n.entry newer() { ret; }\n";
  on.sees(Call::cuModuleLoadData, on.cu.cuModuleLoadData(&module, ptx), {no_binary_for_gpu, invalid_ptx});
  on.lingers({no_binary_for_gpu}, on.stream());
}

void missing_function(ProbeRun& on) {
  on.open_context();
  const auto ptx =
      gpu::KernelCompiler(on.cu, on.nvrtc).compile(*gpu::find_kernel("noop"), static_cast<int>(on.rig.device()));
  on.needs(Call::nvrtcCompileProgram, ptx ? 0 : static_cast<int>(ptx.error().code));
  gpu::CUmodule module = nullptr;
  gpu::CUfunction function = nullptr;
  on.passes(Call::cuModuleLoadData, on.cu.cuModuleLoadData(&module, ptx->c_str()));
  on.sees(Call::cuModuleGetFunction, on.cu.cuModuleGetFunction(&function, module, "missing"), {not_found});
  on.passes(Call::cuModuleGetFunction, on.cu.cuModuleGetFunction(&function, module, "noop"));
  on.lingers({not_found}, on.stream());
  on.passes(Call::cuModuleUnload, on.cu.cuModuleUnload(module));
}

void no_function(ProbeRun& on) {
  on.open_context();
  const gpu::CUstream stream = on.stream();
  on.sees(Call::cuLaunchKernel, on.launch(nullptr, stream), {invalid_handle, invalid_value});
  on.lingers({invalid_handle}, stream);
}

void bad_launch(ProbeRun& on, unsigned block, unsigned grid, unsigned shared) {
  on.open_context();
  const gpu::CUstream stream = on.stream();
  const gpu::CUfunction function = load(on.rig, *gpu::find_kernel("noop"));
  on.sees(Call::cuLaunchKernel, on.launch(function, stream, 0, block, grid, shared),
          {invalid_value, launch_out_of_resources});
  on.lingers({invalid_value}, stream);
  on.passes(Call::cuLaunchKernel, on.launch(function, stream));
  on.passes(Call::cuStreamSynchronize, on.cu.cuStreamSynchronize(stream));
}

void too_many_threads(ProbeRun& on) { bad_launch(on, 4096, 1, 0); }
void too_much_shared_memory(ProbeRun& on) { bad_launch(on, 1, 1, 4U << 20); }
void no_blocks(ProbeRun& on) { bad_launch(on, 1, 0, 0); }

constexpr Probe kCodeProbes[] = {
    {"source-with-a-mistake", "the compiler fails and says why", source_with_a_mistake},
    {"truncated-binary", "an image that is cut off", truncated_binary},
    {"malformed-ptx", "text that is no PTX", malformed_ptx},
    {"ptx-of-a-newer-gpu", "PTX for a GPU that is not this one", ptx_of_a_newer_gpu},
    {"missing-function", "a function that its module does not have", missing_function},
    {"no-function", "a launch of a null function", no_function},
    {"too-many-threads", "a block that no GPU has room for", too_many_threads},
    {"too-much-shared-memory", "more shared memory than there is", too_much_shared_memory},
    {"no-blocks", "an empty grid", no_blocks},
};

}  // namespace

std::span<const Probe> code_probes() { return kCodeProbes; }

}  // namespace taintgraph::props
