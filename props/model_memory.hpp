// The reference model's memory: every byte of every live buffer.
//
// A byte knows two things apart: who should have written it last and did not (its claim, B1), and what the device
// physically holds there, as far as anybody can know.
//
// What it is not: it knows no allocator, address, page or stream. A buffer is the operation that allocated it.
//
// Cost: linear in the bytes for values, in the stretches of equal claims for claims, in the buffers for a name.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "props/model_claims.hpp"
#include "traces/operation.hpp"

namespace taintgraph::props::reference {

using Value = std::uint16_t;               // a byte, or:
inline constexpr Value kUnknown = 0xFFFF;  // anything at all
using Values = std::vector<Value>;

struct Buffer {
  Ordinal ordinal = 0;
  traces::NameId name = traces::NameId::none;
  std::uint64_t size = 0;
  bool has_handle = true;  // false: only graphs and recordings hold it
  Ordinal reason = 0;      // non-zero: unallocated, for this failure (W5, D2)
  Values values = {};      // of each byte; none of an unallocated buffer
  Claims claims = {};      // likewise
};

// Whether it is without memory because of the failure, or the failure claims a byte of it.
[[nodiscard]] bool carries(const Buffer& buffer, Ordinal failure);

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

class Memory {
 public:
  // The buffer that `name` stands for now, zero if none. A name may stand for another buffer later.
  [[nodiscard]] Ordinal named(traces::NameId name) const;
  // Requires: there is such a buffer.
  [[nodiscard]] const Buffer& at(Ordinal buffer) const;
  // In order of allocation.
  [[nodiscard]] const std::vector<Buffer>& buffers() const { return buffers_; }

  // Nothing if the name is not live or the range does not lie in its buffer.
  [[nodiscard]] std::optional<Range> resolve(const traces::Ref& ref) const;
  // Fills in the range of each. False if any of `refs` does not resolve.
  [[nodiscard]] bool resolve(std::span<const traces::Ref> refs, std::vector<Range>& ranges) const;

  // Requires: `name` is not live; ordinals rise.
  void allocate(Ordinal ordinal, traces::NameId name, std::uint64_t size);
  void allocate_nothing(Ordinal ordinal, traces::NameId name, std::uint64_t size, Ordinal reason);
  // Drops the handle. Requires: `name` is live.
  void drop_handle(traces::NameId name);
  [[nodiscard]] bool all_have_handles() const;
  // Ends every buffer that has no handle and is not among `held`, in rising order (B4: its claims end with it).
  void sweep(const std::vector<Ordinal>& held);
  // Every buffer becomes unallocated because of `reason` (D2).
  void lose_all(Ordinal reason);

  // Claims of unallocated buffers and of empty ranges change nothing.
  void claim(std::span<const Range> ranges, Ordinal failure);
  void release(std::span<const Range> ranges);

  // The failure of the lowest claimed byte, or the reason if the buffer is unallocated; zero if there is none.
  [[nodiscard]] Ordinal first_claim(const Range& range) const;
  // The distinct failures in order of first byte; the reason if the buffer is unallocated.
  [[nodiscard]] std::vector<Ordinal> claims(const Range& range) const;
  // Adds to `failures` those that each buffer carries, each once for every buffer.
  void add_carried(std::vector<Ordinal>& failures) const;
  // Whether it has bytes, and memory for none of them.
  [[nodiscard]] bool unallocated(const Range& range) const;

  // Requires: the buffer is allocated, or the range is empty. Good until values are set.
  [[nodiscard]] std::span<const Value> values(const Range& range) const;
  [[nodiscard]] std::span<Value> values_to_set(const Range& range);
  void set_values(const Range& range, std::span<const Value> values);
  void forget_values(std::span<const Range> ranges);

 private:
  [[nodiscard]] Buffer& find(Ordinal buffer);
  [[nodiscard]] const Buffer* find(traces::NameId name) const;

  std::vector<Buffer> buffers_;  // ordinals rise
};

}  // namespace taintgraph::props::reference
