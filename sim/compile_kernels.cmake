# Writes the translation units that hold the kernels compiled for the host.
#   one kernel:  cmake -DKERNEL=.../fill.cu -DOUTPUT=... -P compile_kernels.cmake
#   the table:   cmake -DHEADER=.../kernel.cuh "-DKERNELS=a.cu;b.cu" -DOUTPUT=... -P compile_kernels.cmake
if(KERNEL)
  get_filename_component(name "${KERNEL}" NAME_WE)
  file(READ "${KERNEL}" source)
  file(WRITE "${OUTPUT}" "// Made from gpu/kernels/${name}.cu; not to be edited.
#include \"sim/host_kernel.hpp\"

namespace taintgraph::sim::device::kernel_${name} {
#include \"gpu/kernels/${name}.cu\"

extern const CompiledKernel compiled;
const CompiledKernel compiled = HostKernel<&${name}>::compiled(\"${name}\", R\"CUDA(${source})CUDA\");
}
")
  return()
endif()

set(declarations "")
set(rows "")
foreach(kernel ${KERNELS})
  get_filename_component(name "${kernel}" NAME_WE)
  string(APPEND declarations "namespace device::kernel_${name} { extern const CompiledKernel compiled; }\n")
  string(APPEND rows "  &device::kernel_${name}::compiled,\n")
endforeach()
file(READ "${HEADER}" header)
file(WRITE "${OUTPUT}" "// Made from gpu/kernels/; not to be edited.
#include \"sim/compiled_kernel.hpp\"

namespace taintgraph::sim {
${declarations}
std::span<const CompiledKernel* const> compiled_kernels() {
  static constexpr const CompiledKernel* kKernels[] = {
${rows}  };
  return kKernels;
}

std::string_view compiled_kernel_header() { return R\"CUDA(${header})CUDA\"; }
}
")
