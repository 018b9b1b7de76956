// A window that slides over a stream of text: the bytes around the cursor, the cursor's line and column, and a limit on
// how much one unit (a line, an operation of a document, a header) may hold.
//
// While a unit is open its bytes stay in the window, so memory is bounded by the limit and not by the file. Views into
// the window are good until the next more(), current() or skip_line(). It knows nothing of JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <memory>
#include <string_view>

#include "traces/internal/problem_list.hpp"

namespace taintgraph::traces::internal {

inline constexpr std::size_t kMaxUnitBytes = 1U << 20;

class TextWindow {
 public:
  static constexpr int kNothing = -1;

  explicit TextWindow(std::istream& input);

  [[nodiscard]] const char* at() const { return at_; }
  [[nodiscard]] const char* end() const { return end_; }
  void move_to(const char* position) { at_ = position; }
  void advance() { ++at_; }

  // The byte under the cursor, or kNothing at the end of the input or of what the unit may hold.
  [[nodiscard]] int current() {
    if (at_ != end_ || more()) return static_cast<unsigned char>(*at_);
    return kNothing;
  }
  // Reads on; false if nothing can be added behind end().
  bool more();

  // To be called when the cursor has just passed a newline.
  void newline_passed() {
    ++line_;
    line_start_ = base_ + static_cast<std::uint64_t>(at_ - buffer_.get());
  }
  [[nodiscard]] Place place() const {
    return {line_, base_ + static_cast<std::uint64_t>(at_ - buffer_.get()) - line_start_ + 1};
  }

  // Opens a unit at the cursor / closes it.
  void begin_unit();
  void end_unit();
  [[nodiscard]] Place unit_place() const { return unit_place_; }
  [[nodiscard]] std::size_t unit_bytes() const { return static_cast<std::size_t>(at_ - unit_); }
  // Bytes of the open unit from `offset` (an earlier unit_bytes()) to the cursor.
  [[nodiscard]] std::string_view since(std::size_t offset) const {
    return {unit_ + offset, static_cast<std::size_t>(at_ - unit_) - offset};
  }

  // True once more() has failed because the unit holds too much / because the stream broke.
  [[nodiscard]] bool over_limit() const { return over_limit_; }
  [[nodiscard]] bool broken() const { return broken_; }

  // Gives the unit up and moves behind the next newline, or to the end of the input.
  void skip_line();

  struct Mark {
    std::uint64_t offset = 0;
    std::uint64_t line = 0;
    std::uint64_t line_start = 0;
  };
  // Whether the stream can be read a second time.
  [[nodiscard]] bool can_go_back() const { return origin_ != std::streampos(-1); }
  [[nodiscard]] Mark mark() const;
  // Moves the cursor back to `mark`; false if the stream refuses.
  [[nodiscard]] bool go_back(const Mark& mark);

 private:
  void make_room();
  void update_end();

  std::istream& input_;
  std::streampos origin_;
  std::size_t capacity_;
  std::unique_ptr<char[]> buffer_;
  const char* at_;    // cursor
  const char* end_;   // end of what may be looked at
  char* data_end_;    // end of what has been read
  const char* unit_;  // start of the unit, if one is open
  bool in_unit_ = false;
  bool over_limit_ = false;
  bool broken_ = false;
  bool input_ended_ = false;
  std::uint64_t base_ = 0;  // offset of the buffer's first byte from the origin
  std::uint64_t line_ = 1;
  std::uint64_t line_start_ = 0;  // offset of the line's first byte from the origin
  Place unit_place_;
};

}  // namespace taintgraph::traces::internal
