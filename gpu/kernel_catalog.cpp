#include "gpu/kernel_catalog.hpp"

#include <array>
#include <cstddef>
#include <iterator>

#include "gpu/kernel_signature.hpp"

namespace taintgraph::gpu {
namespace {

struct EmbeddedKernel {
  std::string_view name;
  std::string_view source;
};

#include "kernel_sources.inc"

// Not a constant, and so no program, if a signature has no source.
constexpr std::string_view source_of(std::string_view name) {
  std::size_t i = 0;
  while (kSources[i].name != name) ++i;
  return kSources[i].source;
}

constexpr auto kCatalog = [] {
  std::array<KernelInfo, std::size(kSignatures)> catalog{};
  for (std::size_t i = 0; i < catalog.size(); ++i) {
    const KernelSignature& signature = kSignatures[i];
    catalog[i] = {signature.name, source_of(signature.name), signature.scalar, signature.scalar_max};
  }
  return catalog;
}();
static_assert(std::size(kSources) == std::size(kSignatures), "every kernel source has a signature");

}  // namespace

std::span<const KernelInfo> kernel_catalog() { return kCatalog; }

const KernelInfo* find_kernel(std::string_view name) {
  for (const KernelInfo& kernel : kCatalog) {
    if (kernel.name == name) return &kernel;
  }
  return nullptr;
}

std::string_view kernel_header() { return kHeader; }

}  // namespace taintgraph::gpu
