// Frames of a run, chosen as they come: those whose picture is not that of the frame before.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "traces/film.hpp"
#include "viz/html.hpp"

namespace taintgraph::viz {

inline constexpr std::size_t kMaxFrames = 40;  // the newest are kept

class Film final : public traces::Film {
 public:
  explicit Film(DotOptions options = {});

  void add(std::string caption, traces::Snapshot snapshot) override;
  // The frames, oldest first; the last shows `last` and keeps its caption, for its picture may be that of an earlier
  // moment while counts have changed since. Nothing is left.
  [[nodiscard]] std::vector<HtmlFrame> take(traces::Snapshot last);
  // Errors: those of html_page().
  [[nodiscard]] tl::expected<std::string, std::string> page(traces::Snapshot last) override;

 private:
  DotOptions options_;
  std::string last_picture_;
  std::deque<HtmlFrame> frames_;
};

}  // namespace taintgraph::viz
