// Fills a compiler table from NVRTC, opened at run time and never linked.
//
// NVRTC comes with a toolkit, not with the driver, so it is looked for by name where the dynamic linker looks and then
// in the toolkits that CUDA_HOME, CUDA_PATH and /usr/local/cuda point to. It stays open until the process ends.
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "gpu/compiler_api.hpp"

namespace taintgraph::gpu {

// Where NVRTC is looked for, in order: names for the dynamic linker, then paths.
[[nodiscard]] std::vector<std::string> compiler_candidates();

// The first candidate that opens and has every function. Otherwise what is wrong with each that exists, or that none
// does and where it was looked for.
[[nodiscard]] tl::expected<CompilerApi, std::string> load_compiler(
    const std::vector<std::string>& candidates = compiler_candidates());

}  // namespace taintgraph::gpu
