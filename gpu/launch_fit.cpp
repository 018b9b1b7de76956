// The fitting rules of the trace format: counts, lengths, overlaps, the one scalar argument.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gpu/kernel_catalog.hpp"
#include "gpu/kernel_signature.hpp"

namespace taintgraph::gpu {
namespace {

using Bindings = std::span<const core::WeakBinding>;

// Up to here, comparing each pair is quicker than sorting, and it allocates nothing.
constexpr std::size_t kPairwiseLimit = 256;

std::uint64_t length(const core::WeakBinding& binding) { return binding.range.empty() ? 0 : binding.range.size(); }

bool share_bytes(const core::WeakBinding& a, const core::WeakBinding& b) {
  return a.buffer == b.buffer && core::overlaps(a.range, b.range);
}

const KernelSignature* signature_of(std::string_view kernel) {
  const auto* found = std::find_if(std::begin(kSignatures), std::end(kSignatures),
                                   [kernel](const KernelSignature& each) { return each.name == kernel; });
  return found == std::end(kSignatures) ? nullptr : found;
}

std::string range_of_counts(std::uint32_t low, std::uint32_t high) {
  if (low == high) return std::to_string(low);
  return std::to_string(low) + (high == kMany ? " or more" : " to " + std::to_string(high));
}

// Each check returns what is wrong; empty if nothing is. Only a launch that is refused pays for the text.

std::string wrong_counts(const KernelSignature& kernel, const core::LaunchShape& shape) {
  if (shape.reads.size() < kernel.reads_min || shape.reads.size() > kernel.reads_max) {
    return "takes " + range_of_counts(kernel.reads_min, kernel.reads_max) + " reads, not " +
           std::to_string(shape.reads.size());
  }
  if (shape.writes.size() < kernel.writes_min || shape.writes.size() > kernel.writes_max) {
    return "takes " + range_of_counts(kernel.writes_min, kernel.writes_max) + " writes, not " +
           std::to_string(shape.writes.size());
  }
  if (shape.reads.size() + shape.writes.size() > kMany) return "takes fewer ranges than 2^32";
  return {};
}

std::string wrong_scalars(const KernelSignature& kernel, const core::LaunchShape& shape) {
  const std::size_t expected = kernel.scalar.empty() ? 0 : 1;
  if (shape.scalars.size() != expected) {
    return "takes " + std::to_string(expected) + " scalars, not " + std::to_string(shape.scalars.size());
  }
  if (expected == 1 && shape.scalars[0] > kernel.scalar_max) {
    return std::string(kernel.scalar) + " is " + std::to_string(shape.scalars[0]) + ", at most " +
           std::to_string(kernel.scalar_max);
  }
  return {};
}

bool all_are(Bindings bindings, std::uint64_t length_bytes) {
  return std::all_of(bindings.begin(), bindings.end(),
                     [length_bytes](const core::WeakBinding& each) { return length(each) == length_bytes; });
}

// Requires: the counts fit.
std::string wrong_lengths(const KernelSignature& kernel, const core::LaunchShape& shape) {
  switch (kernel.lengths) {
    case LengthRule::any:
      return {};
    case LengthRule::all_equal:
      if (all_are(shape.reads, length(shape.writes[0]))) return {};
      return "reads as many bytes as it writes, from each range";
    case LengthRule::indices_and_source:
      if (length(shape.reads[1]) != length(shape.writes[0])) return "writes as many bytes as it has indices";
      if (length(shape.writes[0]) != 0 && length(shape.reads[0]) == 0) return "has indices into an empty source";
      return {};
    case LengthRule::output_not_empty:
      return length(shape.writes[0]) == 0 ? "writes at least one byte" : "";
    case LengthRule::square_matrices: {
      const std::uint64_t n = shape.scalars[0];
      const bool representable = n <= std::numeric_limits<std::uint32_t>::max();  // or n*n would wrap
      if (representable && all_are(shape.reads, n * n) && all_are(shape.writes, n * n)) return {};
      return "has matrices of n*n bytes";
    }
  }
  return {};
}

bool may_be_in_place(const KernelSignature& kernel, std::size_t read) {
  return kernel.in_place == InPlace::every_read || (kernel.in_place == InPlace::second_read && read == 1);
}

// True if two of them share a byte.
bool any_overlap_sorted(Bindings bindings) {
  std::vector<core::WeakBinding> sorted;
  std::copy_if(bindings.begin(), bindings.end(), std::back_inserter(sorted),
               [](const core::WeakBinding& each) { return length(each) != 0; });
  std::sort(sorted.begin(), sorted.end(), [](const core::WeakBinding& a, const core::WeakBinding& b) {
    return std::pair(a.buffer, a.range.begin) < std::pair(b.buffer, b.range.begin);
  });
  return std::adjacent_find(sorted.begin(), sorted.end(), share_bytes) != sorted.end();
}

// True if the buffers ascend, and in each of them every range begins where the one before it ends or later: then no two
// share a byte. Most launches are given so.
bool in_ascending_order(Bindings bindings) {
  for (std::size_t i = 1; i < bindings.size(); ++i) {
    const core::WeakBinding& before = bindings[i - 1];
    const core::WeakBinding& each = bindings[i];
    if (before.range.begin > before.range.end) return false;  // empty: the next may reach back
    if (before.buffer > each.buffer) return false;
    if (before.buffer == each.buffer && before.range.end > each.range.begin) return false;
  }
  return true;
}

bool any_overlap(Bindings bindings) {
  if (in_ascending_order(bindings)) return false;
  if (bindings.size() > kPairwiseLimit) return any_overlap_sorted(bindings);
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    for (std::size_t k = i + 1; k < bindings.size(); ++k) {
      if (share_bytes(bindings[i], bindings[k])) return true;
    }
  }
  return false;
}

std::string wrong_overlaps(const KernelSignature& kernel, const core::LaunchShape& shape) {
  if (kernel.in_place == InPlace::anything) return {};
  if (any_overlap(shape.writes)) return "writes a byte through two ranges";
  for (const core::WeakBinding& write : shape.writes) {  // of a kernel that reads there is one
    for (std::size_t k = 0; k < shape.reads.size(); ++k) {
      if (!share_bytes(write, shape.reads[k])) continue;
      if (!may_be_in_place(kernel, k) || write != shape.reads[k]) return "overwrites what it reads";
    }
  }
  return {};
}

std::string wrong_grid(const KernelSignature& kernel, const core::LaunchShape& shape) {
  if (!kernel.thread_per_byte) return {};
  std::uint64_t free_threads = kMaxGridBlocks * kBlockThreads;
  for (const core::WeakBinding& write : shape.writes) {
    if (length(write) > free_threads) return "writes more bytes than a grid has threads";
    free_threads -= length(write);
  }
  return {};
}

core::Error refuse(std::string_view name, std::string detail) {
  return core::Error{.name = name, .call = {}, .detail = std::move(detail)};
}

}  // namespace

