// The parameters of a launch, laid out as the kernels see them: the host's picture of Operand and Operands in
// kernels/kernel.cuh, which host code does not include because it speaks CUDA C++.
#pragma once

#include <cstddef>
#include <cstdint>

namespace taintgraph::gpu {

struct PackedOperand {
  std::uint64_t address = 0;
  std::uint64_t end = 0;  // of its bytes, where all ranges of its kind, reads or writes, lie end to end
};

inline constexpr std::uint32_t kInlineOperands = 16;

struct PackedOperands {
  std::uint32_t reads = 0;
  std::uint32_t writes = 0;
  std::uint64_t table = 0;  // device address of all operands if they are more than kInlineOperands
  PackedOperand inlined[kInlineOperands];
};

static_assert(sizeof(PackedOperand) == 16 && offsetof(PackedOperand, end) == 8);
static_assert(offsetof(PackedOperands, writes) == 4 && offsetof(PackedOperands, table) == 8);
static_assert(offsetof(PackedOperands, inlined) == 16 && sizeof(PackedOperands) == 272);

}  // namespace taintgraph::gpu
