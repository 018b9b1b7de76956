// The claims on one allocation: which of its bytes a failure left unwritten, and which failure that was.
//
// Every byte is trusted or claimed by exactly one failure (B1). A Taint is the carrier's side of counting: it tags a
// failure when that failure gets its first byte here and untags it when it loses its last (C2), so an allocation counts
// once however many pieces its claims are in. It knows no size: the owner keeps ranges inside the allocation.
//
// One claim of one range, which is what a launch makes of each buffer it writes, is kept inline in 24 bytes and costs
// no allocation. More is kept in a map on the heap, freed when the last claim goes.
//
// If the host is out of memory when a claim has to be cut, it stays wider than the truth, never narrower, and the graph
// counts it (B5). No call throws. Requires of all calls on one Taint that take a graph: it is the same graph.
//
// Cost: claim and release O(log n) in the number of ranges, plus what is covered; first O(log n).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/byte_range.hpp"
#include "core/error_graph.hpp"
#include "core/ids.hpp"

namespace taintgraph::core {

namespace internal {
class ClaimMap;
}

// One range of one failure.
struct Claim {
  ByteRange range;
  FailureId failure;

  friend constexpr bool operator==(const Claim&, const Claim&) = default;
};

class Taint {
 public:
  Taint() = default;
  // Requires: is_clean(), since a tag must not outlive its carrier (B4).
  ~Taint();
  // Claims move with the allocation (B4); what is moved from is clean.
  Taint(Taint&& other) noexcept
      : begin_(std::exchange(other.begin_, 0)),
        end_(std::exchange(other.end_, 0)),
        failure_(std::exchange(other.failure_, FailureId())) {}
  // Requires: is_clean(); other claims would have to be counted down first.
  Taint& operator=(Taint&& other) noexcept;

  // Makes every byte of `range` claimed by `failure`, whoever claimed it before. Setting, never adding: what the
  // failure claims already stays as it is (B1). An empty range claims nothing (R4). Requires: `failure` is in `graph`.
  void claim(ByteRange range, FailureId failure, ErrorGraph& graph) {
    if (range.empty()) return;
    if (is_clean()) {  // the usual case
      graph.tag(failure);
      begin_ = range.begin;
      end_ = range.end;
      failure_ = failure;
      return;
    }
    claim_more(range, failure, graph);
  }

  // Makes every byte of `range` trusted, and no other (B2).
  void release(ByteRange range, ErrorGraph& graph) {
    if (range.empty() || is_clean()) return;
    if (failure_ && range.begin <= begin_ && end_ <= range.end) {  // the whole of the only claim
      forget_inline(graph);
      return;
    }
    release_part(range, graph);
  }

  // Releases everything, for an allocation that ends (B4).
  void clear(ErrorGraph& graph);

  // The failure that claims the lowest claimed byte of `range`; none if all are trusted.
  [[nodiscard]] FailureId first(ByteRange range) const {
    if (failure_) return overlaps(range, {begin_, end_}) ? failure_ : FailureId();
    return is_clean() || range.empty() ? FailureId() : first_of_many(range);
  }

  // The claims that share a byte with `range`, cut to it, in order of offset.
  [[nodiscard]] std::vector<Claim> claims(ByteRange range) const;
  [[nodiscard]] std::vector<Claim> claims() const { return claims({0, UINT64_MAX}); }
  // The same, behind what `found` holds already.
  void append_claims(ByteRange range, std::vector<Claim>& found) const;

  [[nodiscard]] bool is_clean() const { return !failure_ && begin_ == 0; }
  // How many ranges there are; no two that touch are of one failure.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] bool carries(FailureId failure) const;
  // One past the highest claimed byte; zero if there is none.
  [[nodiscard]] std::uint64_t end() const { return failure_ || is_clean() ? end_ : end_of_many(); }
  // Appends each failure that claims a byte, once; in no order that means anything.
  void append_failures(std::vector<FailureId>& found) const {
    if (failure_) {
      found.push_back(failure_);
    } else if (!is_clean()) {
      append_failures_of_many(found);
    }
  }

  // CHECKs B1 and that every failure named is in `graph`.
  void validate(const ErrorGraph& graph) const;

 private:
  // The map's address stands in begin_ while there is no inline failure; a clean Taint has zero there.
  [[nodiscard]] internal::ClaimMap* many() const;
  void become_many(ErrorGraph& graph);
  void become_few(ErrorGraph& graph);
  void forget_inline(ErrorGraph& graph) {
    const FailureId gone = std::exchange(failure_, FailureId());
    begin_ = end_ = 0;
    graph.untag(gone);
  }
  void forget_many(ErrorGraph& graph);
  void claim_more(ByteRange range, FailureId failure, ErrorGraph& graph);
  void release_part(ByteRange range, ErrorGraph& graph);
  void widen(ByteRange range, FailureId failure, ErrorGraph& graph);
  [[nodiscard]] FailureId first_of_many(ByteRange range) const;
  [[nodiscard]] std::uint64_t end_of_many() const;
  void append_failures_of_many(std::vector<FailureId>& found) const;

  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  FailureId failure_;
};

static_assert(sizeof(Taint) == 24, "every slice carries one");

}  // namespace taintgraph::core
