#include "props/model_kernels.hpp"

#include <algorithm>
#include <iterator>

namespace taintgraph::props::reference {
namespace {

using Input = std::span<const Value>;
using Output = std::span<Value>;

Value byte_of(std::uint64_t number) { return static_cast<Value>(number & 0xFF); }

bool known(Value value) { return value != kUnknown; }

Value sum(Value a, Value b) { return known(a) && known(b) ? byte_of(std::uint64_t{a} + b) : kUnknown; }
Value product(Value a, Value b) { return known(a) && known(b) ? byte_of(std::uint64_t{a} * b) : kUnknown; }

bool declares_anything(std::string_view kernel) {
  return kernel == "noop" || never_ends(kernel) || fault_of(kernel).has_value();
}

bool counts_fit(std::string_view kernel, std::size_t reads, std::size_t writes) {
  if (kernel == "fill" || kernel == "iota") return reads == 0 && writes >= 1;
  if (kernel == "copy" || kernel == "scale") return reads == 1 && writes == 1;
  if (kernel == "add" || kernel == "reduce") return reads >= 1 && writes == 1;
  if (kernel == "gather" || kernel == "matmul") return reads == 2 && writes == 1;
  return false;
}

bool all_of_length(std::span<const Range> ranges, std::uint64_t length) {
  return std::all_of(ranges.begin(), ranges.end(), [length](const Range& each) { return each.size() == length; });
}

bool lengths_fit(std::string_view kernel, std::span<const Range> reads, std::span<const Range> writes,
                 std::uint64_t scalar) {
  const std::uint64_t written = writes[0].size();
  if (kernel == "copy" || kernel == "scale" || kernel == "add") return all_of_length(reads, written);
  if (kernel == "gather") return reads[1].size() == written && (written == 0 || !reads[0].empty());
  if (kernel == "reduce") return written >= 1;
  if (kernel == "matmul") {
    const bool no_overflow = scalar < (std::uint64_t{1} << 32);
    return no_overflow && written == scalar * scalar && all_of_length(reads, written);
  }
  return true;
}

// Reading and writing go by the same index.
bool may_be_in_place(std::string_view kernel, std::size_t read) {
  return kernel == "copy" || kernel == "add" || kernel == "scale" || (kernel == "gather" && read == 1);
}

// In order of their bytes, any two of them overlap only if two neighbours do.
bool any_overlap(std::span<const Range> ranges) {
  if (ranges.size() < 2) return false;
  std::vector<Range> sorted;
  std::copy_if(ranges.begin(), ranges.end(), std::back_inserter(sorted),
               [](const Range& each) { return !each.empty(); });
  const auto before = [](const Range& a, const Range& b) {
    return a.buffer != b.buffer ? a.buffer < b.buffer : a.begin < b.begin;
  };
  if (!std::is_sorted(sorted.begin(), sorted.end(), before)) std::sort(sorted.begin(), sorted.end(), before);
  return std::adjacent_find(sorted.begin(), sorted.end(), overlap) != sorted.end();
}

bool overlaps_fit(std::string_view kernel, std::span<const Range> reads, std::span<const Range> writes) {
  if (any_overlap(writes)) return false;
  for (const Range& write : writes) {  // one, if there are reads
    for (std::size_t r = 0; r < reads.size(); ++r) {
      if (!overlap(reads[r], write)) continue;
      if (reads[r] != write || !may_be_in_place(kernel, r)) return false;
    }
  }
  return true;
}

void iota(Output written) {
  for (std::uint64_t i = 0; i < written.size(); ++i) written[i] = byte_of(i);
}

void copy(Input source, Output written) {
  if (source.data() != written.data()) std::copy(source.begin(), source.end(), written.begin());  // else in place
}

void gather(Input source, Input indices, Output written) {
  for (std::uint64_t i = 0; i < written.size(); ++i)
    written[i] = known(indices[i]) ? source[indices[i] % source.size()] : kUnknown;
}

Value sum_of_all(std::span<const Input> reads) {
  std::uint64_t total = 0;
  for (const Input& read : reads) {
    for (const Value value : read) {
      if (!known(value)) return kUnknown;
      total += value;
    }
  }
  return byte_of(total);
}

void reduce(std::span<const Input> reads, Output written) {
  std::fill(written.begin(), written.end(), byte_of(0));
  written[0] = sum_of_all(reads);
}

void matmul(Input left, Input right, std::uint64_t n, Output written) {
  for (std::uint64_t row = 0; row < n; ++row) {
    for (std::uint64_t column = 0; column < n; ++column) {
      Value cell = byte_of(0);
      for (std::uint64_t k = 0; k < n; ++k) cell = sum(cell, product(left[row * n + k], right[k * n + column]));
      written[row * n + column] = cell;
    }
  }
}

void scale(Input source, std::uint64_t scalar, Output written) {
  for (std::uint64_t i = 0; i < written.size(); ++i) written[i] = product(source[i], byte_of(scalar));
}

// By byte, since what is written may be one of the reads.
void add(std::span<const Input> reads, Output written) {
  for (std::uint64_t i = 0; i < written.size(); ++i) {
    Value total = reads[0][i];
    for (const Input& read : reads.subspan(1)) total = sum(total, read[i]);
    written[i] = total;
  }
}

}  // namespace

bool fits(std::string_view kernel, std::span<const Range> reads, std::span<const Range> writes, std::uint64_t scalar) {
  if (declares_anything(kernel)) return true;
  return counts_fit(kernel, reads.size(), writes.size()) && lengths_fit(kernel, reads, writes, scalar) &&
         overlaps_fit(kernel, reads, writes);
}

void compute(std::string_view kernel, std::span<const Input> reads, std::uint64_t scalar, Output written) {
  if (kernel == "noop" || never_ends(kernel)) return;
  if (kernel == "fill") return std::fill(written.begin(), written.end(), byte_of(scalar));
  if (kernel == "iota") return iota(written);
  if (kernel == "copy") return copy(reads[0], written);
  if (kernel == "scale") return scale(reads[0], scalar, written);
  if (kernel == "add") return add(reads, written);
  if (kernel == "gather") return gather(reads[0], reads[1], written);
  if (kernel == "reduce") return reduce(reads, written);
  if (kernel == "matmul") return matmul(reads[0], reads[1], scalar, written);
  std::fill(written.begin(), written.end(), kUnknown);  // a faulting kernel: who knows
}

bool never_ends(std::string_view kernel) { return kernel == "spin"; }

std::optional<gpu::FaultKind> fault_of(std::string_view kernel) {
  if (kernel == "trap") return gpu::FaultKind::launch_failed;
  if (kernel == "out_of_bounds") return gpu::FaultKind::illegal_address;
  if (kernel == "device_assert") return gpu::FaultKind::assert_;
  return std::nullopt;
}

}  // namespace taintgraph::props::reference
