// Faults: the launch fails on the device, after the call that queued it succeeded.
#include "kernel.cuh"

KERNEL trap(READ_ONLY(Operands) operands) {
  (void)operands;
  DEVICE_TRAP();
}
