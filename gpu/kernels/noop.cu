// Touches nothing, whatever it declares.
#include "kernel.cuh"

KERNEL noop(READ_ONLY(Operands) operands) { (void)operands; }
