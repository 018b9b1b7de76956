#include "props/capture_drawing.hpp"

#include <algorithm>
#include <string>

namespace taintgraph::props {
namespace {

using traces::OpKind;

constexpr std::uint64_t kStrayCaptureOneIn = 16;  // what a window refuses, or a graph of the wrong liveness
constexpr std::uint64_t kRecordPercent = 60;      // of launches and copies while a window is open
constexpr std::uint64_t kMostRecorded = 5;        // operations a window
constexpr std::uint64_t kFullWindowEndsOneIn = 2;

}  // namespace

const traces::NameTable& drawn_names() {
  static const traces::NameTable drawn = [] {
    traces::NameTable names;
    for (std::uint32_t slot = 0; slot < kMaxSlots; ++slot) (void)names.intern("b" + std::to_string(slot));
    for (std::uint32_t graph = 0; graph < kMaxGraphs; ++graph) (void)names.intern("g" + std::to_string(graph));
    return names;
  }();
  return drawn;
}

OpKind CaptureDrawing::redirect(Random& random, OpKind kind) const {
  if (any_full() && random.one_in(kFullWindowEndsOneIn)) return OpKind::capture_end;
  if (random.one_in(kStrayCaptureOneIn)) return kind;
  if (kind == OpKind::capture_end && !any_open()) return OpKind::capture_begin;
  if ((kind == OpKind::replay || kind == OpKind::destroy) && !any_graph()) {
    return any_open() ? OpKind::launch : OpKind::capture_begin;
  }
  return kind;
}

void CaptureDrawing::draw_begin(Random& random, traces::Operation& operation) {
  operation.stream = stream_to_run(random, static_cast<std::uint32_t>(random.below(profile_.device.streams)));
  Window& window = windows_[operation.stream];
  if (!window.open) window = {true, false, static_cast<std::uint32_t>(random.between(0, kMostRecorded))};
}

void CaptureDrawing::draw_end(Random& random, traces::Operation& operation) {
  operation.stream = open_stream(static_cast<std::uint32_t>(random.below(profile_.device.streams)));
  operation.graph = draw_graph(random, false);
  bool& live = graphs_[static_cast<std::size_t>(operation.graph) - kMaxSlots];
  if (windows_[operation.stream].open && !live) {
    windows_[operation.stream].open = false;
    live = !windows_[operation.stream].doomed;
  }
}

void CaptureDrawing::draw_replay(Random& random, traces::Operation& operation) const {
  operation.stream = stream_to_run(random, static_cast<std::uint32_t>(random.below(profile_.device.streams)));
  operation.graph = draw_graph(random, true);
}

void CaptureDrawing::draw_destroy(Random& random, traces::Operation& operation) {
  operation.graph = draw_graph(random, true);
  graphs_[static_cast<std::size_t>(operation.graph) - kMaxSlots] = false;
}

std::uint32_t CaptureDrawing::stream_to_record(Random& random, std::uint32_t stream) {
  if (!any_open() || random.below(100) >= kRecordPercent) return stream;
  for (std::uint32_t i = 0; i < profile_.device.streams; ++i) {
    const std::uint32_t each = (stream + i) % profile_.device.streams;
    if (!windows_[each].open) continue;
    if (windows_[each].left > 0) --windows_[each].left;
    return each;
  }
  return stream;
}

std::uint32_t CaptureDrawing::stream_to_run(Random& random, std::uint32_t stream) const {
  if (!any_open() || random.one_in(kStrayCaptureOneIn)) return stream;
  for (std::uint32_t i = 0; i < profile_.device.streams; ++i) {
    const std::uint32_t each = (stream + i) % profile_.device.streams;
    if (!windows_[each].open) return each;
  }
  return stream;
}

void CaptureDrawing::struck(const traces::Operation& operation) {
  Window& window = windows_[operation.stream];
  switch (operation.kind) {
    case OpKind::capture_begin:
      window.open = false;
      break;
    case OpKind::launch:
    case OpKind::copy:
      window.doomed = window.open;
      break;
    case OpKind::capture_end:
      graphs_[static_cast<std::size_t>(operation.graph) - kMaxSlots] = false;
      break;
    default:
      break;
  }
}

void CaptureDrawing::forget() {
  windows_ = {};
  graphs_ = {};
}

bool CaptureDrawing::any_open() const {
  return std::any_of(windows_.begin(), windows_.end(), [](const Window& each) { return each.open; });
}

bool CaptureDrawing::any_full() const {
  return std::any_of(windows_.begin(), windows_.end(), [](const Window& each) { return each.open && each.left == 0; });
}

bool CaptureDrawing::any_graph() const {
  return std::any_of(graphs_.begin(), graphs_.end(), [](bool live) { return live; });
}

std::uint32_t CaptureDrawing::open_stream(std::uint32_t stream) const {
  std::uint32_t found = stream;
  for (std::uint32_t i = 0; i < profile_.device.streams; ++i) {
    if (!windows_[i].open) continue;
    found = i;
    if (windows_[i].left == 0) break;
  }
  return found;
}

traces::NameId CaptureDrawing::draw_graph(Random& random, bool live) const {
  const auto first = static_cast<std::uint32_t>(random.below(kMaxGraphs));
  std::uint32_t graph = first;
  if (!random.one_in(kStrayCaptureOneIn)) {
    for (std::uint32_t i = 0; i < kMaxGraphs && graphs_[graph] != live; ++i) graph = (first + i) % kMaxGraphs;
  }
  return graph_name(graph);
}

}  // namespace taintgraph::props
