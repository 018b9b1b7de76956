// Which faults can strike which operation, and how much of that a run has seen: the coverage matrix of driver calls by
// kinds of failure. A *cell* is one call with one kind that it may return.
//
// Everything is made from gpu::fault_table(). What the fuzz engine does not reach is left out here, each with its
// reason, so that "all cells hit" means something.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/fault_table.hpp"
#include "traces/operation.hpp"

namespace taintgraph::props {

// A driver call that operations make, and the kinds of operation that make it, the usual one first.
struct CallMakers {
  gpu::Call call = gpu::Call::none;
  std::span<const traces::OpKind> makers;
};

// Every call within reach: what generated operations can bring the backend to do. Call::none is host code.
[[nodiscard]] std::span<const CallMakers> calls_in_reach();

// The kinds of fault that the generator puts on an operation of this kind: those in reach that the call which they
// strike may return. In the table's order; empty if there are none.
[[nodiscard]] std::span<const gpu::FaultKind> faults_for(traces::OpKind kind);

// The same for sticky kinds that no reset recovers from.
[[nodiscard]] std::span<const gpu::FaultKind> fatal_faults_for(traces::OpKind kind);

struct FaultCell {
  gpu::Call call = gpu::Call::none;
  gpu::FaultKind kind = gpu::FaultKind::invalid_value;

  friend bool operator==(const FaultCell&, const FaultCell&) = default;
};

// Every cell that a run can hit so far, by call, then kind.
[[nodiscard]] const std::vector<FaultCell>& cells_in_reach();

// The cells that a run has hit. Cells out of reach are kept but not counted.
class CellCoverage {
 public:
  void hit(gpu::Call call, gpu::FaultKind kind) { bits_.set(index(call, kind)); }
  void add(const CellCoverage& other) { bits_ |= other.bits_; }
  [[nodiscard]] bool contains(const FaultCell& cell) const { return bits_.test(index(cell.call, cell.kind)); }

  // Of cells_in_reach(). Walks them all.
  [[nodiscard]] std::size_t count() const;

 private:
  static constexpr std::size_t kKinds = static_cast<std::size_t>(gpu::FaultKind::host_exception) + 1;

  static constexpr std::size_t index(gpu::Call call, gpu::FaultKind kind) {
    return static_cast<std::size_t>(call) * kKinds + static_cast<std::size_t>(kind);
  }

  std::bitset<gpu::kCallCount * kKinds> bits_;
};

}  // namespace taintgraph::props
