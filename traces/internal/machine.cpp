#include "traces/internal/machine.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "gpu/compiler_loader.hpp"
#include "gpu/driver_loader.hpp"
#include "gpu/fault_table.hpp"

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

sim::DriverOptions driver_options(const Header& header, const SessionOptions& session) {
  sim::DriverOptions options;
  options.seed = header.seed;
  options.order = session.order;
  options.memory_bytes = header.device.memory_bytes;
  options.surfacing =
      header.device.surfacing == Surfacing::documented ? sim::ErrorSurfacing::documented : sim::ErrorSurfacing::strict;
  return options;
}

struct Tables {
  gpu::DriverApi driver;
  gpu::CompilerApi compiler;
};

Tables real_tables() {
  auto driver = gpu::load_driver();
  if (!driver) throw NoGpu(driver.error());
  auto compiler = gpu::load_compiler();
  if (!compiler) throw NoGpu(compiler.error());
  return {*driver, *compiler};
}

}  // namespace

Machine::Machine(const Header& header, const SessionOptions& options) : plan(header.seed, header.faults) {
  plan.sleep(true);
  gpu::CudaDeviceOptions device_options;
  device_options.ordinal = options.device;
  device_options.streams = header.device.streams;
  device_options.staging_bytes = options.staging_bytes;
  if (header.device.allocator == Allocator::stream_ordered)
    device_options.allocator = gpu::PageAllocator::stream_ordered;
  const bool from_outside = options.backend == Backend::cuda || options.injection == Injection::at_the_tables;
  const sim::DriverOptions simulated = driver_options(header, options);
  Tables tables;
  if (options.backend == Backend::sim) {
    driver = std::make_unique<sim::Driver>(simulated, from_outside ? nothing_planned : plan);
    device_options.observer = driver->observer();
    device_options.clock = driver->clock();
    tables = {driver->driver(), driver->compiler()};
  } else {
    tables = real_tables();
  }
  if (from_outside) {
    injector = std::make_unique<sim::Injector>(tables.driver, tables.compiler, simulated.surfacing, plan);
    device_options.observer = injector->observer(device_options.observer);
    tables = {injector->driver(), injector->compiler()};
  }
  table = tables.driver;
  auto made = gpu::CudaDevice::create(tables.driver, tables.compiler, device_options);
  if (!made && made.error().name == gpu::row(gpu::FaultKind::no_device).name) throw NoGpu("the driver finds no GPU");
  if (!made)
    throw std::runtime_error("cannot make the device: " + std::string(made.error().name) + " from " +
                             std::string(made.error().call));
  device = std::move(*made);
  runtime = std::make_unique<core::Runtime>(*device, runtime_options(header.device));
  plan.sleep(false);
}

void Machine::begin_operation(std::uint64_t ordinal, std::string_view id) {
  plan.begin_operation(ordinal, id);
  if (injector) nothing_planned.begin_operation(ordinal, id);
}

std::vector<std::string> Machine::take_findings() {
  std::vector<std::string> lines;
  if (!driver) return lines;
  for (sim::Finding& finding : driver->take_findings()) lines.push_back(std::move(finding.what));
  return lines;
}

std::vector<std::uint32_t> Machine::take_schedule() {
  return driver ? driver->take_schedule() : std::vector<std::uint32_t>();
}

void Machine::force_schedule(std::span<const std::uint32_t> streams, sim::Unscheduled unscheduled) {
  if (driver) driver->force_schedule(streams, unscheduled);
}

bool Machine::hangs() const { return driver && driver->hangs(); }

std::vector<std::uint32_t> Machine::busy_streams() const {
  return driver ? driver->busy_streams() : std::vector<std::uint32_t>();
}

std::optional<sim::LiveObjects> Machine::count_objects() const {
  return driver ? std::optional(driver->count_objects()) : std::nullopt;
}

std::optional<sim::LiveObjects> Machine::left_to_context() const {
  return driver ? std::optional(driver->left_to_context()) : std::nullopt;
}

void Machine::unset_context() {
  const bool asleep = plan.asleep();
  plan.sleep(true);
  static_cast<void>(table.cuCtxSetCurrent(nullptr));  // whatever it says: the backend is not to rely on it
  plan.sleep(asleep);
}

std::vector<std::string> Machine::live_objects() const {
  return driver ? driver->live_objects() : std::vector<std::string>();
}

}  // namespace taintgraph::traces::internal
