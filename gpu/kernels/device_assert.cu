// Faults: a device-side assertion that never holds.
#include "kernel.cuh"

KERNEL device_assert(READ_ONLY(Operands) operands) {
  (void)operands;
  DEVICE_ASSERT_FAIL("device_assert asserts");
}
