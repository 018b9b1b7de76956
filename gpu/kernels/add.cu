// The sum of all reads, byte by byte. One thread a byte, by the same index, so that it may run in place.
#include "kernel.cuh"

KERNEL add(READ_ONLY(Operands) operands) {
  const u64 offset = thread_number();
  const Operand to = write_at(operands, 0);
  if (offset >= to.size_bytes) return;
  u32 sum = 0;
  for (u32 i = 0; i < operands.reads; ++i) {
    const u8 byte = read_at(operands, i).data[offset];
    sum += byte;
  }
  to.data[offset] = (u8)sum;
}
