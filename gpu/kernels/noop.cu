// Touches nothing, whatever it declares.
#include "kernel.cuh"

KERNEL noop(Operands operands) { (void)operands; }
