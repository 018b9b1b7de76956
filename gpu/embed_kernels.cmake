# Writes OUTPUT: the kernel sources as C++ raw strings, a table of {name, text}, and the header that they include.
# Usage: cmake -DOUTPUT=... -DHEADER=.../kernel.cuh -DKERNELS="a.cu;b.cu" -P embed_kernels.cmake
set(text "// Made from gpu/kernels/; not to be edited.\n")
file(READ "${HEADER}" source)
string(APPEND text "constexpr std::string_view kHeader = R\"CUDA(${source})CUDA\";\n")
string(APPEND text "constexpr EmbeddedKernel kSources[] = {\n")
foreach(kernel ${KERNELS})
  get_filename_component(name "${kernel}" NAME_WE)
  file(READ "${kernel}" source)
  string(APPEND text "{\"${name}\", R\"CUDA(${source})CUDA\"},\n")
endforeach()
string(APPEND text "};\n")
file(WRITE "${OUTPUT}" "${text}")
