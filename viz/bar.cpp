#include "viz/bar.hpp"

#include <algorithm>

namespace taintgraph::viz {

Bar::Bar(const SnapshotIndex& index, std::size_t buffer) {
  const traces::SnapshotBuffer& source = index.snapshot().buffers[buffer];
  name_ = source.name;
  serial_ = source.serial;
  size_bytes_ = source.size;
  if (source.unallocated) {
    cells_.push_back({BarCell::State::unallocated, index.failure(source.reason), {0, size_bytes_}});
    return;
  }
  std::uint64_t drawn_to = 0;
  for (std::size_t at = 0; at < source.claims.size(); ++at) {
    const traces::SnapshotClaim& claim = source.claims[at];
    // A claim may need two cells, itself and the trusted bytes before it, and one is kept for what follows.
    if (cells_.size() + 3 > kMaxBarCells) {
      cells_.push_back({BarCell::State::rest, kNone, {drawn_to, size_bytes_}, source.claims.size() - at});
      for (; at < source.claims.size(); ++at) {
        const traces::SnapshotClaim& hidden = source.claims[at];
        hidden_.push_back({index.failure(hidden.failure), {hidden.begin, hidden.end}});
      }
      return;
    }
    if (claim.begin > drawn_to) cells_.push_back({BarCell::State::trusted, kNone, {drawn_to, claim.begin}});
    cells_.push_back({BarCell::State::claimed, index.failure(claim.failure), {claim.begin, claim.end}});
    drawn_to = claim.end;
  }
  if (drawn_to < size_bytes_ || cells_.empty()) {
    cells_.push_back({BarCell::State::trusted, kNone, {drawn_to, size_bytes_}});
  }
}

Bar::Bar(const traces::SnapshotRange& freed) : name_(freed.buffer), serial_(freed.buffer_serial) {
  cells_.push_back({BarCell::State::freed, kNone, {}});
}

std::vector<std::size_t> Bar::cells_claimed(std::size_t failure, core::ByteRange range, std::size_t max_cells) const {
  std::vector<std::size_t> found;
  if (failure == kNone) return found;
  for (std::size_t at = 0; at < cells_.size() && found.size() < max_cells; ++at) {
    const BarCell& cell = cells_[at];
    const bool claimed = cell.state == BarCell::State::claimed && cell.failure == failure;
    const bool behind_rest =
        cell.state == BarCell::State::rest && std::any_of(hidden_.begin(), hidden_.end(), [&](const Claim& claim) {
          return claim.failure == failure && core::overlaps(claim.range, range);
        });
    if ((claimed && core::overlaps(cell.range, range)) || behind_rest ||
        (cell.state == BarCell::State::unallocated && cell.failure == failure)) {
      found.push_back(at);
    }
  }
  return found;
}

}  // namespace taintgraph::viz
