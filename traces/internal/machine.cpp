#include "traces/internal/machine.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace taintgraph::traces::internal {
namespace {

// Small enough that short programs need several pages, large enough that long ones do not need thousands.
constexpr std::uint64_t kUsualPageBytes = 64U << 10;

core::RuntimeOptions runtime_options(const DeviceConfig& config) {
  core::RuntimeOptions options;
  options.pool.kind = config.pool == PoolKind::exclusive ? core::PoolKind::exclusive : core::PoolKind::sliced;
  options.pool.alignment_bytes = config.alignment_bytes;
  options.pool.page_bytes = config.page_bytes
                                ? *config.page_bytes
                                : std::clamp(config.memory_bytes / 8, config.alignment_bytes, kUsualPageBytes);
  options.distrust_fresh_memory = config.init == InitialState::unwritten;
  return options;
}

sim::DriverOptions driver_options(const Header& header) {
  sim::DriverOptions options;
  options.seed = header.seed;
  options.memory_bytes = header.device.memory_bytes;
  return options;
}

}  // namespace

Machine::Machine(const Header& header, const SessionOptions& options)
    : plan(header.seed, header.faults), driver(driver_options(header), plan) {
  gpu::CudaDeviceOptions device_options;
  device_options.streams = header.device.streams;
  device_options.staging_bytes = options.staging_bytes;
  device_options.observer = driver.observer();
  auto made = gpu::CudaDevice::create(driver.driver(), driver.compiler(), device_options);
  if (!made)
    throw std::runtime_error("cannot make the device: " + std::string(made.error().name) + " from " +
                             std::string(made.error().call));
  device = std::move(*made);
  runtime = std::make_unique<core::Runtime>(*device, runtime_options(header.device));
}

}  // namespace taintgraph::traces::internal
