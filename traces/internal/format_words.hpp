// The numbers and fixed words of the format that reader, writer and schema share.
#pragma once

#include <cstdint>
#include <string_view>

namespace taintgraph::traces::internal {

inline constexpr std::string_view kFormatName = "taintgraph-trace";
inline constexpr std::uint64_t kFormatVersion = 1;

// Streams are objects of the driver, made at start: a header must not be able to ask for millions.
inline constexpr std::uint64_t kMaxStreams = 1024;
// The alignment that a page of any driver has at most; more could not be kept within a page.
inline constexpr std::uint64_t kMaxAlignmentBytes = 1U << 16;

// Digits of a fingerprint.
inline constexpr std::size_t kFingerprintDigits = 16;

}  // namespace taintgraph::traces::internal
