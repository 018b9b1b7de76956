// The reference model's order of work: which work comes after which, and what the program's waits have proved.
//
// A stream runs what is queued on it in turn. It is made to come after another stream by `wait`, and by the bytes it
// uses: work comes after the last write of what it reads, and after every use of what it writes (W6). Either puts it
// behind all that the other stream has queued by then, and behind whatever that was put behind. A good wait of the
// program proves its own stream and everything that stream was put behind; what nobody has proved may be to blame for
// an error that surfaces.
//
// Bytes are told apart by buffer alone here, as order is: memory is used as a whole.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "props/model_graphs.hpp"
#include "props/model_memory.hpp"

namespace taintgraph::props::reference {

using StreamNumber = std::uint32_t;

// Of the operations that may be to blame, those listed for each stream are its newest.
inline constexpr std::size_t kSuspectsOfStream = 16;

// How far anybody can say that one thing was put behind another, or queued. `unnoted`: perhaps, and the runtime goes
// on as if it were not.
enum class Holds : std::uint8_t { surely, perhaps, unnoted };

class Order {
 public:
  // `stream` comes after all that `on` has queued so far.
  void wait(StreamNumber stream, StreamNumber on, Holds holds = Holds::surely);

  // Work of `operation` is queued on `stream`.
  void work(StreamNumber stream, Ordinal operation, Nodes graph, Holds holds = Holds::surely);
  // The same for a replay, which comes after the last one of its graph.
  void replay(StreamNumber stream, Ordinal operation, Nodes graph, traces::NameId name, Holds holds = Holds::surely);
  // The same for a copy of a buffer to other memory; `moved`: it lives there from now on.
  void relocate(StreamNumber stream, Ordinal operation, Ordinal buffer, bool moved, Holds holds = Holds::surely);
  void forget_graph(traces::NameId name) { replays_.erase(name); }

  // The host has waited for the stream, and the wait was good.
  void proved(StreamNumber stream);

  // What was queued on `stream` last is never done, nor is anything that comes after it, on this stream or others.
  void never_ends(StreamNumber stream);
  // Nobody can say whether the stream was put behind what hangs.
  void doubt(StreamNumber stream);
  // Whether a wait for the stream would never come back; whether nobody can say; whether either holds of any stream.
  [[nodiscard]] bool hangs(StreamNumber stream) const { return state_of(stream) == Going::never; }
  [[nodiscard]] bool may_hang(StreamNumber stream) const { return state_of(stream) == Going::perhaps; }
  [[nodiscard]] bool hangs() const;
  // Whether the host knows already that all work of the stream, and what that comes after, is done.
  [[nodiscard]] bool idle(StreamNumber stream) const;

  // How many pieces of work the stream has queued.
  [[nodiscard]] std::uint64_t queued(StreamNumber stream) const;
  // Whether what the stream queued last comes after so much of the other's, or may.
  [[nodiscard]] bool may_come_after(StreamNumber stream, StreamNumber other, std::uint64_t place) const;

  [[nodiscard]] Suspects suspects() const;

 private:
  // The n-th piece of work of a stream; 0: none.
  struct Mark {
    StreamNumber stream = 0;
    std::uint64_t place = 0;
    Holds holds = Holds::surely;
  };
  struct Usage {
    Mark writer;                        // the last that surely is one
    std::vector<Mark> readers;          // of each stream the last since the last write, in order of the first
    std::vector<Mark> perhaps_writers;  // since the last write
  };
  // By the number of another stream: so much of its work. Nothing of those that it lacks.
  using Places = std::vector<std::uint64_t>;
  enum class Going : std::uint8_t { on, perhaps, never };
  struct Row {
    std::vector<Ordinal> queued;  // operations, from the first
    std::uint64_t proven = 0;     // so many of them
    std::uint64_t perhaps_proven = 0;
    Going going = Going::on;  // what comes next
    Places put_behind;
    Places perhaps_noted;   // as being behind it
    Places perhaps_behind;  // all of those, and more
  };

  [[nodiscard]] Row& row(StreamNumber stream);
  [[nodiscard]] static std::uint64_t& entry(Places& places, StreamNumber other);
  static void add(Places& places, const Places& others);
  [[nodiscard]] static std::uint64_t place_in(const Places& places, StreamNumber other);

  void after(StreamNumber stream, Mark mark, Holds holds);
  void after_every_write(StreamNumber stream, const Usage& usage, Holds holds);
  void after_every_use(StreamNumber stream, const Usage& usage, Holds holds);
  Mark queue(StreamNumber stream, Ordinal operation, Holds holds);
  void reads(Mark mark, Ordinal buffer);
  static void write(Mark mark, Usage& usage);
  [[nodiscard]] Going state_of(StreamNumber stream) const;

  std::vector<Row> rows_;                    // by stream, up to the last one used
  std::map<Ordinal, Usage> usage_;           // by buffer
  std::map<traces::NameId, Usage> replays_;  // of each graph, which it writes
};

}  // namespace taintgraph::props::reference
