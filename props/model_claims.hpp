// Who claims which bytes of one buffer in the reference model (B1).
//
// Every byte that is not trusted is claimed by one failure. Bytes side by side with one claim are kept as one entry, so
// that a trusted buffer costs nothing to look through. It is a sorted list and no more: claiming cuts the entries at
// both ends of the range and exchanges what lies between. A test does the same to an array of bytes and compares.
//
// Cost: looking up is logarithmic in the entries, a change linear.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace taintgraph::props::reference {

// The number of an operation, from 1. It names the failure which that operation caused and the buffer that it
// allocated: an operation causes at most one of each. Zero is none.
using Ordinal = std::uint64_t;

// Bytes [begin, end) of a buffer; begin < end, and the failure is one.
struct Claim {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  Ordinal failure = 0;

  friend bool operator==(const Claim&, const Claim&) = default;
};

class Claims {
 public:
  // Bytes [begin, end) are claimed by `failure` from now on, whoever claimed them before; zero: they are trusted.
  void set(std::uint64_t begin, std::uint64_t end, Ordinal failure);
  void clear() { list_.clear(); }

  // In order of bytes; entries that touch are of different failures.
  [[nodiscard]] const std::vector<Claim>& list() const { return list_; }
  // Those with a byte in [begin, end), as they are; good until the next change.
  [[nodiscard]] std::span<const Claim> meeting(std::uint64_t begin, std::uint64_t end) const;
  // What of them lies in [begin, end).
  [[nodiscard]] std::vector<Claim> within(std::uint64_t begin, std::uint64_t end) const;

 private:
  [[nodiscard]] std::size_t cut(std::size_t entry, std::uint64_t byte);
  void join_with_next(std::size_t entry);

  std::vector<Claim> list_;
};

}  // namespace taintgraph::props::reference
