// source[index mod source's length] for each index. One thread an index; the indices may be overwritten in place, the
// source may not.
#include "kernel.cuh"

KERNEL gather(READ_ONLY(Operands) operands) {
  const u64 offset = thread_number();
  const Operand to = write_at(operands, 0);
  if (offset >= to.size_bytes) return;
  const Operand source = read_at(operands, 0);
  const u8 index = read_at(operands, 1).data[offset];
  const u8 byte = source.data[index % source.size_bytes];
  to.data[offset] = byte;
}
