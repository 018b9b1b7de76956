#include "viz/carrier.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "viz/label.hpp"
#include "viz/remainder.hpp"

namespace taintgraph::viz {
namespace {

// Cuts `claim` where one kept skip record ends and another begins.
std::vector<core::ByteRange> pieces_of(core::ByteRange claim, const std::string& name, std::uint64_t serial,
                                       const traces::SnapshotFailure& failure) {
  std::vector<core::ByteRange> pieces;
  std::vector<core::ByteRange> left = {claim};
  for (auto skip = failure.skips.rbegin(); skip != failure.skips.rend(); ++skip) {
    for (const traces::SnapshotRange& output : skip->outputs) {
      if (output.buffer_serial != serial || output.buffer != name) continue;
      std::vector<core::ByteRange> rest;
      for (const core::ByteRange& range : left) {
        const core::ByteRange shared = core::intersection(range, {output.begin, output.end});
        if (!shared.empty()) pieces.push_back(shared);
        for (const core::ByteRange& piece : remainder(range, {shared})) rest.push_back(piece);
      }
      left = std::move(rest);
    }
  }
  pieces.insert(pieces.end(), left.begin(), left.end());
  std::sort(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  return pieces;
}

}  // namespace

Carrier describe_carrier(const SnapshotIndex& index, std::size_t failure, std::size_t buffer, std::size_t max_pieces) {
  const traces::SnapshotBuffer& source = index.snapshot().buffers[buffer];
  const traces::SnapshotFailure& cause = index.snapshot().failures[failure];
  Carrier carrier;
  carrier.buffer = buffer;
  carrier.unallocated = source.unallocated && source.reason == cause.id;
  for (const traces::SnapshotClaim& claim : source.claims) {
    if (claim.failure != cause.id) continue;
    for (const core::ByteRange& range : pieces_of({claim.begin, claim.end}, source.name, source.serial, cause)) {
      if (carrier.pieces.size() == max_pieces) {
        ++carrier.more_pieces;
        continue;
      }
      carrier.pieces.push_back({range, chain(cause, {source.name, source.serial, range.begin, range.end})});
    }
  }
  return carrier;
}

std::string chain_text(const traces::SnapshotFailure& failure, const std::vector<std::size_t>& chain,
                       std::size_t max_hops) {
  std::string text;
  for (std::size_t at = 0; at < chain.size(); ++at) {
    if (at == max_hops) {
      text += "(" + std::to_string(chain.size() - at) + " more) <- ";
      break;
    }
    text += label(failure.skips[chain[at]].operation_name, kPictureNameLength) + " <- ";
  }
  return text + label(failure.operation_name, kPictureNameLength);
}

std::string error_text(const traces::SnapshotFailure& failure) {
  std::string error = label(failure.error, kPictureDetailLength);
  if (failure.call.empty()) return error;
  return label(failure.call, kPictureNameLength) + ": " + error + " (" + std::to_string(failure.code) + ")";
}

std::string failure_heading(const traces::SnapshotFailure& failure) {
  const std::string name = label(failure.operation_name, kPictureNameLength);
  if (failure.poison) return name + " failed, and poisons the device";
  return name + (failure.error == core::never_written().name ? ": never written" : " failed");
}

}  // namespace taintgraph::viz
