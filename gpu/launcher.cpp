#include "gpu/launcher.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/check.hpp"
#include "gpu/error_mapping.hpp"

namespace taintgraph::gpu {
namespace {

void pack_all(const core::DeviceLaunch& launch, std::span<PackedOperand> to) {
  std::size_t packed = 0;
  for (const std::span<const core::DeviceSpan> ranges : {launch.reads, launch.writes}) {
    std::uint64_t end = 0;
    for (const core::DeviceSpan& range : ranges) {
      end += range.size_bytes;
      to[packed++] = {static_cast<std::uint64_t>(range.address), end};
    }
  }
}

}  // namespace

core::DeviceResult<void> Launcher::launch(core::StreamIndex index, Stream& stream, const KernelInfo& kernel,
                                          CUfunction function, const core::DeviceLaunch& launch) {
  PackedOperands operands;
  auto table = pack(index, stream, launch, operands);
  if (!table) return tl::unexpected(std::move(table.error()));

  const LaunchGrid grid = launch_grid(kernel, launch.writes);
  TAINTGRAPH_CHECK(grid.blocks <= kMaxGridBlocks, "a launch is submitted only if it fits its kernel");
  std::uint64_t scalar = launch.scalars.empty() ? 0 : launch.scalars[0];
  void* parameters[] = {&operands, &scalar};  // the driver reads as many as the kernel has
  if (observer_.declare != nullptr) declare(stream.handle(), launch, *table);
  return checked(driver_,
                 driver_.cuLaunchKernel(function, static_cast<unsigned>(grid.blocks), 1, 1, grid.block_threads, 1, 1, 0,
                                        stream.handle(), parameters, nullptr),
                 Call::cuLaunchKernel);
}

core::DeviceResult<core::DeviceSpan> Launcher::pack(core::StreamIndex index, Stream& stream,
                                                    const core::DeviceLaunch& launch, PackedOperands& packed) {
  packed.reads = static_cast<std::uint32_t>(launch.reads.size());
  packed.writes = static_cast<std::uint32_t>(launch.writes.size());
  const std::size_t count = launch.reads.size() + launch.writes.size();
  if (count <= kInlineOperands) {
    pack_all(launch, packed.inlined);
    return core::DeviceSpan{};
  }
  operands_.resize(count);
  pack_all(launch, operands_);
  // A recorded launch finds its table at every replay, so it gets one that no later launch overwrites.
  auto table = captures_.open(index) ? captures_.keep_operands(index, operands_)
                                     : tables_[core::index(index)].upload(driver_, stream, operands_);
  if (table) packed.table = static_cast<std::uint64_t>(table->address);
  return table;
}

void Launcher::declare(CUstream stream, const core::DeviceLaunch& launch, core::DeviceSpan table) {
  declared_.clear();
  const auto add = [this](const core::DeviceSpan& span, bool writes) {
    if (span.size_bytes != 0) {
      declared_.push_back({static_cast<CUdeviceptr>(span.address), span.size_bytes, writes});
    }
  };
  for (const core::DeviceSpan& read : launch.reads) add(read, false);
  add(table, false);
  for (const core::DeviceSpan& write : launch.writes) add(write, true);
  observer_.declare(observer_.self, stream, declared_.data(), declared_.size());
}

void Launcher::close(core::StreamIndex index, bool idle, std::vector<core::Error>& errors) {
  OperandTable& table = tables_[core::index(index)];
  if (idle) {
    table.close(driver_, errors);
  } else {
    table.abandon();
  }
}

}  // namespace taintgraph::gpu
