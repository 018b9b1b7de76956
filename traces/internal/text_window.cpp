#include "traces/internal/text_window.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace taintgraph::traces::internal {
namespace {

// Large enough that moving the rest of a line to the front costs nothing beside reading, small enough for caches.
constexpr std::size_t kChunkBytes = 64U << 10;

// A unit may be looked at this far beyond its limit, so that the line end after a line of just the limit is seen.
constexpr std::size_t kSlackBytes = 2;

}  // namespace

TextWindow::TextWindow(std::istream& input)
    : input_(input),
      origin_(input.tellg()),
      capacity_(2 * kChunkBytes),
      buffer_(new char[capacity_]),
      at_(buffer_.get()),
      end_(at_),
      data_end_(buffer_.get()),
      unit_(at_) {}

bool TextWindow::more() {
  if (in_unit_ && static_cast<std::size_t>(end_ - unit_) == kMaxUnitBytes + kSlackBytes) {
    over_limit_ = true;
    return false;
  }
  if (input_ended_) return false;
  make_room();
  input_.read(data_end_, static_cast<std::streamsize>(kChunkBytes));
  const std::streamsize got = input_.gcount();
  if (input_.bad()) broken_ = true;
  if (got <= 0) {
    input_ended_ = true;
    return false;
  }
  data_end_ += got;
  update_end();
  return true;
}

// Drops what lies before the unit (or the cursor) and makes sure that a chunk fits behind what is left.
void TextWindow::make_room() {
  const char* keep = in_unit_ ? unit_ : at_;
  const auto kept = static_cast<std::size_t>(data_end_ - keep);
  const auto at = static_cast<std::size_t>(at_ - keep);
  const auto end = static_cast<std::size_t>(end_ - keep);
  base_ += static_cast<std::uint64_t>(keep - buffer_.get());
  if (kept + kChunkBytes > capacity_) {
    capacity_ = 2 * capacity_;
    std::unique_ptr<char[]> larger(new char[capacity_]);
    std::memcpy(larger.get(), keep, kept);
    buffer_ = std::move(larger);
  } else {
    std::memmove(buffer_.get(), keep, kept);
  }
  unit_ = buffer_.get();
  at_ = unit_ + at;
  end_ = unit_ + end;
  data_end_ = buffer_.get() + kept;
}

void TextWindow::update_end() {
  end_ = data_end_;
  if (in_unit_ && static_cast<std::size_t>(data_end_ - unit_) > kMaxUnitBytes + kSlackBytes) {
    end_ = unit_ + kMaxUnitBytes + kSlackBytes;
  }
}

void TextWindow::begin_unit() {
  in_unit_ = true;
  over_limit_ = false;
  unit_ = at_;
  unit_place_ = place();
  update_end();
}

void TextWindow::end_unit() {
  in_unit_ = false;
  over_limit_ = false;
  update_end();
}

void TextWindow::skip_line() {
  end_unit();
  for (;;) {
    const auto* newline = static_cast<const char*>(std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_)));
    if (newline != nullptr) {
      at_ = newline + 1;
      newline_passed();
      return;
    }
    at_ = end_;
    if (!more()) return;
  }
}

TextWindow::Mark TextWindow::mark() const {
  return {base_ + static_cast<std::uint64_t>(at_ - buffer_.get()), line_, line_start_};
}

bool TextWindow::go_back(const Mark& mark) {
  input_.clear();
  input_.seekg(origin_ + static_cast<std::streamoff>(mark.offset));
  if (!input_) return false;
  data_end_ = buffer_.get();
  at_ = end_ = unit_ = data_end_;
  in_unit_ = over_limit_ = input_ended_ = false;
  base_ = mark.offset;
  line_ = mark.line;
  line_start_ = mark.line_start;
  return true;
}

}  // namespace taintgraph::traces::internal
