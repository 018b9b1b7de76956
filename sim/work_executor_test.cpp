// Which kernels look as if they would fault, before they run.
#include "sim/work_executor.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "gpu/launch_packet.hpp"
#include "sim/compiled_kernel.hpp"

namespace taintgraph::sim {
namespace {

class LooksFaulty : public testing::Test {
 protected:
  LooksFaulty() {
    for (Allocation*& each : allocations_) each = memory_.allocate(64, 1, AllocationKind::context, false);
  }

  // One that reads the first allocation and writes the second.
  [[nodiscard]] Work work(std::string_view kernel) const {
    Work work;
    work.kind = WorkKind::kernel;
    for (const CompiledKernel* each : compiled_kernels()) {
      if (each->name == kernel) work.kernel = each;
    }
    if (work.kernel == nullptr) throw std::logic_error("no such kernel");
    gpu::PackedOperands operands;
    operands.reads = operands.writes = 1;
    for (std::size_t i = 0; i < 2; ++i) operands.inlined[i] = {allocations_[i]->address, 64};
    const std::uint64_t scalar = 8;  // matrices of 8 by 8
    work.bytes.resize(sizeof operands + sizeof scalar);
    std::memcpy(work.bytes.data(), &operands, sizeof operands);
    std::memcpy(work.bytes.data() + sizeof operands, &scalar, sizeof scalar);
    work.is_declared = true;
    work.declared = {{allocations_[0]->address, 64, false}, {allocations_[1]->address, 64, true}};
    return work;
  }

  DeviceMemory memory_{7, 1U << 20, 256};
  HostMemory host_{7};
  FindingLog findings_;
  WorkExecutor executor_{memory_, host_, findings_};
  Allocation* allocations_[2] = {};
};

TEST_F(LooksFaulty, WhatFaultsByItself) {
  for (const char* kernel : {"trap", "device_assert", "out_of_bounds"}) {
    EXPECT_TRUE(executor_.looks_faulty(work(kernel))) << kernel;
  }
}

TEST_F(LooksFaulty, NotWhatHasItsMemory) {
  for (const char* kernel : {"fill", "iota", "copy", "add", "scale", "gather", "reduce", "matmul", "noop"}) {
    EXPECT_FALSE(executor_.looks_faulty(work(kernel))) << kernel;
  }
}

TEST_F(LooksFaulty, WhatHasLostItsMemory) {
  const Work copy = work("copy");
  memory_.release(*allocations_[0]);
  EXPECT_TRUE(executor_.looks_faulty(copy));
}

// The table is copied there by work that may still be waiting itself: what it holds by now says nothing.
TEST_F(LooksFaulty, NotWhatHasATableStillToCome) {
  Work fill = work("fill");
  gpu::PackedOperands operands;
  operands.writes = gpu::kInlineOperands + 1;
  operands.table = allocations_[0]->address;
  std::memset(memory_.bytes(*allocations_[0], operands.table, 64), 0xEE, 64);
  std::memcpy(fill.bytes.data(), &operands, sizeof operands);
  EXPECT_FALSE(executor_.looks_faulty(fill));
}

}  // namespace
}  // namespace taintgraph::sim
