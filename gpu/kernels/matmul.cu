// The product of two n by n matrices, row-major. One thread an element of the product.
#include "kernel.cuh"

KERNEL matmul(READ_ONLY(Operands) operands, u64 n) {
  const u64 element = thread_number();
  const Operand to = write_at(operands, 0);
  if (element >= to.size_bytes) return;
  const Operand left = read_at(operands, 0);
  const Operand right = read_at(operands, 1);
  const u64 row = element / n;
  const u64 column = element % n;
  u32 sum = 0;
  for (u64 k = 0; k < n; ++k) {
    const u8 a = left.data[row * n + k];
    const u8 b = right.data[k * n + column];
    sum += (u32)a * b;
  }
  to.data[element] = (u8)sum;
}
