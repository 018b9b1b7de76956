#include "sim/kernel_image.hpp"

#include <charconv>
#include <cstring>

#include "sim/compiled_kernel.hpp"

namespace taintgraph::sim {
namespace {

constexpr std::string_view kMagic = "// taintgraph simulated image 1\n.entry ";
constexpr std::string_view kEnd = "\n.end\n";

template <class Matches>
KernelIndex find_kernel(Matches&& matches) {
  const auto kernels = compiled_kernels();
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (matches(*kernels[i])) return i;
  }
  return std::nullopt;
}

}  // namespace

std::string_view kernel_name(std::size_t kernel) { return compiled_kernels()[kernel]->name; }

KernelIndex find_kernel_by_name(std::string_view name) {
  return find_kernel([name](const CompiledKernel& kernel) { return kernel.name == name; });
}

KernelIndex find_kernel_by_source(std::string_view source) {
  return find_kernel([source](const CompiledKernel& kernel) { return kernel.source == source; });
}

std::string make_image(std::size_t kernel) {
  const std::string_view name = kernel_name(kernel);
  std::string image;
  image.reserve(kMagic.size() + name.size() + kEnd.size());
  image.append(kMagic).append(name).append(kEnd);
  return image;
}

gpu::CUresult image_error(const char* image, int compute_capability) {
  constexpr std::string_view kTarget = ".target sm_";
  // A binary begins with a byte that text does not: ELF's is 127.
  const bool is_text =
      image != nullptr && ((image[0] >= ' ' && image[0] < 127) || image[0] == '\t' || image[0] == '\n');
  if (!is_text) return gpu::CUDA_ERROR_INVALID_IMAGE;
  const std::string_view text(image);
  const std::size_t at = text.find(kTarget);
  int target = 0;
  if (at != std::string_view::npos) {
    const char* const digits = text.data() + at + kTarget.size();
    std::from_chars(digits, text.data() + text.size(), target);
  }
  return target > compute_capability ? gpu::CUDA_ERROR_NO_BINARY_FOR_GPU : gpu::CUDA_ERROR_INVALID_PTX;
}

KernelIndex read_image(const char* image) {
  // Byte by byte up to the first difference: what is no image need not be terminated either.
  if (image == nullptr || std::strncmp(image, kMagic.data(), kMagic.size()) != 0) return std::nullopt;
  const std::string_view rest(image + kMagic.size());
  if (rest.size() < kEnd.size() || rest.substr(rest.size() - kEnd.size()) != kEnd) return std::nullopt;
  return find_kernel_by_name(rest.substr(0, rest.size() - kEnd.size()));
}

}  // namespace taintgraph::sim
