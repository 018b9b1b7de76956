// Turns what a driver or compiler function returned into a core::Error: the fault table's name where the table has the
// code, the driver's own name for it otherwise.
//
// Every result of both tables goes through here (D3); success costs one comparison.
#pragma once

#include <utility>
#include <vector>

#include "core/error.hpp"
#include "gpu/compiler_api.hpp"
#include "gpu/driver_api.hpp"
#include "gpu/fault_table.hpp"

namespace taintgraph::gpu {

// Requires: `code` is an error.
[[nodiscard]] core::Error driver_error(const DriverApi& driver, CUresult code, Call call);
[[nodiscard]] core::Error compiler_error(nvrtcResult code, Call call);

[[nodiscard]] inline core::DeviceResult<void> checked(const DriverApi& driver, CUresult code, Call call) {
  if (code == CUDA_SUCCESS) [[likely]] {
    return {};
  }
  return tl::unexpected(driver_error(driver, code, call));
}

[[nodiscard]] inline core::DeviceResult<void> checked(nvrtcResult code, Call call) {
  if (code == NVRTC_SUCCESS) return {};
  return tl::unexpected(compiler_error(code, call));
}

// Keeps the error of a call after which others have to be made all the same; nothing if it succeeded.
inline void append_error(core::DeviceResult<void> result, std::vector<core::Error>& errors) {
  if (!result) errors.push_back(std::move(result.error()));
}

// Adds to `error` that undoing what came before it failed too. A sticky error of the undoing takes the place of one
// that is not, so that the loss of the device is never hidden (D1).
void add_undo_failure(core::Error& error, const core::Error& undo);

}  // namespace taintgraph::gpu
