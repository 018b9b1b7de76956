// The compiler: accepts exactly the sources that were compiled with the simulator, with exactly their header.
#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/compiled_kernel.hpp"
#include "sim/driver_entries.hpp"
#include "sim/kernel_image.hpp"

namespace taintgraph::sim {
namespace {

// The names in `#include "..."` lines.
std::vector<std::string_view> included_names(std::string_view source) {
  constexpr std::string_view kInclude = "#include \"";
  std::vector<std::string_view> names;
  for (std::size_t at = source.find(kInclude); at != std::string_view::npos; at = source.find(kInclude, at)) {
    at += kInclude.size();
    names.emplace_back(source.substr(at, source.find('"', at) - at));
  }
  return names;
}

// What keeps `source`, which is that of `kernel`, from compiling with these headers; empty if nothing does.
std::string compile_problem(std::string_view source, KernelIndex kernel, std::span<const char* const> headers,
                            std::span<const char* const> names) {
  for (const std::string_view name : included_names(source)) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return "cannot open source file \"" + std::string(name) + "\"";
    if (headers[static_cast<std::size_t>(found - names.begin())] != compiled_kernel_header())
      return "\"" + std::string(name) + "\" is not the header the simulator was built with";
  }
  return kernel ? "" : "the simulator was not built with this source, and it cannot run any other";
}

nvrtcResult copy_out(const std::string& text, char* to) {
  std::memcpy(to, text.c_str(), text.size() + 1);
  return NVRTC_SUCCESS;
}

}  // namespace

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
  return compile_call(Call::nvrtcCreateProgram, kernel ? kernel_name(*kernel) : std::string_view(), [&] {
    if (source == nullptr || header_count < 0) return NVRTC_ERROR_INVALID_INPUT;
    // The texts may be gone by the time they are compiled, so they are judged now.
    const auto count = static_cast<std::size_t>(header_count);
    ProgramObject object;
    object.kernel = kernel;
    object.problem = compile_problem(source, kernel, {headers, count}, {include_names, count});
    *program = programs_.create(std::move(object), struck_.lost);
    return NVRTC_SUCCESS;
  });
}

nvrtcResult DriverEntries::nvrtcCompileProgram(nvrtcProgram program, int, const char* const*) {
  const nvrtcResult result = on_program(Call::nvrtcCompileProgram, program, [](ProgramObject& object) {
    if (!object.problem.empty()) {
      object.log = "error: " + object.problem + "\n1 error detected.\n";
      return NVRTC_ERROR_COMPILATION;
    }
    object.image = make_image(*object.kernel);
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
