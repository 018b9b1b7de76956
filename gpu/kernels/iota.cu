// In each byte of every written range, its own index within that range. One thread a byte, over the written ranges laid
// end to end.
#include "kernel.cuh"

KERNEL iota(READ_ONLY(Operands) operands) {
  const WrittenByte to = written_byte(operands, thread_number());
  if (to.range) to.range[to.offset] = (u8)to.offset;
}