core::DeviceResult<void> check_fit(const core::LaunchShape& shape) {
  const KernelSignature* kernel = signature_of(shape.kernel);
  if (kernel == nullptr) {
    return tl::unexpected(refuse(core::program_error::unknown_kernel, std::string(shape.kernel)));
  }
  for (const auto wrong : {wrong_counts, wrong_scalars, wrong_lengths, wrong_overlaps, wrong_grid}) {
    const std::string what = wrong(*kernel, shape);
    if (!what.empty()) {
      return tl::unexpected(refuse(core::program_error::does_not_fit, std::string(shape.kernel) + " " + what));
    }
  }
  return {};
}

LaunchGrid launch_grid(const KernelInfo& kernel, std::span<const core::DeviceSpan> writes) {
  if (!kSignatures[kernel_index(kernel)].thread_per_byte) return {};
  std::uint64_t blocks = 0;
  std::uint64_t rest = 0;  // threads that do not fill a block yet
  for (const core::DeviceSpan& write : writes) {
    blocks += write.size_bytes / kBlockThreads;
    rest += write.size_bytes % kBlockThreads;
  }
  blocks += rest / kBlockThreads;
  rest %= kBlockThreads;
  if (blocks != 0) return {blocks + (rest != 0 ? 1 : 0), kBlockThreads};
  const std::uint64_t warps = std::max<std::uint64_t>((rest + kWarpThreads - 1) / kWarpThreads, 1);
  return {1, static_cast<std::uint32_t>(warps) * kWarpThreads};
}

}  // namespace taintgraph::gpu
