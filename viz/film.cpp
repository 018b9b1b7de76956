#include "viz/film.hpp"

#include <iterator>
#include <utility>

namespace taintgraph::viz {

Film::Film(DotOptions options) : options_(std::move(options)) {}

void Film::add(std::string caption, traces::Snapshot snapshot) {
  DotOptions untitled = options_;
  untitled.title = false;  // it counts operations, and so never stays the same
  std::string picture = dot_text(snapshot, untitled);
  if (picture == last_picture_) return;
  last_picture_ = std::move(picture);
  frames_.push_back({std::move(caption), std::move(snapshot)});
  if (frames_.size() > kMaxFrames) frames_.pop_front();
}

std::vector<HtmlFrame> Film::take(traces::Snapshot last) {
  std::vector<HtmlFrame> frames(std::make_move_iterator(frames_.begin()), std::make_move_iterator(frames_.end()));
  frames_.clear();
  last_picture_.clear();
  if (frames.empty()) frames.push_back({{}, {}});
  frames.back().snapshot = std::move(last);
  return frames;
}

tl::expected<std::string, std::string> Film::page(traces::Snapshot last) {
  return html_page(take(std::move(last)), options_);
}

}  // namespace taintgraph::viz
