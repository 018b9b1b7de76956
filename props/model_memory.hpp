// The reference model's memory: every byte of every live buffer, on its own.
//
// A byte knows two things apart: who should have written it last and did not (its claim, B1), and what the device
// physically holds there, as far as anybody can know. There are no ranges to fuse and no intervals to search: claiming
// is a loop over bytes. Slow on purpose: O(bytes) for everything.
//
// What it is not: it knows no allocator, address, page or stream. A buffer is the operation that allocated it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "traces/operation.hpp"

namespace taintgraph::props::reference {

// The number of an operation, from 1. It names the failure which that operation caused and the buffer that it
// allocated: an operation causes at most one of each. Zero is none.
using Ordinal = std::uint64_t;

struct Byte {
  Ordinal claim = 0;                  // zero: trusted
  std::optional<std::uint8_t> value;  // empty: anything at all
};

struct Buffer {
  traces::NameId name = traces::NameId::none;
  std::uint64_t size = 0;
  bool has_handle = true;   // false: only graphs and recordings hold it
  Ordinal reason = 0;       // non-zero: unallocated, for this failure (W5, D2)
  std::vector<Byte> bytes;  // none of an unallocated buffer
  // What carried_by() last counted; none if a claim or the reason has changed since.
  mutable std::optional<std::vector<Ordinal>> carried;
};

// The failures that a buffer carries: its reason, and those that claim a byte of it; each once.
[[nodiscard]] const std::vector<Ordinal>& carried_by(const Buffer& buffer);

// Bytes [begin, end) of one buffer; begin <= end <= the buffer's size.
struct Range {
  Ordinal buffer = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] std::uint64_t size() const { return end - begin; }
  [[nodiscard]] bool empty() const { return begin == end; }
  friend bool operator==(const Range&, const Range&) = default;
};

// Whether the two have a byte in common; an empty range has none with anything (R4).
[[nodiscard]] inline bool overlap(const Range& a, const Range& b) {
  return a.buffer == b.buffer && !a.empty() && !b.empty() && a.begin < b.end && b.begin < a.end;
}

using Values = std::vector<std::optional<std::uint8_t>>;

class Memory {
 public:
  // The buffer that `name` stands for now, zero if none. A name may stand for another buffer later.
  [[nodiscard]] Ordinal named(traces::NameId name) const;
  [[nodiscard]] const Buffer& at(Ordinal buffer) const { return buffers_.at(buffer); }
  [[nodiscard]] const std::map<Ordinal, Buffer>& buffers() const { return buffers_; }

  // Nothing if the name is not live or the range does not lie in its buffer.
  [[nodiscard]] std::optional<Range> resolve(const traces::Ref& ref) const;
  // Nothing if any of `refs` does not resolve.
  [[nodiscard]] std::optional<std::vector<Range>> resolve(std::span<const traces::Ref> refs) const;

  // Requires: `name` is not live.
  void allocate(Ordinal ordinal, traces::NameId name, std::uint64_t size);
  void allocate_nothing(Ordinal ordinal, traces::NameId name, std::uint64_t size, Ordinal reason);
  // Drops the handle. Requires: `name` is live.
  void drop_handle(traces::NameId name);
  // Ends every buffer that has no handle and is not among `held` (B4: its claims end with it).
  void sweep(const std::set<Ordinal>& held);
  // Every buffer becomes unallocated because of `reason` (D2).
  void lose_all(Ordinal reason);

  // Claims of unallocated buffers and of empty ranges change nothing.
  void claim(std::span<const Range> ranges, Ordinal failure);
  void release(std::span<const Range> ranges);

  // The failure of the lowest claimed byte, or the reason if the buffer is unallocated; zero if there is none.
  [[nodiscard]] Ordinal first_claim(const Range& range) const;
  // The distinct failures in order of first byte; the reason if the buffer is unallocated.
  [[nodiscard]] std::vector<Ordinal> claims(const Range& range) const;
  // Whether it has bytes, and memory for none of them.
  [[nodiscard]] bool unallocated(const Range& range) const;

  // Requires: the buffer is allocated, or the range is empty.
  [[nodiscard]] Values values(const Range& range) const;
  void set_values(const Range& range, const Values& values);
  void forget_values(std::span<const Range> ranges);

 private:
  std::map<Ordinal, Buffer> buffers_;
  std::map<traces::NameId, Ordinal> names_;
};

}  // namespace taintgraph::props::reference
