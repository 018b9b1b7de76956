// The coverage matrix: driver calls by kinds of failure by what the context has been through by whether a stream
// captures. A *cell* is one call with one kind that it may return, struck in one such situation.
//
// Everything is made from gpu::fault_table(). What no program can bring about is left out by a list of exclusions, each
// with its reason, so that "all cells hit" means something.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/fault_table.hpp"

namespace taintgraph::props {

// What the context is when the operation begins that makes the call. A poisoned one is none of them: every call on it
// has its answer before a fault could strike.
enum class ContextState : std::uint8_t {
  first,     // as it was made
  renewed,   // made anew by a reset
  pending,   // an asynchronous fault has been caused and was not told of yet
  renewing,  // the operation is a reset: the old one goes, a new one comes
};
inline constexpr std::size_t kContextStateCount = 4;

[[nodiscard]] std::string_view to_string(ContextState state);

struct CallAndKind {
  gpu::Call call = gpu::Call::none;
  gpu::FaultKind kind = gpu::FaultKind::invalid_value;

  friend bool operator==(const CallAndKind&, const CallAndKind&) = default;
};

struct FaultCell {
  gpu::Call call = gpu::Call::none;
  gpu::FaultKind kind = gpu::FaultKind::invalid_value;
  ContextState context = ContextState::first;
  bool capturing = false;  // some stream captures when the operation begins

  friend bool operator==(const FaultCell&, const FaultCell&) = default;
};

// Every cell that a run can hit, by call, kind, context and capturing.
[[nodiscard]] const std::vector<FaultCell>& cells_in_reach();

// Calls and kinds of cells in reach: those that pass, those that poison, and those that a reset meets.
[[nodiscard]] std::span<const CallAndKind> passing_pairs_in_reach();
[[nodiscard]] std::span<const CallAndKind> sticky_pairs_in_reach();
[[nodiscard]] std::span<const CallAndKind> pairs_of_a_reset();

struct Exclusion {
  std::string_view reason;
  std::size_t cells = 0;  // that it alone, or it first, leaves out
};

// All that keeps cells of the table out of reach. Their counts and cells_in_reach() add up to all that there are.
[[nodiscard]] std::vector<Exclusion> exclusions();
[[nodiscard]] std::size_t cells_in_all();

// The cells that a run has hit. Cells out of reach are kept but not counted.
class CellCoverage {
 public:
  void hit(const FaultCell& cell) { bits_.set(index(cell)); }
  void add(const CellCoverage& other) { bits_ |= other.bits_; }
  [[nodiscard]] bool contains(const FaultCell& cell) const { return bits_.test(index(cell)); }

  // Of cells_in_reach(). Walks them all.
  [[nodiscard]] std::size_t count() const;

 private:
  static constexpr std::size_t kKinds = static_cast<std::size_t>(gpu::FaultKind::host_exception) + 1;

  static constexpr std::size_t index(const FaultCell& cell) {
    const std::size_t pair = static_cast<std::size_t>(cell.call) * kKinds + static_cast<std::size_t>(cell.kind);
    return (pair * kContextStateCount + static_cast<std::size_t>(cell.context)) * 2 + (cell.capturing ? 1 : 0);
  }

  std::bitset<gpu::kCallCount * kKinds * kContextStateCount * 2> bits_;
};

// The matrix as text: how many cells there are, what is left out and why, and the cells in reach by call.
void show_matrix(std::ostream& out);

// "cuMemAlloc out_of_memory, context renewed, capturing".
[[nodiscard]] std::string text_of(const FaultCell& cell);
// The same backwards; nothing if it names no call, kind or context.
[[nodiscard]] std::optional<FaultCell> cell_from_string(std::string_view text);

}  // namespace taintgraph::props
