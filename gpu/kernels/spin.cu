// Is not done for as long as anybody waits: touches nothing, whatever it declares. A simulated device never ends it; a
// real one does after a while, since nothing else could end a kernel without ending its process.
#include "kernel.cuh"

KERNEL spin(READ_ONLY(Operands) operands) {
  (void)operands;
  DEVICE_SPIN();
}
