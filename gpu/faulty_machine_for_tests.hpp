// A backend on a simulated driver that fails as planned, for tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/cuda_device.hpp"
#include "sim/driver.hpp"

namespace taintgraph::gpu {

using Objects = std::vector<std::string>;

inline constexpr core::StreamIndex kStream{0};
inline constexpr core::StreamIndex kOtherStream{1};
inline constexpr std::size_t kSize = 48;

// Fails `count` calls to `call` (to any call that may return the kind, if none is named), passing the first `skip`.
inline sim::FaultPlan plan_of(std::optional<Call> call, FaultKind kind, FaultWhen when = FaultWhen::before,
                              std::uint64_t skip = 0, std::uint64_t count = 1) {
  sim::PlannedFault fault;
  fault.id = "planned";
  fault.call = call;
  fault.skip = skip;
  fault.count = count;
  fault.fault.kind = kind;
  fault.fault.when = when;
  return sim::FaultPlan(1, {fault});
}

struct Machine {
  explicit Machine(sim::FaultPlan fault_plan = {}) : plan(std::move(fault_plan)), driver(sim::DriverOptions{}, plan) {}

  [[nodiscard]] core::DeviceResult<void> open() {
    options.streams = 2;
    options.staging_bytes = 64;
    options.observer = driver.observer();
    options.clock = driver.clock();
    auto made = CudaDevice::create(driver.driver(), driver.compiler(), options);
    if (!made) return tl::unexpected(made.error());
    device = std::move(*made);
    return {};
  }

  [[nodiscard]] core::DeviceResult<void> fill(core::DeviceSpan to, std::uint64_t value,
                                              core::StreamIndex stream = kStream) {
    const core::DeviceSpan writes[] = {to};
    const std::uint64_t scalars[] = {value};
    return device->launch(stream, {"fill", {}, writes, scalars});
  }
  [[nodiscard]] core::DeviceResult<void> run(std::string_view kernel) {
    return device->launch(kStream, {kernel, {}, {}, {}});
  }
  [[nodiscard]] core::DeviceResult<void> write(core::DeviceSpan to, std::uint8_t value,
                                               core::StreamIndex stream = kStream) {
    const std::vector<std::byte> bytes(to.size_bytes, std::byte{value});
    return device->write(stream, to.address, bytes);
  }
  [[nodiscard]] core::DeviceResult<void> read(core::DeviceSpan from, std::vector<std::uint8_t>& into,
                                              core::StreamIndex stream = kStream) {
    into.assign(from.size_bytes, 0);
    const core::DeviceRead pieces[] = {{from, reinterpret_cast<std::byte*>(into.data())}};
    return device->read(stream, pieces);
  }
  // The one value of all bytes, -1 if they differ or cannot be read.
  [[nodiscard]] int value_of(core::DeviceSpan span, core::StreamIndex stream = kStream) {
    std::vector<std::uint8_t> bytes;
    if (!read(span, bytes, stream)) return -1;
    return bytes == std::vector<std::uint8_t>(bytes.size(), bytes[0]) ? bytes[0] : -1;
  }
  [[nodiscard]] core::DeviceSpan reserve(std::uint64_t size = kSize) {
    return {device->reserve(size).value_or(core::DeviceAddress::null), size};
  }
  // Living driver objects of one sort.
  [[nodiscard]] std::ptrdiff_t count(const std::string& sort) {
    const std::vector<std::string> objects = driver.live_objects();
    return std::count(objects.begin(), objects.end(), sort);
  }
  [[nodiscard]] std::string findings() {
    std::string lines;
    for (const sim::Finding& finding : driver.take_findings()) lines += finding.what + "\n";
    return lines;
  }

  CudaDeviceOptions options{};
  sim::FaultPlan plan;
  sim::Driver driver;
  std::unique_ptr<CudaDevice> device;
};

}  // namespace taintgraph::gpu
