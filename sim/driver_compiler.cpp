// The compiler: accepts exactly the sources that were compiled with the simulator, with exactly their header.
#include <algorithm>
#include <cstring>

#include "sim/compiled_kernel.hpp"
#include "sim/driver_entries.hpp"
#include "sim/kernel_image.hpp"

namespace taintgraph::sim {
namespace {

// The names in `#include "..."` lines.
std::vector<std::string> included_names(std::string_view source) {
  constexpr std::string_view kInclude = "#include \"";
  std::vector<std::string> names;
  for (std::size_t at = source.find(kInclude); at != std::string_view::npos; at = source.find(kInclude, at)) {
    at += kInclude.size();
    names.emplace_back(source.substr(at, source.find('"', at) - at));
  }
  return names;
}

// What keeps `program` from compiling; empty if nothing does. Sets `kernel`.
std::string compile_problem(const ProgramObject& program, KernelIndex& kernel) {
  for (const std::string& name : included_names(program.source)) {
    const auto header = std::find_if(program.headers.begin(), program.headers.end(),
                                     [&name](const auto& each) { return each.first == name; });
    if (header == program.headers.end()) return "cannot open source file \"" + name + "\"";
    if (header->second != compiled_kernel_header())
      return "\"" + name + "\" is not the header the simulator was built with";
  }
  kernel = find_kernel_by_source(program.source);
  return kernel ? "" : "the simulator was not built with this source, and it cannot run any other";
}

nvrtcResult copy_out(const std::string& text, char* to) {
  std::memcpy(to, text.c_str(), text.size() + 1);
  return NVRTC_SUCCESS;
}

}  // namespace

nvrtcResult DriverEntries::compile_call(Call call, std::string_view kernel, const std::function<nvrtcResult()>& body) {
  timeline_.step();
  const std::optional<FiredFault> fault = plan_.decide({call, std::nullopt, kernel});
  if (!fault) return body();
  // The compiler has no later call at which an error of now could surface, so every error is one of now.
  if (fault->when == FaultWhen::after || gives_back(call)) {
    struck_ = {};
    struck_.lost = true;
    (void)body();
    struck_ = {};
  }
  return static_cast<nvrtcResult>(fault->code);
}

nvrtcResult DriverEntries::on_program(Call call, nvrtcProgram handle,
                                      const std::function<nvrtcResult(ProgramObject&)>& body) {
  ProgramObject* const program = programs_.find(handle);
  const KernelIndex kernel = program == nullptr ? std::nullopt : find_kernel_by_source(program->source);
  return compile_call(call, kernel ? compiled_kernels()[*kernel]->name : std::string_view(), [&] {
    if (program != nullptr) return body(*program);
    findings_.add(std::string(gpu::to_string(call)) + " is given a program that does not exist");
    return NVRTC_ERROR_INVALID_PROGRAM;
  });
}

nvrtcResult DriverEntries::nvrtcVersion(int* major, int* minor) {
  return compile_call(Call::nvrtcVersion, {}, [&] {
    *major = 13;
    *minor = 0;
    return NVRTC_SUCCESS;
  });
}

nvrtcResult DriverEntries::nvrtcCreateProgram(nvrtcProgram* program, const char* source, const char*, int header_count,
                                              const char* const* headers, const char* const* include_names) {
  const KernelIndex kernel = source == nullptr ? std::nullopt : find_kernel_by_source(source);
  return compile_call(Call::nvrtcCreateProgram, kernel ? compiled_kernels()[*kernel]->name : std::string_view(), [&] {
    if (source == nullptr || header_count < 0) return NVRTC_ERROR_INVALID_INPUT;
    ProgramObject object;
    object.source = source;
    for (int i = 0; i < header_count; ++i) object.headers.emplace_back(include_names[i], headers[i]);
    *program = programs_.create(std::move(object), struck_.lost);
    return NVRTC_SUCCESS;
  });
}

nvrtcResult DriverEntries::nvrtcCompileProgram(nvrtcProgram program, int, const char* const*) {
  const nvrtcResult result = on_program(Call::nvrtcCompileProgram, program, [](ProgramObject& object) {
    KernelIndex kernel;
    const std::string problem = compile_problem(object, kernel);
    if (!problem.empty()) {
      object.log = "error: " + problem + "\n1 error detected.\n";
      return NVRTC_ERROR_COMPILATION;
    }
    object.image = make_image(*kernel);
    return NVRTC_SUCCESS;
  });
  // A compiler that refuses has something to say, also where a fault made it.
  ProgramObject* const refused = result == NVRTC_ERROR_COMPILATION ? programs_.find(program) : nullptr;
  if (refused != nullptr && refused->log.empty()) refused->log = "error: injected\n1 error detected.\n";
  return result;
}

nvrtcResult DriverEntries::nvrtcGetPTXSize(nvrtcProgram program, std::size_t* size_bytes) {
  return on_program(Call::nvrtcGetPTXSize, program, [&](const ProgramObject& object) {
    if (object.image.empty()) return NVRTC_ERROR_INVALID_PROGRAM;
    *size_bytes = object.image.size() + 1;
    return NVRTC_SUCCESS;
  });
}

nvrtcResult DriverEntries::nvrtcGetPTX(nvrtcProgram program, char* ptx) {
  return on_program(Call::nvrtcGetPTX, program, [&](const ProgramObject& object) {
    return object.image.empty() ? NVRTC_ERROR_INVALID_PROGRAM : copy_out(object.image, ptx);
  });
}

nvrtcResult DriverEntries::nvrtcGetProgramLogSize(nvrtcProgram program, std::size_t* size_bytes) {
  return on_program(Call::nvrtcGetProgramLogSize, program, [&](const ProgramObject& object) {
    *size_bytes = object.log.size() + 1;
    return NVRTC_SUCCESS;
  });
}

nvrtcResult DriverEntries::nvrtcGetProgramLog(nvrtcProgram program, char* log) {
  return on_program(Call::nvrtcGetProgramLog, program,
                    [&](const ProgramObject& object) { return copy_out(object.log, log); });
}

nvrtcResult DriverEntries::nvrtcDestroyProgram(nvrtcProgram* program) {
  return on_program(Call::nvrtcDestroyProgram, *program, [&](ProgramObject&) {
    programs_.erase(*program);
    *program = nullptr;
    return NVRTC_SUCCESS;
  });
}

}  // namespace taintgraph::sim
