// The bytes of the one read. One thread a byte, by the same index, so that it may run in place.
#include "kernel.cuh"

KERNEL copy(READ_ONLY(Operands) operands) {
  const u64 offset = thread_number();
  const Operand to = write_at(operands, 0);
  if (offset >= to.size_bytes) return;
  const u8 byte = read_at(operands, 0).data[offset];
  to.data[offset] = byte;
}
