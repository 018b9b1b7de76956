// Modules, functions, launches.
#include <algorithm>
#include <cstring>

#include "sim/driver_entries.hpp"
#include "sim/kernel_image.hpp"

namespace taintgraph::sim {
namespace {

constexpr std::uint64_t kMostThreadsInBlock = 1024;
constexpr unsigned kMostBlocksAcross = 65535;     // along y and z
constexpr unsigned kMostSharedBytes = 48U << 10;  // of a block, without asking for more beforehand

bool fits_device(const LaunchDimensions& dimensions) {
  const auto [x, y, z] = dimensions.block;
  const auto [grid_x, grid_y, grid_z] = dimensions.grid;
  if (x == 0 || y == 0 || z == 0 || grid_x == 0 || grid_y == 0 || grid_z == 0) return false;
  return std::uint64_t{x} * y * z <= kMostThreadsInBlock && grid_x <= 0x7FFFFFFFU && grid_y <= kMostBlocksAcross &&
         grid_z <= kMostBlocksAcross;
}

}  // namespace

CUresult DriverEntries::cuModuleLoadData(CUmodule* module, const void* image) {
  const KernelIndex kernel = read_image(static_cast<const char*>(image));
  CallSite site{Call::cuModuleLoadData, std::nullopt, {}};
  if (kernel) site.kernel = kernel_name(*kernel);
  return in_context(site, [&](ContextObject& context) {
    if (!kernel) return image_error(static_cast<const char*>(image), kComputeCapability);
    *module = modules_.create({context.serial, *kernel, {}}, struck_.lost);
    return CUDA_SUCCESS;
  });
}

CUresult DriverEntries::cuModuleUnload(CUmodule module) {
  ModuleObject* const object = modules_.find(module);
  CallSite site{Call::cuModuleUnload, std::nullopt, {}};
  if (object != nullptr) site.kernel = kernel_name(object->kernel);
  return in_context(site, [&](ContextObject& context) {
    if (!owned(object, context, Call::cuModuleUnload, "a module")) return CUDA_ERROR_INVALID_HANDLE;
    // Work that is queued keeps what it needs of the code; only new launches need the function.
    for (const CUfunction function : object->functions) functions_.erase(function);
    modules_.erase(module);
    return CUDA_SUCCESS;
  });
}

CUresult DriverEntries::cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  constexpr Call kCall = Call::cuModuleGetFunction;
  return in_context({kCall, std::nullopt, name}, [&](ContextObject& context) {
    ModuleObject* const object = modules_.find(module);
    if (!owned(object, context, kCall, "a module")) return CUDA_ERROR_INVALID_HANDLE;
    if (kernel_name(object->kernel) != name) return CUDA_ERROR_NOT_FOUND;
    *function = functions_.create({context.serial, object->kernel, false}, struck_.lost);
    object->functions.push_back(*function);
    return CUDA_SUCCESS;
  });
}

CUresult DriverEntries::cuFuncLoad(CUfunction function) {
  FunctionObject* const object = functions_.find(function);
  CallSite site{Call::cuFuncLoad, std::nullopt, {}};
  if (object != nullptr) site.kernel = kernel_name(object->kernel);
  return in_context(site, [&](ContextObject& context) {
    if (!owned(object, context, Call::cuFuncLoad, "a function")) return CUDA_ERROR_INVALID_HANDLE;
    object->loaded = true;
    return CUDA_SUCCESS;
  });
}

void DriverEntries::declare(CUstream stream, const gpu::DeclaredAccess* accesses, std::size_t count) {
  if (declaration_.pending) findings_.add("a launch was declared that never came");
  declaration_.pending = true;
  declaration_.stream = stream;
  declaration_.accesses.assign(accesses, accesses + count);
}

void DriverEntries::fill_launch(Work& work, std::size_t kernel, const LaunchDimensions& dimensions, CUstream stream,
                                void** parameters) {
  const CompiledKernel& compiled = *compiled_kernels()[kernel];
  work.kind = WorkKind::kernel;
  work.call = Call::cuLaunchKernel;
  work.kernel = &compiled;
  work.kernel_index = static_cast<std::uint16_t>(kernel);
  work.dimensions = dimensions;
  work.is_declared = declaration_.pending && declaration_.stream == stream;
  work.declared.clear();
  if (work.is_declared) work.declared.assign(declaration_.accesses.begin(), declaration_.accesses.end());
  work.bytes.clear();
  for (std::size_t i = 0; i < compiled.parameter_sizes.size(); ++i) {
    const auto* const value = static_cast<const std::byte*>(parameters[i]);
    work.bytes.insert(work.bytes.end(), value, value + compiled.parameter_sizes[i]);
  }
}

CUresult DriverEntries::cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                       CUstream stream, void** parameters, void** extra) {
  constexpr Call kCall = Call::cuLaunchKernel;
  FunctionObject* const object = functions_.find(function);
  const CUresult result =
      on_stream(kCall, stream, object == nullptr ? std::string_view() : kernel_name(object->kernel),
                [&](ContextObject& context, StreamObject& stream_object) {
                  if (!owned(object, context, kCall, "a function")) return CUDA_ERROR_INVALID_HANDLE;
                  const LaunchDimensions dimensions{{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}};
                  if (shared_bytes > kMostSharedBytes)
                    return misuse(kCall, "with too much shared memory", CUDA_ERROR_INVALID_VALUE);
                  if (!fits_device(dimensions)) return misuse(kCall, "of an impossible grid", CUDA_ERROR_INVALID_VALUE);
                  if (extra != nullptr ||
                      (parameters == nullptr && !compiled_kernels()[object->kernel]->parameter_sizes.empty())) {
                    return misuse(kCall, "is not given its parameters as kernelParams", CUDA_ERROR_INVALID_VALUE);
                  }
                  if (expects_declarations_ && !declaration_.pending)
                    (void)misuse(kCall, "is not declared", CUDA_SUCCESS);
                  if (declaration_.pending && declaration_.stream != stream) {
                    (void)misuse(kCall, "is declared for another stream", CUDA_SUCCESS);
                  }
                  if (stream_object.capture && !object->loaded) {
                    return break_capture(*stream_object.capture, kCall, "would load its function while capturing",
                                         CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
                  }
                  object->loaded = true;
                  submit(context, stream_object,
                         [&](Work& work) { fill_launch(work, object->kernel, dimensions, stream, parameters); });
                  return CUDA_SUCCESS;
                });
  declaration_.pending = false;
  return result;
}

}  // namespace taintgraph::sim
