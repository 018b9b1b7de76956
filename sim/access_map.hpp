// Who touched which bytes of one allocation last, and what that means for the next access: the race detector.
//
// Two accesses that share a byte, one of them a write, must be ordered: by their stream, by an event, or by the host
// waiting. The map keeps for each byte its last write and the reads since (an *epoch* each: the stream's slot and the
// ordinal of the work), and asks the vector clock of a new access whether it comes after them (W6). Exact to the byte;
// bytes with one history share a segment, so cost goes with the number of distinct ranges in use, not with bytes.
//
// It stores what was declared when work was queued, not what a kernel really touched.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "gpu/fault_table.hpp"
#include "sim/vector_clock.hpp"

namespace taintgraph::sim {

// One piece of work as the map remembers it. Ordinal 0: nobody.
struct Epoch {
  std::uint64_t ordinal = 0;
  std::uint32_t slot = 0;
  std::uint16_t kernel = 0;  // index of the kernel, if call is a launch
  gpu::Call call = gpu::Call::none;

  [[nodiscard]] bool before(const VectorClock& clock) const { return clock[slot] >= ordinal; }
  friend bool operator==(const Epoch&, const Epoch&) = default;
};

struct Conflict {
  std::uint64_t begin = 0;  // the bytes in question, offsets in the allocation
  std::uint64_t end = 0;
  Epoch earlier;
  bool earlier_writes = false;
};

class AccessMap {
 public:
  // Records that `access`, whose past is `clock`, touches [begin, end). Returns the first earlier access that conflicts
  // and is not in that past. `host` is the past of the host: what lies there is ordered before all to come.
  [[nodiscard]] std::optional<Conflict> read(std::uint64_t begin, std::uint64_t end, const Epoch& access,
                                             const VectorClock& clock, const VectorClock& host);
  [[nodiscard]] std::optional<Conflict> write(std::uint64_t begin, std::uint64_t end, const Epoch& access,
                                              const VectorClock& clock, const VectorClock& host);

  // The first access that is not in the past of `clock`, if any.
  [[nodiscard]] std::optional<Conflict> outside(const VectorClock& clock) const;

  [[nodiscard]] std::size_t segments() const { return segments_.size(); }

 private:
  // Plain bytes, since a launch of many ranges shifts many of them.
  struct Segment {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    Epoch write;
    Epoch reader;              // since the last write; almost always none or one,
    std::uint32_t others = 0;  // else here are the others: an index into others_; 0: there are none
  };
  static_assert(std::is_trivially_copyable_v<Segment>);

  // Makes no segment reach across `at`; returns the index of the first from there on.
  std::size_t cut(std::uint64_t at);
  // Makes [begin, end) consist of whole segments; returns the index of the first.
  std::size_t isolate(std::uint64_t begin, std::uint64_t end);
  void split(std::size_t index, std::uint64_t at);
  // Joins equal neighbours among segments [first - 1, last].
  void fuse(std::size_t first, std::size_t last);
  void make_room(const VectorClock& host);
  void forget_past(const VectorClock& host);
  void add_reader(Segment& segment, const Epoch& access, const VectorClock& clock);
  void add_other(Segment& segment, const Epoch& access);
  void forget_others(Segment& segment, const VectorClock& clock);
  void drop_others(Segment& segment);
  [[nodiscard]] bool same_history(const Segment& left, const Segment& right) const;
  [[nodiscard]] std::optional<Conflict> unordered_reader(const Segment& segment, const VectorClock& clock) const;

  std::vector<Segment> segments_;             // sorted, disjoint
  std::vector<std::vector<Epoch>> others_;    // each is one segment's; the first is nobody's
  std::vector<std::uint32_t> unused_others_;  // indices of those that are free to be used again
  std::size_t forget_at_ = 64;                // segments at which the past is dropped
};

}  // namespace taintgraph::sim
