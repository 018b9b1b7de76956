// In each byte of every written range, its own index within that range. One thread a byte, over the written ranges laid
// end to end.
#include "kernel.cuh"

KERNEL iota(READ_ONLY(Operands) operands) {
  u64 offset = thread_number();
  for (u32 i = 0; i < operands.writes; ++i) {
    const Operand to = write_at(operands, i);
    if (offset < to.size_bytes) {
      to.data[offset] = (u8)offset;
      return;
    }
    offset -= to.size_bytes;
  }
}
