#include "gpu/operand_table.hpp"

#include <bit>
#include <cstddef>
#include <utility>

#include "gpu/error_mapping.hpp"

namespace taintgraph::gpu {

core::DeviceResult<core::DeviceSpan> OperandTable::upload(const DriverApi& driver, Stream& stream,
                                                          std::span<const PackedOperand> operands) {
  const std::span<const std::byte> bytes = std::as_bytes(operands);
  if (memory_.size_bytes < bytes.size()) {
    auto grown = grow(driver, stream, std::bit_ceil(bytes.size()));
    if (!grown) return tl::unexpected(std::move(grown.error()));
  }
  auto queued = stream.write(memory_.address, bytes);
  if (!queued) return tl::unexpected(std::move(queued.error()));
  return core::DeviceSpan{memory_.address, bytes.size()};
}

core::DeviceResult<void> OperandTable::grow(const DriverApi& driver, Stream& stream, std::uint64_t size_bytes) {
  if (memory_.size_bytes != 0) {
    if (auto done = stream.synchronize(); !done) return done;
    if (auto freed = free(driver); !freed) return freed;
  }
  CUdeviceptr address = 0;
  auto reserved = checked(driver, driver.cuMemAlloc(&address, static_cast<std::size_t>(size_bytes)), Call::cuMemAlloc);
  if (reserved) memory_ = {static_cast<core::DeviceAddress>(address), size_bytes};
  return reserved;
}

core::DeviceResult<void> OperandTable::free(const DriverApi& driver) {
  const core::DeviceSpan gone = std::exchange(memory_, {});
  if (gone.size_bytes == 0) return {};
  return checked(driver, driver.cuMemFree(static_cast<CUdeviceptr>(gone.address)), Call::cuMemFree);
}

void OperandTable::close(const DriverApi& driver, std::vector<core::Error>& errors) {
  append_error(free(driver), errors);
}

}  // namespace taintgraph::gpu
