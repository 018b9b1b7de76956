// Faults: stores to an address that no allocation has. It lies in the first page, which is never mapped, rather than
// some way past an operand, where another allocation could be. The thread's number goes into the address so that no
// compiler sees a constant null pointer and drops the store.
#include "kernel.cuh"

KERNEL out_of_bounds(READ_ONLY(Operands) operands) {
  (void)operands;
  GLOBAL(u8) nowhere = GLOBAL_AT(u8, thread_number() + 8);
  nowhere[0] = 1;
}
