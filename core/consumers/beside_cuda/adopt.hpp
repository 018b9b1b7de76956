// What the two files have of each other: each fills one entry of a table and says whether a stream got there as it is.
// To be included after taintgraph's headers and cuda.h, in either order.
#pragma once

taintgraph::gpu::CUstream cuda_first(taintgraph::gpu::DriverApi& driver, CUstream stream);
taintgraph::gpu::CUstream cuda_last(taintgraph::gpu::DriverApi& driver, CUstream stream);
