#include "viz/snapshot_index.hpp"

#include <algorithm>
#include <string_view>

#include "core/byte_range.hpp"

namespace taintgraph::viz {
namespace {

bool names(const traces::SnapshotSkip& skip, std::string_view buffer) {
  return std::any_of(skip.inputs.begin(), skip.inputs.end(),
                     [&](const traces::SnapshotInput& input) { return input.range.buffer == buffer; }) ||
         std::any_of(skip.outputs.begin(), skip.outputs.end(),
                     [&](const traces::SnapshotRange& output) { return output.buffer == buffer; });
}

bool produces(const traces::SnapshotSkip& skip, const traces::SnapshotRange& range) {
  return std::any_of(skip.outputs.begin(), skip.outputs.end(), [&](const traces::SnapshotRange& output) {
    return output.buffer_serial == range.buffer_serial && output.buffer == range.buffer &&
           core::overlaps({output.begin, output.end}, {range.begin, range.end});
  });
}

}  // namespace

SnapshotIndex::SnapshotIndex(const traces::Snapshot& snapshot)
    : snapshot_(snapshot), carriers_(snapshot.failures.size()) {
  failures_.reserve(snapshot.failures.size());
  buffers_.reserve(snapshot.buffers.size());
  for (std::size_t at = 0; at < snapshot.failures.size(); ++at) failures_.emplace(snapshot.failures[at].id, at);
  for (std::size_t at = 0; at < snapshot.buffers.size(); ++at) {
    const traces::SnapshotBuffer& buffer = snapshot.buffers[at];
    buffers_.emplace(buffer.serial, at);
    if (buffer.unallocated) carry(buffer.reason, at);
    for (const traces::SnapshotClaim& claim : buffer.claims) carry(claim.failure, at);
    if (!buffer.unallocated && buffer.claims.empty()) ++trusted_buffers_;
  }
}

void SnapshotIndex::carry(std::uint64_t id, std::size_t buffer) {
  const std::size_t at = failure(id);
  if (at == kNone) return;
  // Buffers come in order, so a repetition can only be of the last one.
  if (carriers_[at].empty() || carriers_[at].back() != buffer) carriers_[at].push_back(buffer);
}

std::size_t SnapshotIndex::failure(std::uint64_t id) const {
  const auto found = failures_.find(id);
  return found == failures_.end() ? kNone : found->second;
}

std::size_t SnapshotIndex::buffer(const traces::SnapshotRange& range) const {
  const auto found = buffers_.find(range.buffer_serial);
  if (found == buffers_.end() || snapshot_.buffers[found->second].name != range.buffer) return kNone;
  return found->second;
}

std::vector<std::size_t> SnapshotIndex::failures_in_focus(const std::optional<std::string>& focus) const {
  std::vector<std::size_t> found;
  for (std::size_t at = 0; at < snapshot_.failures.size(); ++at) {
    const auto& skips = snapshot_.failures[at].skips;
    const auto carries = [&](std::size_t buffer) { return snapshot_.buffers[buffer].name == *focus; };
    const auto mentions = [&](const traces::SnapshotSkip& skip) { return names(skip, *focus); };
    if (!focus || std::any_of(carriers_[at].begin(), carriers_[at].end(), carries) ||
        std::any_of(skips.begin(), skips.end(), mentions)) {
      found.push_back(at);
    }
  }
  return found;
}

std::vector<std::size_t> chain(const traces::SnapshotFailure& failure, traces::SnapshotRange range) {
  std::vector<std::size_t> hops;
  for (std::size_t at = failure.skips.size(); at-- > 0;) {
    const traces::SnapshotSkip& skip = failure.skips[at];
    if (!produces(skip, range)) continue;
    hops.push_back(at);
    if (skip.inputs.empty()) break;
    range = skip.inputs.front().range;
  }
  return hops;
}

}  // namespace taintgraph::viz
