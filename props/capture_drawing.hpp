// What the generator remembers of captures and graphs, to draw windows that mostly open, record something and close,
// and replays of graphs that mostly exist.
//
// Only a bias, like Slots: a window thought open may never have been, and its graph may be refused when it ends.
#pragma once

#include <array>
#include <cstdint>

#include "props/profile.hpp"
#include "props/random.hpp"
#include "traces/name_table.hpp"
#include "traces/operation.hpp"

namespace taintgraph::props {

// Graph i is "g<i>"; the program's name table has them right behind the buffers.
inline constexpr std::uint32_t kMaxGraphs = 3;

// What the slot-th buffer and the number-th graph are called in a program whose names are those of
// drawn_names().
[[nodiscard]] constexpr traces::NameId buffer_name(std::uint64_t slot) { return static_cast<traces::NameId>(slot); }
[[nodiscard]] constexpr traces::NameId graph_name(std::uint64_t number) {
  return static_cast<traces::NameId>(kMaxSlots + number);
}

// What drawn programs call their buffers and graphs, for each to start from a copy.
[[nodiscard]] const traces::NameTable& drawn_names();

class CaptureDrawing {
 public:
  explicit CaptureDrawing(const Profile& profile) : profile_(profile) {}

  // The kind that makes sense now for one about captures that was drawn blindly: a replay where there is no graph
  // becomes the beginning of one, and so on. Other kinds come back as they are, but that a window which has recorded
  // enough is ended sooner or later.
  [[nodiscard]] traces::OpKind redirect(Random& random, traces::OpKind kind) const;

  void draw_begin(Random& random, traces::Operation& operation);
  void draw_end(Random& random, traces::Operation& operation);
  void draw_replay(Random& random, traces::Operation& operation) const;
  void draw_destroy(Random& random, traces::Operation& operation);

  // Where a launch or copy goes that was drawn for `stream`: often into an open window.
  [[nodiscard]] std::uint32_t stream_to_record(Random& random, std::uint32_t stream);
  // Where an operation goes that a capture would refuse.
  [[nodiscard]] std::uint32_t stream_to_run(Random& random, std::uint32_t stream) const;

  // The operation was given a fault, after it was drawn: what it was to do with a window is undone.
  void struck(const traces::Operation& operation);
  // The device was started again: windows and graphs are gone.
  void forget();

 private:
  static constexpr std::uint32_t kMaxStreams = 4;
  struct Window {
    bool open = false;
    bool doomed = false;
    std::uint32_t left = 0;  // operations to be recorded still
  };

  [[nodiscard]] bool any_open() const;
  [[nodiscard]] bool any_full() const;
  [[nodiscard]] bool any_graph() const;
  // A stream whose window is open, the ones that are full first; `stream` if there is none.
  [[nodiscard]] std::uint32_t open_stream(std::uint32_t stream) const;
  [[nodiscard]] traces::NameId draw_graph(Random& random, bool live) const;

  const Profile& profile_;
  std::array<Window, kMaxStreams> windows_{};
  std::array<bool, kMaxGraphs> graphs_{};
};

}  // namespace taintgraph::props
