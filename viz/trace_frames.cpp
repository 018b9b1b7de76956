#include "viz/trace_frames.hpp"

#include <deque>
#include <iterator>
#include <string>
#include <utility>

#include "traces/comparison.hpp"
#include "traces/session.hpp"
#include "traces/step_text.hpp"

namespace taintgraph::viz {
namespace {

// Keeps the frames whose picture is not that of the frame before.
class Film {
 public:
  explicit Film(DotOptions options) : options_(std::move(options)) { options_.title = false; }

  void add(HtmlFrame frame) {
    std::string picture = dot_text(frame.snapshot, options_);
    if (picture == last_picture_) return;
    last_picture_ = std::move(picture);
    frames_.push_back(std::move(frame));
    if (frames_.size() > kMaxFrames) frames_.pop_front();
  }

  [[nodiscard]] std::vector<HtmlFrame> take() {
    return {std::make_move_iterator(frames_.begin()), std::make_move_iterator(frames_.end())};
  }

 private:
  DotOptions options_;
  std::string last_picture_;
  std::deque<HtmlFrame> frames_;
};

}  // namespace

std::vector<HtmlFrame> run_to(const traces::Program& program, std::optional<std::uint64_t> at,
                              const std::optional<DotOptions>& steps) {
  traces::SessionOptions options;
  options.keep_history = true;
  traces::Session session(program.header, program.names, options);
  traces::OperationNames names(program.names);
  const std::uint64_t last = at.value_or(program.operations.size());
  const std::uint64_t first_step = last > kMaxSteps ? last - kMaxSteps + 1 : 1;
  Film film(steps.value_or(DotOptions{}));
  for (std::uint64_t ordinal = 1; ordinal <= last; ++ordinal) {
    const traces::Operation& operation = program.operations[ordinal - 1];
    const traces::StepResult result = session.execute(operation);
    names.remember(operation, ordinal, result.outcome);
    if (steps && ordinal >= first_step) film.add({step_text(operation, ordinal, result, names), session.snapshot()});
  }
  std::vector<HtmlFrame> frames;
  if (steps) frames = film.take();
  if (frames.empty()) frames.push_back({{}, session.snapshot()});
  frames.back().snapshot = session.snapshot();  // the counts may have changed since, though not the picture
  return frames;
}

}  // namespace taintgraph::viz
