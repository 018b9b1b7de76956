// The language that the kernels are written in: CUDA C++, with memory reached through GLOBAL(T) so that the same text can
// also be compiled for the host, where every load and store is checked.
//
// A kernel is one file named like its entry point:  KERNEL fill(READ_ONLY(Operands) operands, u64 value) { ... }
// It works from grid, block and parameters alone, one thread an element: no loop over the grid, so that a grid that is too
// small leaves bytes unwritten instead of hiding.
#pragma once

#ifndef TAINTGRAPH_DEVICE_LANGUAGE  // a CUDA compiler; elsewhere the including file has said what these mean
#define KERNEL extern "C" __global__ void
#define DEVICE static __device__ inline
#define READ_ONLY(T) const T  // a parameter that no thread changes, so that on the host all of them can share one
#define GLOBAL(T) T*
#define GLOBAL_AT(T, address) ((T*)(address))  // a pointer made from a number
#define DEVICE_TRAP() __trap()
// Some ten seconds at the clock rates there are: beyond every deadline that a test would wait for.
#define DEVICE_SPIN()                                           \
  do {                                                          \
    const long long begun = clock64();                          \
    while (clock64() - begun < 20000000000LL) {                 \
    }                                                           \
  } while (0)
#define DEVICE_ASSERT_FAIL(message) __assertfail(message, __FILE__, __LINE__, "kernel", 1)
#endif
#ifndef GLOBAL_AT
#define GLOBAL_AT(T, address) (GLOBAL(T){address})
#endif

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

// One declared range: where it is and how long.
struct Operand {
  GLOBAL(u8) data;
  u64 size_bytes;
};

// The same as it is passed: with the place of its end among the bytes of its kind, all reads or all writes laid end to
// end, so that a byte's range is found by halving.
struct PackedOperand {
  GLOBAL(u8) data;
  u64 end;
};

// Everything a launch declares, reads first, then writes. The first kInlineOperands are in the parameter itself; if there
// are more, all of them are in `table`, in device memory.
constexpr u32 kInlineOperands = 16;
struct Operands {
  u32 reads;
  u32 writes;
  GLOBAL(const PackedOperand) table;  // null if the inline ones are all
  PackedOperand inlined[kInlineOperands];
};

DEVICE PackedOperand packed_at(const Operands& operands, u32 i) {
  if (operands.reads + operands.writes <= kInlineOperands) return operands.inlined[i];
  return operands.table[i];
}
// Number i of those of one kind, the first of which is number `first` of all.
DEVICE Operand operand_at(const Operands& operands, u32 first, u32 i) {
  const PackedOperand packed = packed_at(operands, first + i);
  const u64 begin = i == 0 ? 0 : packed_at(operands, first + i - 1).end;
  return {packed.data, packed.end - begin};
}
DEVICE Operand read_at(const Operands& operands, u32 i) { return operand_at(operands, 0, i); }
DEVICE Operand write_at(const Operands& operands, u32 i) { return operand_at(operands, operands.reads, i); }

// The number of this thread in the whole grid, along x.
DEVICE u64 thread_number() { return (u64)blockIdx.x * blockDim.x + threadIdx.x; }

// A byte as the thread finds it that writes it.
struct WrittenByte {
  GLOBAL(u8) range;  // where its range begins; null if there is no such byte
  u64 offset;        // in that range
};

// Byte `number` of the written ranges laid end to end. O(log n).
DEVICE WrittenByte written_byte(const Operands& operands, u64 number) {
  u32 low = 0;    // its range is this one or a later one,
  u64 begin = 0;  // and this one begins here
  u32 high = operands.writes;
  while (low < high) {
    const u32 middle = low + (high - low) / 2;
    const u64 end = packed_at(operands, operands.reads + middle).end;
    if (end <= number) {
      low = middle + 1;
      begin = end;
    } else {
      high = middle;
    }
  }
  if (low == operands.writes) return {GLOBAL_AT(u8, 0), 0};
  return {packed_at(operands, operands.reads + low).data, number - begin};
}
