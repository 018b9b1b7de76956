#include "viz/picture.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "viz/parts.hpp"
#include "viz/remainder.hpp"

namespace taintgraph::viz {
namespace {

constexpr std::size_t kMaxPatches = 6;          // a row of a node
constexpr std::size_t kMaxCellsPerPatch = 4;    // arrows that fan out from one patch
constexpr std::size_t kPatchesWithoutBars = 2;  // of a failure that is drawn alone

// How much is drawn of each failure.
struct Detail {
  std::size_t carriers;
  std::size_t skips;
};

// From a picture that can be read through to one that only lists the failures.
constexpr std::array<Detail, 6> kDetails = {{{4, 16}, {3, 8}, {2, 4}, {1, 1}, {1, 0}, {0, 0}}};

class Painter {
 public:
  Painter(const SnapshotIndex& index, const PictureOptions& options, const Detail& detail)
      : index_(index), snapshot_(index.snapshot()), options_(options), detail_(detail) {}

  Picture paint(const std::vector<std::size_t>& failures) {
    const std::size_t room = failures.size() < options_.max_nodes ? failures.size() : options_.max_nodes - 1;
    const std::vector<std::size_t> drawn = first_failures(failures, room);
    picture_.more_failures = failures.size() - drawn.size();
    for (const std::size_t failure : drawn) {
      paint_failure(failure);
      if (picture_.nodes() > options_.max_nodes) break;  // too much detail: the caller tries with less
    }
    return std::move(picture_);
  }

 private:
  // The first `room` failures; the device's poison is always among them.
  std::vector<std::size_t> first_failures(const std::vector<std::size_t>& failures, std::size_t room) const {
    std::vector<std::size_t> drawn(failures.begin(), failures.begin() + static_cast<std::ptrdiff_t>(room));
    for (std::size_t at = room; at < failures.size() && room > 0; ++at) {
      if (snapshot_.failures[failures[at]].poison) drawn.back() = failures[at];
    }
    return drawn;
  }

  void paint_failure(std::size_t failure) {
    const traces::SnapshotFailure& source = snapshot_.failures[failure];
    FailureNode node;
    node.failure = failure;
    const std::size_t skips = std::min(detail_.skips, source.skips.size());
    node.more_skips = source.skips.size() - skips;
    passed_on_.clear();
    const std::size_t first_skip = picture_.skips.size();
    for (std::size_t at = source.skips.size() - skips; at < source.skips.size(); ++at) paint_skip(failure, at);
    for (auto& [serial, ranges] : passed_on_) {
      std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    }
    paint_claims(node);
    paint_origins(node, first_skip);
    count_carriers(node, first_skip);
    picture_.failures.push_back(std::move(node));
  }

  void paint_skip(std::size_t failure, std::size_t skip) {
    const traces::SnapshotSkip& source = snapshot_.failures[failure].skips[skip];
    SkipNode node;
    node.failure = failure;
    node.skip = skip;
    for (const traces::SnapshotInput& input : source.inputs) {
      if (node.inputs.size() == kMaxPatches) break;
      node.inputs.push_back(patch(input.range, index_.failure(input.failure)));
    }
    for (const traces::SnapshotRange& output : source.outputs) {
      if (node.outputs.size() == kMaxPatches) break;
      node.outputs.push_back(patch(output, failure));
      passed_on_[output.buffer_serial].push_back({output.begin, output.end});
    }
    node.more_inputs = source.inputs.size() - node.inputs.size();
    node.more_outputs = source.outputs.size() - node.outputs.size();
    picture_.skips.push_back(std::move(node));
  }

