// What a launch of each kernel must look like, as data: how many ranges, of what lengths, which of them may be one.
//
// Of the catalog's own making; nobody but the fitting check and the grid reads it.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace taintgraph::gpu {

enum class LengthRule : std::uint8_t {
  any,                 // nothing to hold
  all_equal,           // every range is as long as the write
  indices_and_source,  // the second read is as long as the write; the first has bytes to be indexed if there are any
  output_not_empty,    // the write has at least one byte
  square_matrices,     // every range is n*n
};

// Which reads may be the very range that is written: those that go by the same index as the write.
enum class InPlace : std::uint8_t { none, every_read, second_read, anything };

struct KernelSignature {
  std::string_view name;
  std::uint32_t reads_min;
  std::uint32_t reads_max;
  std::uint32_t writes_min;
  std::uint32_t writes_max;
  LengthRule lengths;
  InPlace in_place;      // `anything`: overlaps are not looked at
  bool thread_per_byte;  // of what it writes; otherwise one thread in all
  std::string_view scalar;
  std::uint64_t scalar_max;
};

inline constexpr std::uint32_t kMany = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

// The order is the catalog's.
inline constexpr KernelSignature kSignatures[] = {
    // name, reads, writes, lengths, in place, thread a byte, scalar
    {"fill", 0, 0, 1, kMany, LengthRule::any, InPlace::none, true, "value", 255},
    {"iota", 0, 0, 1, kMany, LengthRule::any, InPlace::none, true, "", 0},
    {"copy", 1, 1, 1, 1, LengthRule::all_equal, InPlace::every_read, true, "", 0},
    {"add", 1, kMany, 1, 1, LengthRule::all_equal, InPlace::every_read, true, "", 0},
    {"scale", 1, 1, 1, 1, LengthRule::all_equal, InPlace::every_read, true, "by", 255},
    {"gather", 2, 2, 1, 1, LengthRule::indices_and_source, InPlace::second_read, true, "", 0},
    {"reduce", 1, kMany, 1, 1, LengthRule::output_not_empty, InPlace::none, true, "", 0},
    {"matmul", 2, 2, 1, 1, LengthRule::square_matrices, InPlace::none, true, "n", kNoLimit},
    {"noop", 0, kMany, 0, kMany, LengthRule::any, InPlace::anything, false, "", 0},
    {"trap", 0, kMany, 0, kMany, LengthRule::any, InPlace::anything, false, "", 0},
    {"out_of_bounds", 0, kMany, 0, kMany, LengthRule::any, InPlace::anything, false, "", 0},
    {"device_assert", 0, kMany, 0, kMany, LengthRule::any, InPlace::anything, false, "", 0},
    {"spin", 0, kMany, 0, kMany, LengthRule::any, InPlace::anything, false, "", 0},
};

}  // namespace taintgraph::gpu
