// The sum of all bytes of all reads in the first written byte, zeros in the others. One thread a written byte; the first
// one does the sum alone, since only the order-free result matters here and not its speed.
#include "kernel.cuh"

KERNEL reduce(READ_ONLY(Operands) operands) {
  const u64 offset = thread_number();
  const Operand to = write_at(operands, 0);
  if (offset >= to.size_bytes) return;
  u32 sum = 0;
  if (offset == 0) {
    for (u32 i = 0; i < operands.reads; ++i) {
      const Operand from = read_at(operands, i);
      for (u64 k = 0; k < from.size_bytes; ++k) {
        const u8 byte = from.data[k];
        sum += byte;
      }
    }
  }
  to.data[offset] = (u8)sum;
}
