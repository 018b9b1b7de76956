// value, in every byte of every written range. One thread a byte, over the written ranges laid end to end.
#include "kernel.cuh"

KERNEL fill(READ_ONLY(Operands) operands, u64 value) {
  const WrittenByte to = written_byte(operands, thread_number());
  if (to.range) to.range[to.offset] = (u8)value;
}
