#include "gpu/context.hpp"

#include <utility>

#include "gpu/error_mapping.hpp"

namespace taintgraph::gpu {

core::DeviceResult<void> Context::open(int ordinal, bool adopt_primary) {
  if (auto ready = checked(driver_, driver_.cuInit(0), Call::cuInit); !ready) return ready;
  if (auto found = checked(driver_, driver_.cuDeviceGet(&device_, ordinal), Call::cuDeviceGet); !found) return found;
  CUcontext context = nullptr;
  if (adopt_primary) {
    auto retained =
        checked(driver_, driver_.cuDevicePrimaryCtxRetain(&context, device_), Call::cuDevicePrimaryCtxRetain);
    if (!retained) return retained;
  } else {
    auto created = checked(driver_, driver_.cuCtxCreate(&context, 0, device_), Call::cuCtxCreate);
    if (!created) return created;
  }
  context_ = context;
  adopted_ = adopt_primary;
  return make_current();  // cuCtxCreate has done it already, cuDevicePrimaryCtxRetain has not
}

void Context::close(std::vector<core::Error>& errors) {
  if (context_ == nullptr) return;
  const CUcontext context = std::exchange(context_, nullptr);
  append_error(adopted_ ? checked(driver_, driver_.cuDevicePrimaryCtxRelease(device_), Call::cuDevicePrimaryCtxRelease)
                        : checked(driver_, driver_.cuCtxDestroy(context), Call::cuCtxDestroy),
               errors);
}

core::DeviceResult<void> Context::make_current() {
  if (context_ == nullptr) {
    return tl::unexpected(driver_error(driver_, CUDA_ERROR_INVALID_CONTEXT, Call::cuCtxSetCurrent));
  }
  CUcontext current = nullptr;
  auto asked = checked(driver_, driver_.cuCtxGetCurrent(&current), Call::cuCtxGetCurrent);
  // Setting it does no harm where it is set already, so an answer that could not be had is not needed.
  if ((asked && current == context_) || (!asked && asked.error().sticky)) return asked;
  return checked(driver_, driver_.cuCtxSetCurrent(context_), Call::cuCtxSetCurrent);
}

}  // namespace taintgraph::gpu
