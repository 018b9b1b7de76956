#include "gpu/kernel_compiler.hpp"

#include <limits>
#include <utility>

#include "gpu/error_mapping.hpp"

namespace taintgraph::gpu {
namespace {

constexpr int kStill = std::numeric_limits<int>::max();

// From the release notes of NVRTC; 13.0 dropped everything before 75 and renamed 101 to 110.
constexpr Architecture kArchitectures[] = {
    {50, 700, 1300},    {52, 700, 1300},     {53, 800, 1300},     {60, 800, 1300},     {61, 800, 1300},
    {62, 800, 1300},    {70, 900, 1300},     {72, 902, 1300},     {75, 1000, kStill},  {80, 1100, kStill},
    {86, 1101, kStill}, {87, 1104, kStill},  {89, 1108, kStill},  {90, 1108, kStill},  {100, 1208, kStill},
    {101, 1208, 1300},  {103, 1209, kStill}, {110, 1300, kStill}, {120, 1208, kStill}, {121, 1209, kStill},
};

}  // namespace

std::span<const Architecture> architectures() { return kArchitectures; }

int choose_architecture(int device, int version) {
  int chosen = device;
  for (const Architecture& each : kArchitectures) {
    if (each.compute <= device && each.since <= version && version < each.until) chosen = each.compute;
  }
  return chosen;
}

core::DeviceResult<int> KernelCompiler::architecture(CUdevice device) const {
  int compute[2] = {};
  const CUdevice_attribute attributes[2] = {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                                            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR};
  for (int i = 0; i < 2; ++i) {
    auto asked =
        checked(driver_, driver_.cuDeviceGetAttribute(&compute[i], attributes[i], device), Call::cuDeviceGetAttribute);
    if (!asked) return tl::unexpected(std::move(asked.error()));
  }
  int major = 0;
  int minor = 0;
  auto asked = checked(compiler_.nvrtcVersion(&major, &minor), Call::nvrtcVersion);
  if (!asked) return tl::unexpected(std::move(asked.error()));
  return choose_architecture(compute[0] * 10 + compute[1], major * 100 + minor);
}

core::DeviceResult<std::string> KernelCompiler::compile(const KernelInfo& kernel, CUdevice device) const {
  auto target = architecture(device);
  if (!target) return tl::unexpected(std::move(target.error()));

  const std::string file = std::string(kernel.name) + ".cu";  // how the log names it
  const char* header = kernel_header().data();
  const char* header_name = "kernel.cuh";
  nvrtcProgram program = nullptr;
  auto created =
      checked(compiler_.nvrtcCreateProgram(&program, kernel.source.data(), file.c_str(), 1, &header, &header_name),
              Call::nvrtcCreateProgram);
  if (!created) return tl::unexpected(std::move(created.error()));

  auto compiled = compile(program, *target);
  auto destroyed = checked(compiler_.nvrtcDestroyProgram(&program), Call::nvrtcDestroyProgram);
  if (destroyed) return compiled;
  if (compiled) return tl::unexpected(std::move(destroyed.error()));
  add_undo_failure(compiled.error(), destroyed.error());
  return compiled;
}

core::DeviceResult<std::string> KernelCompiler::compile(nvrtcProgram program, int architecture) const {
  const std::string target = "--gpu-architecture=compute_" + std::to_string(architecture);
  const char* const options[] = {target.c_str(), "--std=c++17"};
  auto compiled = checked(compiler_.nvrtcCompileProgram(program, 2, options), Call::nvrtcCompileProgram);
  if (compiled) return ptx(program);
  compiled.error().detail = log(program);
  return tl::unexpected(std::move(compiled.error()));
}

core::DeviceResult<std::string> KernelCompiler::ptx(nvrtcProgram program) const {
  std::size_t size = 0;  // the final zero included
  auto got = checked(compiler_.nvrtcGetPTXSize(program, &size), Call::nvrtcGetPTXSize);
  if (!got) return tl::unexpected(std::move(got.error()));
  std::string text(size, '\0');
  got = checked(compiler_.nvrtcGetPTX(program, text.data()), Call::nvrtcGetPTX);
  if (!got) return tl::unexpected(std::move(got.error()));
  return text;
}

// What the compiler had to say; if it will not say it, which call would not.
std::string KernelCompiler::log(nvrtcProgram program) const {
  std::size_t size = 0;  // the final zero included
  auto got = checked(compiler_.nvrtcGetProgramLogSize(program, &size), Call::nvrtcGetProgramLogSize);
  std::string text(size, '\0');
  if (got) got = checked(compiler_.nvrtcGetProgramLog(program, text.data()), Call::nvrtcGetProgramLog);
  if (!got) return std::string("no log: ").append(got.error().call).append(" returned ").append(got.error().name);
  while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
  return text;
}

}  // namespace taintgraph::gpu
