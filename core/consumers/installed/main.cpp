// Uses the installed package as a stranger would: headers by their public spelling, code from both libraries.
#include <iostream>
#include <string>

#include <taintgraph/core/runtime.hpp>
#include <taintgraph/core/version.hpp>
#include <taintgraph/gpu/cuda_device.hpp>
#include <taintgraph/gpu/driver_loader.hpp>
#include <taintgraph/gpu/fault_table.hpp>

#include "plugin.hpp"

#if TAINTGRAPH_VERSION_MAJOR != 0 || TAINTGRAPH_VERSION_MINOR < 1
#error "this was written for 0.1"
#endif

namespace core = taintgraph::core;
namespace gpu = taintgraph::gpu;

int main() {
  const auto driver = gpu::load_driver();
  std::cout << (driver ? "a driver is here" : driver.error()) << '\n';

  const gpu::FaultRow& row = gpu::row(gpu::FaultKind::out_of_memory);
  core::ErrorGraph graph;
  const core::FailureId failure =
      graph.mint({.name = row.name, .call = gpu::to_string(row.calls.front()), .code = row.code, .detail = {}}, {});
  core::Taint taint;
  taint.claim({0, 64}, failure, graph);
  std::cout << core::to_string(graph.report(failure)) << '\n';
  const bool held = graph.tagged(failure) == 1 && graph.error(failure).code == gpu::CUDA_ERROR_OUT_OF_MEMORY;
  taint.clear(graph);
  std::cout << "taintgraph " << core::kVersion << ", in a shared library: " << refusal() << '\n';
  const bool linked = core::kVersion == PACKAGE_VERSION && refusal() == "no_device";
  return held && linked && graph.empty() ? 0 : 1;
}
