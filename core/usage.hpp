// Who used a piece of memory last: the work that later work on other streams must come after (W6).
//
// A mark is a place in one stream's work: everything submitted to that stream up to a number. Usage belongs to memory,
// not to a buffer, so that it outlives the buffer until every stream is done.
#pragma once

#include <cstdint>
#include <vector>

#include "core/ids.hpp"

namespace taintgraph::core {

struct Mark {
  StreamIndex stream{};
  std::uint64_t sequence = 0;  // 0: nothing
};

struct Usage {
  Mark writer;                // the last write
  std::vector<Mark> readers;  // the last read of each stream since then

  // Notes a read or a write submitted at `mark`. A write comes after every read (the StreamTable saw to that), so it
  // makes them past. Reading allocates only when more streams than ever before read between two writes.
  void read_at(Mark mark) {
    for (Mark& reader : readers) {
      if (reader.stream != mark.stream) continue;
      reader.sequence = mark.sequence;
      return;
    }
    readers.push_back(mark);
  }
  void written_at(Mark mark) {
    writer = mark;
    readers.clear();
  }
  void forget() {
    writer = {};
    readers.clear();
  }
};

}  // namespace taintgraph::core