  // The claims that no drawn skip accounts for: one patch a carrier, the focused buffer and those in view first.
  void paint_claims(FailureNode& node) {
    std::vector<std::size_t> carriers = index_.carriers(node.failure);
    const auto rank = [&](std::size_t buffer) {
      const traces::SnapshotBuffer& source = snapshot_.buffers[buffer];
      if (options_.focus && source.name == *options_.focus) return 0;
      return bars_.count(source.serial) != 0 ? 1 : 2;
    };
    std::stable_sort(carriers.begin(), carriers.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
    const std::size_t most = detail_.carriers > 0 ? detail_.carriers : kPatchesWithoutBars;
    for (const std::size_t buffer : carriers) {
      if (node.claims.size() == most) break;
      if (auto claim = direct_claim(node.failure, buffer)) node.claims.push_back(std::move(*claim));
    }
  }

  // Bytes that the failure claimed when a skip needed them, and that nothing else in the picture leads to: the buffer
  // was freed or written since. Without them a chain would hang in the air.
  void paint_origins(FailureNode& node, std::size_t first_skip) {
    std::vector<Patch> origins;
    for (std::size_t at = first_skip; at < picture_.skips.size(); ++at) {
      for (const Patch& input : picture_.skips[at].inputs) {
        const auto reaches = [&](const Patch& patch) { return patch.bar == input.bar; };
        if (input.failure != node.failure || input.bar == kNone) continue;
        if (std::any_of(node.claims.begin(), node.claims.end(), reaches)) continue;
        if (std::any_of(origins.begin(), origins.end(), reaches)) continue;
        const auto produces = [&](const SkipNode& skip) {
          return std::any_of(skip.outputs.begin(), skip.outputs.end(), reaches);
        };
        const auto first = picture_.skips.begin() + static_cast<std::ptrdiff_t>(first_skip);
        if (std::any_of(first, picture_.skips.begin() + static_cast<std::ptrdiff_t>(at), produces)) continue;
        origins.push_back(input);
      }
    }
    node.claims.insert(node.claims.end(), origins.begin(), origins.end());
  }

  std::optional<Patch> direct_claim(std::size_t failure, std::size_t buffer) {
    const traces::SnapshotBuffer& source = snapshot_.buffers[buffer];
    const std::uint64_t id = snapshot_.failures[failure].id;
    std::vector<core::ByteRange> ranges;
    if (source.unallocated && source.reason == id) ranges.push_back({0, source.size});
    const auto passed_on = passed_on_.find(source.serial);
    for (const traces::SnapshotClaim& claim : source.claims) {
      if (claim.failure != id) continue;
      if (passed_on == passed_on_.end()) {
        ranges.push_back({claim.begin, claim.end});
      } else {
        for (const core::ByteRange& left : remainder({claim.begin, claim.end}, passed_on->second))
          ranges.push_back(left);
      }
    }
    if (ranges.empty()) return std::nullopt;
    Patch result = patch({source.name, source.serial, ranges.front().begin, ranges.front().end}, failure);
    result.more_ranges = ranges.size() - 1;
    for (std::size_t at = 1; at < ranges.size() && at < kMaxCellsPerPatch && result.bar != kNone; ++at) {
      for (const std::size_t cell : picture_.bars[result.bar].cells_claimed(failure, ranges[at], 1)) {
        if (result.cells.empty() || result.cells.back() != cell) result.cells.push_back(cell);
      }
    }
    return result;
  }

  // Carriers of which this failure's own nodes show nothing.
  void count_carriers(FailureNode& node, std::size_t first_skip) {
    std::vector<std::size_t> shown;
    const auto show = [&](const Patch& patch) {
      if (patch.failure == node.failure && !patch.cells.empty()) shown.push_back(patch.bar);
    };
    for (const Patch& claim : node.claims) show(claim);
    for (std::size_t at = first_skip; at < picture_.skips.size(); ++at) {
      for (const Patch& input : picture_.skips[at].inputs) show(input);
      for (const Patch& output : picture_.skips[at].outputs) show(output);
    }
    std::sort(shown.begin(), shown.end());
    shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
    const std::size_t count = detail_.carriers > 0 ? shown.size() : node.claims.size();
    node.more_carriers = index_.carriers(node.failure).size() - count;
  }

  Patch patch(const traces::SnapshotRange& range, std::size_t failure) {
    Patch result;
    result.buffer = range.buffer;
    result.range = {range.begin, range.end};
    result.failure = failure;
    const std::size_t buffer = index_.buffer(range);
    result.unallocated = buffer != kNone && snapshot_.buffers[buffer].unallocated;
    if (detail_.carriers == 0) return result;
    result.bar = bar(range, buffer);
    result.cells = picture_.bars[result.bar].cells_claimed(failure, result.range, kMaxCellsPerPatch);
    return result;
  }

  std::size_t bar(const traces::SnapshotRange& range, std::size_t buffer) {
    const auto [found, fresh] = bars_.try_emplace(range.buffer_serial, picture_.bars.size());
    if (fresh) picture_.bars.push_back(buffer == kNone ? Bar(range) : Bar(index_, buffer));
    return found->second;
  }

  const SnapshotIndex& index_;
  const traces::Snapshot& snapshot_;
  const PictureOptions& options_;
  Detail detail_;
  Picture picture_;
  std::map<std::uint64_t, std::size_t> bars_;                        // by serial
  std::map<std::uint64_t, std::vector<core::ByteRange>> passed_on_;  // by serial: outputs of the drawn skips
};

}  // namespace

bool Picture::partial() const {
  return more_failures > 0 || std::any_of(failures.begin(), failures.end(), [](const FailureNode& node) {
           return node.more_carriers > 0 || node.more_skips > 0 ||
                  (!node.claims.empty() && node.claims[0].bar == kNone);
         });
}

Picture make_picture(const SnapshotIndex& index, const PictureOptions& options) {
  const std::vector<std::size_t> failures = index.failures_in_focus(options.focus);
  for (const Detail& detail : kDetails) {
    if (detail.carriers > 0 && failures.size() >= options.max_nodes) continue;
    Picture picture = Painter(index, options, detail).paint(failures);
    if (picture.nodes() <= options.max_nodes && count_parts(picture).arrows_of_largest <= kMaxArrowsOfPart)
      return picture;
  }
  return {};  // not reached: the last detail draws at most max_nodes nodes
}

}  // namespace taintgraph::viz
